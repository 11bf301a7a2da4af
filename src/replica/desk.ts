/**
 * Where a standby says how far it is, and takes the order to take over: a subject at the broker beside the stream.
 * Questions and answers are sealed with the keys of the records, so that a stranger can neither ask nor answer; an
 * order names the epoch of the owner, so that it counts once.
 */
import { ErrorCode, NatsError, RequestStrategy } from 'nats';
import * as v from 'valibot';
import type { JetStreamOptions } from './jetstream.ts';
import { joinBroker } from './login.ts';
import { NO_LINK, openRecord, type RecordKeys, sealRecord } from './record.ts';

const question = v.object({
  ask: v.picklist(['status', 'takeover']),
  epoch: v.number(),
  /** Milliseconds since 1970: an old question is not answered. */
  time: v.number(),
});
type Question = v.InferOutput<typeof question>;
const answer = v.object({
  host: v.string(),
  pid: v.number(),
  sequence: v.number(),
  epoch: v.nullable(v.number()),
  silentMs: v.number(),
  isTakingOver: v.boolean(),
});
export type StandbyAnswer = v.InferOutput<typeof answer>;

type DeskOptions = JetStreamOptions & { keys: RecordKeys };
const LONGEST_AGE_MS = 30_000;
const ANSWERS_MS = 1_000;

const deskOf = (name: string): string => `sluice.standby.${name}`;

function sealed(keys: RecordKeys, value: Question | StandbyAnswer): Uint8Array {
  const head = { kind: 'pulse', epoch: 0, sequence: 0, link: NO_LINK } as const;
  return sealRecord(keys, head, new TextEncoder().encode(JSON.stringify(value))).bytes;
}

/** Null when it was not sealed with these keys. A record of the stream is none: its number is not 0. */
function opened(keys: RecordKeys, bytes: Uint8Array): unknown {
  const record = openRecord(keys, bytes);
  if (record === null || record.head.sequence !== 0) return null;
  return JSON.parse(new TextDecoder().decode(record.content));
}

type Parts = DeskOptions & {
  state(): Omit<StandbyAnswer, 'isTakingOver'>;
  /** Called when somebody with the key orders the takeover. */
  onOrder(): void;
};

/** Answers until the returned function is called. */
export function openDesk(parts: Parts): () => Promise<void> {
  const { name, keys } = parts;
  function hear(bytes: Uint8Array): Uint8Array | null {
    const parsed = v.safeParse(question, opened(keys, bytes));
    if (!parsed.success || Math.abs(Date.now() - parsed.output.time) > LONGEST_AGE_MS) return null;
    const state = parts.state();
    const isTakingOver = parsed.output.ask === 'takeover' && parsed.output.epoch === state.epoch;
    if (isTakingOver) parts.onOrder();
    return sealed(keys, { ...state, isTakingOver });
  }
  const kept = joinBroker(parts, (joined) => {
    joined.subscribe(deskOf(name), {
      callback(error, message) {
        const said = error === null ? hear(message.data) : null;
        if (said !== null) message.respond(said);
      },
    });
  });
  return kept.close;
}

/** The answers of all standbys, in no order. Rejects when the broker cannot be reached. */
export async function askStandbys(
  options: DeskOptions,
  asked: Omit<Question, 'time'>,
): Promise<StandbyAnswer[]> {
  const { name, keys } = options;
  const kept = joinBroker(options);
  try {
    const joined = await kept.ready(5_000);
    if (joined === null) throw new Error('the message broker cannot be reached');
    const answers: StandbyAnswer[] = [];
    const strategy = RequestStrategy.Timer;
    const sent = sealed(keys, { ...asked, time: Date.now() });
    try {
      const heard = await joined.requestMany(deskOf(name), sent, { strategy, maxWait: ANSWERS_MS });
      for await (const { data } of heard) {
        const parsed = v.safeParse(answer, opened(keys, data));
        if (parsed.success) answers.push(parsed.output);
      }
    } catch (error) {
      if (!(error instanceof NatsError && error.code === ErrorCode.NoResponders)) throw error;
    }
    return answers;
  } finally {
    await kept.close();
  }
}
