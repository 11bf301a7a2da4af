/**
 * Bounds of what others can make a node hold and spend. No operator sets them; a simulation makes them small, so that they
 * are met in networks of a few nodes.
 */
import { secretsPerBlock } from '../../../chain/queue/secret-batches.ts';

const MIB = 1_048_576;

export const USUAL_BOUNDS = {
  /** Messages of a channel without acknowledgement. All 160 locks and their ends are 320 at most. */
  waitingRows: 480,
  /** The bytes of these messages. */
  waitingBytes: MIB,
  /** Registrations of secrets that one partner may cost: twice what a channel can have pending. */
  partnerRegistrations: 320,
  /** The same of all partners together with whom the node has put no money into a channel. */
  strangerRegistrations: 1_600,
  /** The same of a token that is no money here. */
  tokenRegistrations: 20,
  /** Secrets that are shown late and paid for off chain. */
  lateSecrets: 80,
  /** Secrets that can be counted on to be registered in one block. */
  secretsPerBlock: secretsPerBlock(),
  /** Bytes of opened payloads of one stranger at a time; all strangers together have twice as many. */
  strangerBytes: 4 * MIB,
  /** Changes of one partner at a time, whose signatures are checked. */
  partnerChanges: 20_000,
  /** Syncs that are heard of a channel at a time, and said in it. */
  syncs: 20,
  /** Bytes that wait of one sender before they are read; all senders together have 16 times as many. */
  heldBytes: 4 * MIB,
};
export type BoundName = keyof typeof USUAL_BOUNDS;
export type Bounds = Readonly<Record<BoundName, number>>;
/** `met`: to be called when something is refused because of the bound. */
export type Bounded = { of: Bounds; met(bound: BoundName): void };

export const USUAL: Bounded = { of: USUAL_BOUNDS, met() {} };

/** Of the node's settings and parts. */
export function boundsFrom(
  { bounds }: { bounds?: Partial<Bounds> },
  { onBound }: { onBound?: (bound: BoundName) => void },
): Bounded {
  return { of: { ...USUAL_BOUNDS, ...bounds }, met: (bound) => onBound?.(bound) };
}
