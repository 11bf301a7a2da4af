/**
 * Messages to partners that wait for their acknowledgement: what is repeated, when, and in which order.
 *
 * The rows are written to disk with the batch that caused them; this is their copy in memory. Pauses between repeats
 * grow; messages of one channel are always sent together, in order of nonce.
 */
import type { Send } from '../../../machines/effects.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Delivered } from '../../protocol/messages/delivered.ts';
import type { Message } from '../../protocol/messages/table.ts';
import type { OutboxRow } from '../../store/batch.ts';
import { decode, encode } from '../../store/codec.ts';
import { createGroups } from './groups.ts';
import { createRepeats } from './repeats.ts';

/** A message that can be acknowledged by its identifier. */
export type Numbered = Exclude<Message, Delivered>;
export type Outbox = ReturnType<typeof createOutbox>;
export type Posted = {
  key: string;
  /** Grows with each message that was added: the order in which messages are sent. */
  place: number;
  to: Address;
  queue: string | null;
  nonce: bigint | null;
  message: Numbered;
  attempts: number;
  /** The message is not repeated before this time, by the clock that nobody sets. */
  nextTime: number;
  /** Whether its batch is on disk. Until then the message may not be sent, however long it waits. */
  isStored: boolean;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

type Options = { rows: readonly OutboxRow[]; drawId(): bigint; elapsed(): number };

export function createOutbox({ rows, drawId, elapsed }: Options) {
  const posted = new Map<string, Posted>();
  const byMessageId = new Map<bigint, string>();
  const byQueue = createGroups<string, Posted>();
  const byRecipient = createGroups<Address, Posted>();
  const repeats = createRepeats<Posted>();
  let newest = 0;

  function keep(unplaced: Omit<Posted, 'place'>) {
    const entry = { ...unplaced, place: ++newest };
    posted.set(entry.key, entry);
    byMessageId.set(entry.message.messageId, entry.key);
    if (entry.queue !== null) byQueue.add(entry.queue, entry);
    byRecipient.add(entry.to, entry);
    repeats.note(entry);
  }
  for (const row of rows) keep(postedOf(row));

  /** If two messages had one identifier, the acknowledgement of one would wrongly end the other. */
  function freshId(): bigint {
    const drawn = drawId();
    return byMessageId.has(drawn) ? freshId() : drawn;
  }

  function remove(key: string): string | null {
    const entry = posted.get(key);
    if (entry === undefined) return null;
    posted.delete(key);
    byMessageId.delete(entry.message.messageId);
    if (entry.queue !== null) byQueue.remove(entry.queue, entry);
    byRecipient.remove(entry.to, entry);
    repeats.forget(entry);
    return key;
  }

  /** Notes that the entry was sent just now; the pause before the next repeat is longer. */
  function noteSent(entry: Posted) {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** entry.attempts, LONGEST_PAUSE_MS);
    entry.attempts += 1;
    entry.nextTime = elapsed() + pause;
    // It may have been answered since it was taken out of the outbox to be sent.
    if (posted.get(entry.key) === entry) repeats.note(entry);
  }

  /**
   * A withdraw request waits for the balance proofs before it: had it overtaken one whose tokens came back since, the
   * partner would refuse that balance proof for ever.
   */
  function isHeld({ message, queue }: Posted): boolean {
    if (message.type !== 'WithdrawRequest' || queue === null) return false;
    return byQueue
      .of(queue)
      .some((other) => 'locksroot' in other.message && other.message.nonce < message.nonce);
  }

  const mayLeave = (entry: Posted) => entry.isStored && !isHeld(entry);

  return {
    mayLeave,
    /**
     * Adds a message under an identifier that no other waiting message has; a new message replaces the old one of its
     * key.
     */
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
    /** Notes that the batch that holds this message is on disk: from now on it may be sent. */
    noteStored(entry: Posted) {
      entry.isStored = true;
    },
    size: () => posted.size,
    /** The key of the message that this Processed ends, if its sender is the message's recipient; else null. */
    acknowledge(messageId: bigint, sender: string): string | null {
      const key = byMessageId.get(messageId);
      const entry = key === undefined ? undefined : posted.get(key);
      const isAnswered =
        entry !== undefined && entry.to === sender && isEndedByProcessed(entry.message);
      return isAnswered ? remove(entry.key) : null;
    },
    /**
     * Drops the messages of a channel with balance proofs up to this nonce; null: all messages. Withdraw messages have
     * no locksroot and stay: no balance proof shows that the partner has received them.
     */
    dropQueue(queue: string, upToNonce: bigint | null): string[] {
      return byQueue
        .of(queue)
        .filter(
          ({ message }) =>
            upToNonce === null || ('locksroot' in message && message.nonce <= upToNonce),
        )
        .map(({ key }) => {
          remove(key);
          return key;
        });
    },
    ofQueue: (queue: string) => byQueue.of(queue).filter(mayLeave),
    /** Called when the recipient is back: all messages for it are due now. */
    hurry(to: Address) {
      for (const entry of byRecipient.of(to)) {
        entry.attempts = 0;
        entry.nextTime = 0;
        repeats.note(entry);
      }
    },
    /**
     * The messages that are due for a repeat, with all others of the same channels, in order. One that may not leave
     * yet makes no other due: else they would be sent again at each call, for as long as it waits.
     */
    due(): Posted[] {
      const ripe = repeats.due(elapsed()).filter(mayLeave);
      const queues = new Set(ripe.map(({ queue }) => queue).filter((queue) => queue !== null));
      const alone = ripe.filter(({ queue }) => queue === null);
      return [...alone, ...[...queues].flatMap(byQueue.of)]
        .sort((a, b) => a.place - b.place)
        .filter(mayLeave);
    },
    noteSent,
  };
}

/** Whether a Processed ends the message. A request or a reveal is ended by the protocol's next message instead. */
function isEndedByProcessed({ type }: Message): boolean {
  return type !== 'SecretRequest' && type !== 'RevealSecret' && type !== 'WithdrawRequest';
}

function postedOf({ key, recipient, queue, nonce, body }: OutboxRow): Omit<Posted, 'place'> {
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
