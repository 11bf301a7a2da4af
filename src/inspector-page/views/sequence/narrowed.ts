/**
 * A step that is about several payments, for whoever looks at one of them: an Update has changes of many. What belongs to
 * the others is left out, and how much that is stays to be seen.
 */
import type { StepRecords } from '../../../inspector/wire.ts';
import { changesIn, fieldOf, mentions, textAt } from '../../base/fields.ts';

type Words = ReadonlySet<string | bigint>;

/** The step with those changes, and those who are told of them, that mention one of `words`. */
export function narrowed(step: StepRecords, words: Words): StepRecords {
  const hashes = hashesIn(step);
  const isAbout = (change: unknown, nonce: unknown, place: number) =>
    mentions(change, words) || words.has(hashes.get(`${nonce} ${place}`) ?? '');

  const body = <T extends { type: string }>(of: T): T => {
    const message = fieldOf(of, 'message');
    const changes = changesIn(message);
    const kept = changes.filter((change, place) =>
      isAbout(change, fieldOf(message, 'nonce'), place),
    );
    if (kept.length === 0 || kept.length === changes.length || !isObject(message)) return of;
    const others = BigInt(changes.length - kept.length);
    return { ...of, message: { ...message, changes: kept, others } };
  };

  return step.flatMap((record): StepRecords => {
    if (record.kind === 'event') return [{ ...record, event: body(record.event) }];
    if (record.kind !== 'effect') return [record];
    return isForOther(record.effect, words) ? [] : [{ ...record, effect: body(record.effect) }];
  });
}

/** The secrethash of each change, by nonce and place: an unlock shows only its secret, which is hidden. */
function hashesIn(step: StepRecords): Map<string, string> {
  const hashes = new Map<string, string>();
  const note = (nonce: unknown, all: unknown) => {
    for (const [place, one] of (Array.isArray(all) ? all : []).entries()) {
      const hash = textAt(one, 'secrethash');
      if (hash !== null) hashes.set(`${nonce} ${place}`, hash);
    }
  };
  for (const record of step) {
    if (record.kind === 'event')
      note(fieldOf(fieldOf(record.event, 'message'), 'nonce'), fieldOf(record.event, 'facts'));
    if (record.kind === 'effect' && record.effect.type === 'record.proof')
      note(fieldOf(record.effect, 'nonce'), fieldOf(record.effect, 'changes'));
  }
  return hashes;
}

const OF_PAYMENT = /^(?:initiator|mediator|target|keeper):(0x[0-9a-f]{64})/;

/** Whether the effect reaches the actor of another payment. */
function isForOther(effect: { type: string }, words: Words): boolean {
  const to = textAt(effect, 'to') ?? textAt(effect, 'id') ?? '';
  const hash = OF_PAYMENT.exec(to)?.[1];
  return hash !== undefined && !words.has(hash) && !words.has(to);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
