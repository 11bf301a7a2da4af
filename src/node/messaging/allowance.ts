/**
 * Limits the work that others can cause: little for strangers, each and all together; enough for every payment for
 * partners, each separately. Honest senders repeat what is dropped.
 */
import type { Address } from '../../basics/hex.ts';
import { createRecent } from '../../basics/recent.ts';
import { createRate, createTokenBucket } from '../../basics/token-bucket.ts';

export type Allowance = ReturnType<typeof createAllowance>;

const MIB = 1_048_576;
/** Bytes of opened payloads. A target that is no partner asks for a secret in about 400 of them. */
const STRANGER = { most: 4 * MIB, perSecond: 2 * MIB };
const ALL_STRANGERS = { most: 8 * MIB, perSecond: 4 * MIB };
/** Signatures that are checked, and changes under them: the one costs arithmetic on the curve, the others begin payments. */
const PARTNER = { most: 20_000, perSecond: 5_000 };
/**
 * Syncs that are heard of a channel, and said in it: a few at a meeting, one for each gap that a lost payload left. Each
 * that is heard costs a check, and may make this node send again what waits.
 */
const SYNCS = { most: 20, perSecond: 10 };
/** How many senders, or channels, are remembered: one that was forgotten begins anew. */
const MOST_KEPT = 4_096;

type Options = { isPartner(address: Address): boolean; now(): number };

export function createAllowance({ isPartner, now }: Options) {
  const all = createTokenBucket({ ...ALL_STRANGERS, now });
  function bucketsOf(limit: typeof STRANGER) {
    const rate = createRate({ ...limit, now });
    const levels = createRecent({ most: MOST_KEPT, create: (_: string) => rate.full() });
    return { take: (key: string, count?: number) => rate.take(levels.of(key), count) };
  }
  const strangers = bucketsOf(STRANGER);
  const partners = bucketsOf(PARTNER);
  const heard = bucketsOf(SYNCS);
  const said = bucketsOf(SYNCS);

  return {
    /** Why this many bytes of a proven sender are not read, or null. */
    reading(sender: Address, bytes: number): string | null {
      if (isPartner(sender)) return null;
      // The sender's own bucket first: a sender that floods must not use up what the others have.
      const isTaken = strangers.take(sender, bytes) && all.take(bytes);
      return isTaken ? null : 'too much from strangers';
    },
    /** Why a signature inside a message, which covers so many changes, is not looked at, or null. */
    checking(sender: Address, changes = 1): string | null {
      if (!isPartner(sender)) return 'signed by somebody without a channel';
      return partners.take(sender, changes) ? null : 'too much from one partner';
    },
    /** Why a Sync that a partner sent for this channel is not looked at, or null. */
    hearing: (channel: string): string | null =>
      heard.take(channel) ? null : 'too many Syncs for one channel',
    /** Whether a Sync for this channel may be sent. */
    saying: (channel: string): boolean => said.take(channel),
  };
}
