/**
 * Partner messages that wait for their acknowledgement: what is repeated, when, and in which order.
 *
 * The rows are on disk with the batch that caused them; this is their view in memory. Repeats come with
 * growing pauses; messages of one channel always go out together, in order of nonce.
 */
import type { Send } from '../../../machines/effects.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Delivered } from '../../protocol/messages/delivered.ts';
import type { Message } from '../../protocol/messages/table.ts';
import type { OutboxRow } from '../../store/batch.ts';
import { decode, encode } from '../../store/codec.ts';

/** Every message that can be acknowledged by its identifier. */
export type Numbered = Exclude<Message, Delivered>;
export type Outbox = ReturnType<typeof createOutbox>;
export type Posted = {
  key: string;
  to: Address;
  queue: string | null;
  nonce: bigint | null;
  message: Numbered;
  attempts: number;
  /** Milliseconds; before it the message is not repeated. */
  nextTime: number;
  /** Its batch is on disk. Until then nobody may hear of it, however long it waits. */
  isStored: boolean;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

type Options = { rows: readonly OutboxRow[]; drawId(): bigint; now(): number };

export function createOutbox({ rows, drawId, now }: Options) {
  const posted = new Map<string, Posted>();
  const byMessageId = new Map<bigint, string>();

  function keep(entry: Posted) {
    posted.set(entry.key, entry);
    byMessageId.set(entry.message.messageId, entry.key);
  }
  for (const row of rows) keep(postedOf(row));

  /** An acknowledgement of one of two with the same identifier would end the other, unheard. */
  function freshId(): bigint {
    const drawn = drawId();
    return byMessageId.has(drawn) ? freshId() : drawn;
  }

  function remove(key: string): string | null {
    const entry = posted.get(key);
    if (entry === undefined) return null;
    posted.delete(key);
    byMessageId.delete(entry.message.messageId);
    return key;
  }

  /** The entry was sent just now: the next repeat comes later than the last. */
  function noteSent(entry: Posted) {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** entry.attempts, LONGEST_PAUSE_MS);
    entry.attempts += 1;
    entry.nextTime = now() + pause;
  }

  /**
   * A request for consent waits for the balance proofs before it: had it overtaken one whose tokens came
   * back since, the partner would refuse that one for ever.
   */
  function isHeld({ message, queue }: Posted): boolean {
    if (message.type !== 'WithdrawRequest') return false;
    return [...posted.values()].some(
      (other) =>
        other.queue === queue &&
        'locksroot' in other.message &&
        other.message.nonce < message.nonce,
    );
  }

  const mayLeave = (entry: Posted) => entry.isStored && !isHeld(entry);

  return {
    mayLeave,
    /** Draws the message's identifier, which no other that waits has; a new message under the same key takes the place of the old. */
    add({ key, to, queue, message, messageId = freshId() }: Send): OutboxRow {
      remove(key);
      const numbered: Numbered = { ...message, messageId };
      const nonce = 'nonce' in message ? message.nonce : null;
      const times = { attempts: 0, nextTime: 0, isStored: false };
      keep({ key, to, queue, nonce, message: numbered, ...times });
      return { key, queue, recipient: to, messageId, nonce, body: encode(numbered) };
    },
    remove,
    get: (key: string) => posted.get(key),
    /** The batch that holds this message is on disk: from now on it may leave. */
    noteStored(entry: Posted) {
      entry.isStored = true;
    },
    size: () => posted.size,
    /** The key that this Processed answers, when it came from the one who was asked. */
    acknowledge(messageId: bigint, sender: string): string | null {
      const key = byMessageId.get(messageId);
      const entry = key === undefined ? undefined : posted.get(key);
      const isAnswered =
        entry !== undefined && entry.to === sender && isEndedByProcessed(entry.message);
      return isAnswered ? remove(entry.key) : null;
    },
    /** A withdraw message has an end of its own: no balance proof shows that the partner holds it. */
    dropQueue(queue: string, upToNonce: bigint | null): string[] {
      return [...posted.values()]
        .filter((entry) => entry.queue === queue)
        .filter(
          ({ message }) =>
            upToNonce === null || ('locksroot' in message && message.nonce <= upToNonce),
        )
        .map(({ key }) => {
          remove(key);
          return key;
        });
    },
    ofQueue: (queue: string) =>
      [...posted.values()].filter((entry) => entry.queue === queue && mayLeave(entry)),
    /** The recipient is back: everything for it is due now. */
    hurry(to: Address) {
      for (const entry of posted.values()) {
        if (entry.to !== to) continue;
        entry.attempts = 0;
        entry.nextTime = 0;
      }
    },
    /** What is due for a repeat, with everything else of the same channels, in order. */
    due(): Posted[] {
      const time = now();
      const ripe = [...posted.values()].filter(({ nextTime }) => nextTime <= time);
      const queues = new Set(ripe.map(({ queue }) => queue).filter((queue) => queue !== null));
      return [...posted.values()]
        .filter(
          (entry) => entry.nextTime <= time || (entry.queue !== null && queues.has(entry.queue)),
        )
        .filter(mayLeave);
    },
    noteSent,
  };
}

/** A request or a reveal is answered by the next message of the protocol, not by Processed. */
function isEndedByProcessed({ type }: Message): boolean {
  return type !== 'SecretRequest' && type !== 'RevealSecret' && type !== 'WithdrawRequest';
}

function postedOf({ key, recipient, queue, nonce, body }: OutboxRow): Posted {
  const message = messageIn(decode(body));
  const times = { attempts: 0, nextTime: 0, isStored: true };
  return { key, to: recipient, queue, nonce, message, ...times };
}

/** The store gives back what `add` wrote; its shape was fixed by the type then. */
function messageIn(value: unknown): Numbered {
  if (!isMessage(value)) throw new Error('outbox: a row holds no message');
  return value;
}

function isMessage(value: unknown): value is Numbered {
  return typeof value === 'object' && value !== null && 'type' in value && 'messageId' in value;
}
