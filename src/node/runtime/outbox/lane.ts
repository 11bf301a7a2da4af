/**
 * The messages that wait together: those of a channel, in the order of their nonces, or those to one recipient that belong
 * to no channel. A lane has one timer. When it runs out, only the oldest message of a channel is repeated, since its partner
 * then says what else it lacks: a partner that is slow or away is not sent everything again and again.
 *
 * Outside of channels nobody says that, and the oldest may never be answered: anybody can name anybody as the initiator of a
 * lock, who then is asked for a secret that it does not have. So each of these messages has pauses of its own.
 */
import type { Address } from '../../../basics/hex.ts';
import type { Posted } from './posted.ts';

export type Lane = {
  to: Address;
  queue: string | null;
  /** The oldest first. */
  entries: Set<Posted>;
  bytes: number;
  /** When to look at the lane again; Infinity: nothing in it was sent. */
  nextTime: number;
  /** In a channel: how often the timer has run out since an answer of the partner was measured. */
  repeats: number;
  /** How often in a row nothing could be sealed for the recipient. */
  unsealable: number;
  /** When to try that again. */
  unsealableUntil: number;
  /** What was sent before this and only once is lost: the recipient has answered what was sent later. */
  lostBefore: number;
};

export const newLane = (to: Address, queue: string | null, repeats: number): Lane => ({
  to,
  queue,
  entries: new Set(),
  bytes: 0,
  nextTime: Number.POSITIVE_INFINITY,
  repeats,
  unsealable: 0,
  unsealableUntil: 0,
  lostBefore: Number.NEGATIVE_INFINITY,
});

/** Whether the message carries a balance proof: the recipient takes such messages only in their order. */
export const isProof = ({ message }: Posted): boolean => 'locksroot' in message;

/**
 * A withdraw request waits for the balance proofs before it: had it overtaken one whose tokens came back since, the
 * partner would refuse that balance proof for ever.
 */
export function isHeld({ entries }: Lane, { message }: Posted): boolean {
  if (message.type !== 'WithdrawRequest') return false;
  for (const { message: other } of entries)
    if ('locksroot' in other && other.nonce < message.nonce) return true;
  return false;
}

/** The messages that could be sent now, in their order. */
export function* sendable(lane: Lane): Generator<Posted> {
  for (const entry of lane.entries)
    if (entry.isStored && !entry.isLeaving && !isHeld(lane, entry)) yield entry;
}

/** Most that is sent again at a time: what a lost payload held, not all that a silent partner lets pile up. */
const MOST_AT_ONCE = 128;
const MOST_BYTES_AT_ONCE = 262_144;

/** As many of these messages as may be sent at a time, in their order. */
export function* slice(entries: Iterable<Posted>): Generator<Posted> {
  let count = 0;
  let bytes = 0;
  for (const entry of entries) {
    count += 1;
    bytes += entry.size;
    if (count > MOST_AT_ONCE || (count > 1 && bytes > MOST_BYTES_AT_ONCE)) return;
    yield entry;
  }
}

/** Whether the recipient has answered what was sent clearly later. */
export const isLost = (lane: Lane, { sends, sentAt }: Posted): boolean =>
  sends === 1 && sentAt !== null && sentAt < lane.lostBefore;

/** So small a part of its age. */
const AGE_PART = 8;
/**
 * Milliseconds that a message outside of channels waits at least, by how long it was repeated in vain: a lock that somebody
 * merely holds may last for hours, and is asked for ever more seldom. In a channel: 0.
 */
export const leastPause = ({ queue, firstSentAt, sentAt }: Posted): number =>
  queue === null ? ((sentAt ?? 0) - (firstSentAt ?? 0)) / AGE_PART : 0;

/** Whether something that was held back, or was lost, can leave now. */
export function hasUnsent(lane: Lane): boolean {
  for (const entry of sendable(lane)) {
    if (entry.sends === 0 || isLost(lane, entry)) return true;
    // What comes after it was sent later still, or waits for something else.
    if (isProof(entry) || (lane.queue === null && entry.sends === 1)) return false;
  }
  return false;
}

/**
 * What of the lane is to be sent because its time has come: what never left, what was lost, and what was sent too long ago;
 * in a channel only the oldest of that. `pauseOf`: milliseconds after which a message is late.
 */
export function* ripe(
  lane: Lane,
  now: number,
  pauseOf: (entry: Posted) => number,
): Generator<Posted> {
  let mayBeLate = true;
  for (const entry of sendable(lane)) {
    const { sends, sentAt } = entry;
    const isLate = mayBeLate && (sentAt === null || sentAt <= now - pauseOf(entry));
    if (sends === 0 || isLate || isLost(lane, entry)) yield entry;
    if (lane.queue !== null && sends > 0) mayBeLate = false;
  }
}
