/**
 * What amounts of tokens mean to this node. Anybody can make a token, open channels for it, and lock any amount: only
 * a token that the operator has named, or put into a channel, is money here, and of that only amounts that would move
 * what the node has.
 */

import type { Address } from '../../basics/hex.ts';

/**
 * An amount is small when it is less than one SMALL_PART-th of what this node has in the channels of its token, or has put
 * into them: whoever has spent everything has not come to value a single unit.
 */
const SMALL_PART = 1_600n;
/** The operator states what so many of the smallest units of a token are worth, in wei. */
const UNITS_OF_VALUE = 10n ** 18n;

type Holding = {
  /** What this node owns in the channel while it is open, in the token's smallest unit; else 0. */
  funds: bigint;
  /** What this node has deposited into the channel in all, in the same. */
  deposited: bigint;
};

/** `values`: for each token that the operator has named, the wei that 10^18 of its smallest units are worth. */
export function createTokenWorth(values: ReadonlyMap<Address, bigint>) {
  const funds = new Map<Address, bigint>();
  const deposits = new Map<Address, bigint>();
  const sumIn = (sums: ReadonlyMap<Address, bigint>, token: Address) => sums.get(token) ?? 0n;
  const isMoney = (token: Address) => values.has(token) || sumIn(deposits, token) > 0n;

  return {
    /** What a channel of this token holds has changed; undefined: it was, or is, not there. */
    change(token: Address, before: Holding | undefined, next: Holding | undefined): void {
      add(funds, token, (next?.funds ?? 0n) - (before?.funds ?? 0n));
      add(deposits, token, (next?.deposited ?? 0n) - (before?.deposited ?? 0n));
    },
    /** Whether the operator has said what the token is worth, or this node has put some of it into a channel. */
    isMoney,
    /**
     * Whether little depends on this amount: a small part of what this node has or had in the token's channels, or any
     * amount of a token that is no money here.
     */
    isSmall(amount: bigint, token: Address): boolean {
      const part = amount * SMALL_PART;
      return !isMoney(token) || part < sumIn(funds, token) || part < sumIn(deposits, token);
    },
    /** What the amount is worth in wei; null: the operator has not said. */
    worthOf(amount: bigint, token: Address): bigint | null {
      const value = values.get(token);
      return value === undefined ? null : (amount * value) / UNITS_OF_VALUE;
    },
  };
}

/** A sum of 0 is removed. */
function add(sums: Map<Address, bigint>, token: Address, more: bigint): void {
  if (more === 0n) return;
  const sum = (sums.get(token) ?? 0n) + more;
  if (sum === 0n) sums.delete(token);
  else sums.set(token, sum);
}
