/**
 * Limits the work that others can cause: little for strangers, each and all together; enough for every payment for
 * partners, each separately. Honest senders repeat what is dropped.
 */
import type { Address } from '../../basics/hex.ts';
import { createRecent } from '../../basics/recent.ts';
import { createRate, createTokenBucket } from '../../basics/token-bucket.ts';
import { type Bounded, type BoundName, type Bounds, USUAL } from '../runtime/knowledge/bounds.ts';

export type Allowance = ReturnType<typeof createAllowance>;

type Limit = { most: number; perSecond: number };

/** How much of each is taken at once, and again in each second. */
function ratesOf({ strangerBytes, partnerChanges, syncs }: Bounds) {
  return {
    // Bytes of opened payloads. A target that is no partner asks for a secret in about 400 of them.
    stranger: { most: strangerBytes, perSecond: strangerBytes / 2 },
    allStrangers: { most: 2 * strangerBytes, perSecond: strangerBytes },
    // Signatures that are checked, and changes under them: the one costs arithmetic on the curve, the others begin payments.
    partner: { most: partnerChanges, perSecond: partnerChanges / 4 },
    // A few at a meeting, one for each gap that a lost payload left. Each that is heard costs a check, and may make this node
    // send again what waits.
    syncs: { most: syncs, perSecond: syncs / 2 },
  };
}
/** How many senders, or channels, are remembered: one that was forgotten begins anew. */
const MOST_KEPT = 4_096;

/** `bounds` absent: the usual ones. */
type Options = { isPartner(address: Address): boolean; now(): number; bounds?: Bounded };

export function createAllowance({ isPartner, now, bounds = USUAL }: Options) {
  const rates = ratesOf(bounds.of);
  const all = createTokenBucket({ ...rates.allStrangers, now });
  function bucketsOf(limit: Limit) {
    const rate = createRate({ ...limit, now });
    const levels = createRecent({ most: MOST_KEPT, create: (_: string) => rate.full() });
    return { take: (key: string, count?: number) => rate.take(levels.of(key), count) };
  }
  const strangers = bucketsOf(rates.stranger);
  const partners = bucketsOf(rates.partner);
  const heard = bucketsOf(rates.syncs);
  const said = bucketsOf(rates.syncs);

  function refused(bound: BoundName, reason: string): string {
    bounds.met(bound);
    return reason;
  }

  return {
    /** Why this many bytes of a proven sender are not read, or null. */
    reading(sender: Address, bytes: number): string | null {
      if (isPartner(sender)) return null;
      // The sender's own bucket first: a sender that floods must not use up what the others have.
      const isTaken = strangers.take(sender, bytes) && all.take(bytes);
      return isTaken ? null : refused('strangerBytes', 'too much from strangers');
    },
    /** Why a signature inside a message, which covers so many changes, is not looked at, or null. */
    checking(sender: Address, changes = 1): string | null {
      if (!isPartner(sender)) return 'signed by somebody without a channel';
      return partners.take(sender, changes)
        ? null
        : refused('partnerChanges', 'too much from one partner');
    },
    /** Why a Sync that a partner sent for this channel is not looked at, or null. */
    hearing: (channel: string): string | null =>
      heard.take(channel) ? null : refused('syncs', 'too many Syncs for one channel'),
    /** Whether a Sync for this channel may be sent. */
    saying: (channel: string): boolean => said.take(channel),
  };
}
