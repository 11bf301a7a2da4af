/**
 * What one commit changes of the live actors and the waiting messages, as one row has it: first a line of JSON that lists the
 * changes, then the texts of them, one behind the other.
 */
import { customType } from 'drizzle-orm/sqlite-core';
import * as v from 'valibot';
import { hex } from '../../protocol/shapes.ts';
import type { Blob } from './columns.ts';
import { packed, unpacked } from './packed.ts';

const actorShape = { id: v.string(), kind: v.string(), version: v.number() };
const messageShape = {
  key: v.string(),
  queue: v.nullable(v.string()),
  recipient: hex,
  messageId: v.string(),
  nonce: v.nullable(v.string()),
  givers: v.nullable(v.string()),
};

type StoredActor = v.InferOutput<v.ObjectSchema<typeof actorShape, undefined>> & { state: string };
/** An outbox row as it is stored: numbers as text, `givers` as the codec's text; null: none. */
export type StoredMessage = v.InferOutput<v.ObjectSchema<typeof messageShape, undefined>> & {
  body: string;
};
export type LiveChange =
  | { kind: 'actor'; row: StoredActor }
  | { kind: 'retired'; id: string }
  | { kind: 'message'; row: StoredMessage }
  | { kind: 'done'; key: string };

const size = v.number();
const heads = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.variant('kind', [
      v.object({ kind: v.literal('actor'), row: v.object({ ...actorShape, state: size }) }),
      v.object({ kind: v.literal('retired'), id: v.string() }),
      v.object({ kind: v.literal('message'), row: v.object({ ...messageShape, body: size }) }),
      v.object({ kind: v.literal('done'), key: v.string() }),
    ]),
  ),
);

/** In the list stands the length of each text, and not the text: quoted, it would be a fifth longer and take twice the time. */
function textOf(changes: readonly LiveChange[]): string {
  let texts = '';
  const measured = (text: string): number => {
    texts += text;
    return text.length;
  };
  const list = changes.map((change) => {
    if (change.kind === 'actor')
      return { kind: 'actor', row: { ...change.row, state: measured(change.row.state) } };
    if (change.kind === 'message')
      return { kind: 'message', row: { ...change.row, body: measured(change.row.body) } };
    return change;
  });
  return `${JSON.stringify(list)}\n${texts}`;
}

function changesIn(text: string): LiveChange[] {
  let at = text.indexOf('\n') + 1;
  const take = (length: number): string => {
    at += length;
    return text.slice(at - length, at);
  };
  return v.parse(heads, text.slice(0, at - 1)).map((head): LiveChange => {
    if (head.kind === 'actor')
      return { ...head, row: { ...head.row, state: take(head.row.state) } };
    if (head.kind === 'message')
      return { ...head, row: { ...head.row, body: take(head.row.body) } };
    return head;
  });
}

export const liveChangesBlob = customType<{ data: readonly LiveChange[]; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver: (changes) => packed(textOf(changes)),
  fromDriver: (value) => changesIn(unpacked(value)),
});
