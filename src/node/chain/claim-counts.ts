/** How many secrets may have to be registered, by what the limits go by: channel, partner and time. */
import type { Address } from '../../basics/hex.ts';
import { createTally } from '../../basics/tally.ts';
import type { Claim } from './claims.ts';

/** A claim with what was decided when it began, because that may change while it is pending. */
export type CountedClaim = Claim & {
  /** Whether its amount means little to this node. */
  isSmall: boolean;
  /** Whether it is not worth the gas of its registration. */
  isDust: boolean;
  /** Whether something was promised for the lock, which may be on chain by now and is not paid. */
  isKept: boolean;
  /** Whether its payer is a partner with whom this node has put no money into a channel. */
  isStranger: boolean;
  /** The price of a unit of gas when it was promised, and what is set aside for its registration while it is open, in wei. */
  price: bigint;
  wei: bigint;
};
/** How many there are, and how many of them are small. */
export type Count = { all: number; small: number };
/** What is set aside, in wei; and of it, for locks that mean little. */
export type Aside = { all: bigint; small: bigint };
/** How many there are of each reveal timeout. */
export type ByTimeout = readonly (readonly [bigint, number])[];

const NOTHING: Aside = { all: 0n, small: 0n };

export type ClaimCounts = ReturnType<typeof createClaimCounts>;

export function createClaimCounts() {
  const ofChannel = createCounts<string>();
  const ofPartner = createCounts<Address>();
  const byTimeout = createCounts<bigint>();
  const kept = createTally<string>();
  const forced = createTally<Address>();
  const unforced = createCounts<Address | 'strangers'>();
  const aside = new Map<string, Aside>();

  function setAside({ channel, wei, isSmall }: CountedClaim, sign: 1 | -1): void {
    const { all, small } = aside.get(channel) ?? NOTHING;
    const more = BigInt(sign) * wei;
    aside.set(channel, { all: all + more, small: isSmall ? small + more : small });
    if (ofChannel.get(channel).all === 0) aside.delete(channel);
  }

  return {
    /** Counts the claim (`sign` 1), or counts it no more. */
    add(claim: CountedClaim, sign: 1 | -1): void {
      const { channel, partner, revealTimeout, isOpen, isForced, isKept, isSmall, isStranger } =
        claim;
      if (isKept) kept.add(channel, sign);
      if (isForced) forced.add(partner, sign);
      if (!isOpen) return;
      ofChannel.add(channel, isSmall, sign);
      setAside(claim, sign);
      ofPartner.add(partner, isSmall, sign);
      byTimeout.add(revealTimeout, isSmall, sign);
      if (isForced) return;
      unforced.add(partner, isSmall, sign);
      if (isStranger) unforced.add('strangers', isSmall, sign);
    },
    /** Secrets that may still have to be registered: for locks in this channel, or of this partner. */
    inChannel: ofChannel.get,
    of: ofPartner.get,
    /** What is set aside for those in this channel. */
    asideIn: (channel: string): Aside => aside.get(channel) ?? NOTHING,
    /** Locks in this channel that are not paid yet, whatever became of their secrets. */
    keptIn: kept.get,
    byTimeout: (): ByTimeout => byTimeout.all.entries(),
    smallByTimeout: (): ByTimeout => byTimeout.small.entries(),
    /** Locks of the partner whose secrets this node had to register on chain, and that are not paid yet. */
    forcedBy: forced.get,
    /** Locks of the partner, or of all strangers, whose secrets this node has not begun to register. */
    unforcedOf: unforced.get,
  };
}

function createCounts<K>() {
  const all = createTally<K>();
  const small = createTally<K>();
  return {
    all,
    small,
    add(key: K, isSmall: boolean, sign: 1 | -1): void {
      all.add(key, sign);
      if (isSmall) small.add(key, sign);
    },
    get: (key: K): Count => ({ all: all.get(key), small: small.get(key) }),
  };
}
