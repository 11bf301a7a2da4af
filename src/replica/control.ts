/**
 * Where the node and its standbys say how far they are, and take orders: a subject at the broker beside the stream.
 * Questions and answers are sealed with the keys of the records, so that a stranger can neither ask nor answer; an
 * order names the epoch of the owner, so that it counts once.
 */
import { ErrorCode, NatsError, RequestStrategy } from 'nats';
import * as v from 'valibot';
import type { JetStreamOptions } from './jetstream.ts';
import { joinReplicaBroker } from './login.ts';
import { NO_LINK, openRecord, type RecordKeys, sealRecord } from './record.ts';

/**
 * `takeover`: a standby takes the place of the owner, which hears it as well, and so knows why it ends; `hold`: the owner writes nothing for a moment, since a standby that
 * was told to take over comes too late again and again; `renew`: a node whose stream was lost begins with the empty one that
 * has been made in its place.
 */
const order = v.picklist(['takeover', 'hold', 'renew']);
type Order = v.InferOutput<typeof order>;
const question = v.object({
  ask: v.union([v.literal('status'), order]),
  epoch: v.number(),
  /** Milliseconds since 1970: an old question is not answered. */
  time: v.number(),
});
type Question = v.InferOutput<typeof question>;
const answer = v.object({
  /** `guard`: a node that guards its channels until it can own the stream. */
  role: v.picklist(['owner', 'standby', 'guard']),
  host: v.string(),
  pid: v.number(),
  sequence: v.number(),
  epoch: v.nullable(v.number()),
  silentMs: v.number(),
  /** Whether it takes calls. */
  isServing: v.boolean(),
  /** Whether its stream is missing, or lacks what only its database has by now. */
  isLost: v.boolean(),
  /** Whether it does what was ordered. */
  agrees: v.boolean(),
});
export type ControlAnswer = v.InferOutput<typeof answer>;

type DeskOptions = JetStreamOptions & { keys: RecordKeys };
const LONGEST_AGE_MS = 30_000;
const ANSWERS_MS = 1_000;

const deskOf = (name: string): string => `sluice.standby.${name}`;

function sealed(keys: RecordKeys, value: Question | ControlAnswer): Uint8Array {
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
  state(): Omit<ControlAnswer, 'agrees'>;
  /** What it does when somebody with the key orders it; other orders are not for this machine. */
  orders: Partial<Record<Order, () => void>>;
};

/** Answers until the returned function is called. */
export function openControl(parts: Parts): () => Promise<void> {
  const { name, keys } = parts;
  function hear(bytes: Uint8Array): Uint8Array | null {
    const parsed = v.safeParse(question, opened(keys, bytes));
    if (!parsed.success || Math.abs(Date.now() - parsed.output.time) > LONGEST_AGE_MS) return null;
    const { ask, epoch } = parsed.output;
    const state = parts.state();
    if (ask === 'status') return sealed(keys, { ...state, agrees: false });
    const work = parts.orders[ask];
    if (work === undefined) return null;
    const agrees = epoch === state.epoch && (ask !== 'renew' || state.isLost);
    if (agrees) work();
    return sealed(keys, { ...state, agrees });
  }
  const kept = joinReplicaBroker(parts, (joined) => {
    joined.subscribe(deskOf(name), {
      callback(error, message) {
        const said = error === null ? hear(message.data) : null;
        if (said !== null) message.respond(said);
      },
    });
  });
  return kept.close;
}

type Asked = Omit<Question, 'time'> & {
  /** An answer after which no other one is waited for. */
  isEnough?(answer: ControlAnswer): boolean;
};

/** The answers of all that hear it, in no order. Rejects when the broker cannot be reached. */
export async function askControls(
  options: DeskOptions,
  { isEnough = () => false, ...asked }: Asked,
): Promise<ControlAnswer[]> {
  const { name, keys } = options;
  const kept = joinReplicaBroker(options);
  try {
    const joined = await kept.ready(5_000);
    if (joined === null) throw new Error('the message broker cannot be reached');
    const answers: ControlAnswer[] = [];
    const strategy = RequestStrategy.Timer;
    const sent = sealed(keys, { ...asked, time: Date.now() });
    try {
      const heard = await joined.requestMany(deskOf(name), sent, { strategy, maxWait: ANSWERS_MS });
      for await (const { data } of heard) {
        const parsed = v.safeParse(answer, opened(keys, data));
        if (!parsed.success) continue;
        answers.push(parsed.output);
        if (isEnough(parsed.output)) break;
      }
    } catch (error) {
      if (!(error instanceof NatsError && error.code === ErrorCode.NoResponders)) throw error;
    }
    return answers;
  } finally {
    await kept.close();
  }
}
