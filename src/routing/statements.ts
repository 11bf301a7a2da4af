/**
 * Whether a node's statement about a channel counts, for a path-finding service and for a node that keeps a copy of
 * the network. Pure: signatures and the clock are checked elsewhere.
 */
import type { Address } from '../basics/hex.ts';
import { microsecondsOf } from '../basics/timestamp.ts';
import type { CapacityUpdate, FeeUpdate } from '../protocol/services/pfs-update.ts';

/** The nonces of both sides as one participant last stated them: its own first. */
type Nonces = { updatingNonce: bigint; otherNonce: bigint };
/** What is kept of the newest statements of one participant. */
export type StatedOf = {
  nonces: Nonces | null;
  /** The time of its newest fees, in microseconds since 1970. */
  feeTime: bigint | null;
};
/** Furthest that the clock of a node may be ahead, in microseconds. Protocol section 7.2. */
const MOST_AHEAD = 3_600_000_000n;

/** Whether the participants that a statement names are those of the channel. */
export function isOfChannel(
  { updatingParticipant: own, otherParticipant: other }: Participants,
  [one, two]: readonly [Address, Address],
): boolean {
  if (other === undefined) return own === one || own === two;
  return (own === one && other === two) || (own === two && other === one);
}
type Participants = { updatingParticipant: Address; otherParticipant?: Address };

/**
 * The nonces that a participant sees only grow, so a statement with a lower one is old: somebody repeats it, or a
 * newer one overtook it. Of several statements with the same nonces the last one counts, since deposits change no
 * nonce. So between two payments a third party can bring back what was stated before a deposit or a withdraw, until
 * the next statement. That hides capacity or shows too much of it, and costs at most a failed try.
 */
export function capacityRefusal(
  { updatingNonce, otherNonce }: CapacityUpdate,
  { nonces }: StatedOf,
): 'stale' | null {
  if (nonces === null) return null;
  const isOld = updatingNonce < nonces.updatingNonce || otherNonce < nonces.otherNonce;
  return isOld ? 'stale' : null;
}

/** `now`: milliseconds since 1970. */
export function feeRefusal(
  { timestamp }: FeeUpdate,
  { feeTime }: StatedOf,
  now: number,
): 'stale' | 'from_the_future' | null {
  const time = microsecondsOf(timestamp);
  if (time > BigInt(now) * 1_000n + MOST_AHEAD) return 'from_the_future';
  return feeTime !== null && time <= feeTime ? 'stale' : null;
}
