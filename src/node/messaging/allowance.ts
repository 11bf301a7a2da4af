/**
 * Limits the work that others can cause: little for strangers, each and all together; enough for every payment for
 * partners, each separately. Honest senders repeat what is dropped.
 */
import type { Address } from '../../protocol/hex.ts';
import { createTokenBucket, type TokenBucket } from '../../protocol/token-bucket.ts';

export type Allowance = ReturnType<typeof createAllowance>;

const MIB = 1_048_576;
/** Bytes of opened payloads. A target that is no partner asks for a secret in about 400 of them. */
const STRANGER = { most: 4 * MIB, perSecond: 2 * MIB };
const ALL_STRANGERS = { most: 8 * MIB, perSecond: 4 * MIB };
/** Signatures that are checked; each check costs arithmetic on the curve. */
const PARTNER = { most: 20_000, perSecond: 5_000 };
/**
 * How many senders' buckets are kept: the sender heard longest ago is forgotten, and later starts with a full bucket.
 */
const MOST_SENDERS = 4_096;

type Options = { isPartner(address: Address): boolean; now(): number };

export function createAllowance({ isPartner, now }: Options) {
  const all = createTokenBucket({ ...ALL_STRANGERS, now });
  const strangers = createBuckets(() => createTokenBucket({ ...STRANGER, now }));
  const partners = createBuckets(() => createTokenBucket({ ...PARTNER, now }));

  return {
    /** Why this many bytes of a proven sender are not read, or null. */
    reading(sender: Address, bytes: number): string | null {
      if (isPartner(sender)) return null;
      // The sender's own bucket first: a sender that floods must not use up what the others have.
      const isTaken = strangers.of(sender).take(bytes) && all.take(bytes);
      return isTaken ? null : 'too much from strangers';
    },
    /** Why a signature inside a message is not looked at, or null. */
    checking(sender: Address): string | null {
      if (!isPartner(sender)) return 'signed by somebody without a channel';
      return partners.of(sender).take() ? null : 'too much from one partner';
    },
  };
}

function createBuckets(create: () => TokenBucket) {
  const buckets = new Map<Address, TokenBucket>();
  return {
    of(sender: Address): TokenBucket {
      const bucket = buckets.get(sender) ?? create();
      buckets.delete(sender);
      buckets.set(sender, bucket);
      const oldest = buckets.size > MOST_SENDERS ? buckets.keys().next().value : undefined;
      if (oldest !== undefined) buckets.delete(oldest);
      return bucket;
    },
  };
}
