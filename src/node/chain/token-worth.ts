/**
 * What amounts of tokens mean to this node. Anybody can make a token, open channels for it, and lock any amount: only
 * a token that the operator has named, or put into a channel, is money here, and of that only amounts that would move
 * what the node has.
 */

import type { Address } from '../../protocol/hex.ts';
import { createTally } from '../runtime/tally.ts';

/** An amount is small when it is less than one SMALL_PART-th of what this node has in the channels of its token. */
const SMALL_PART = 1_600n;
/** The operator states what so many of the smallest units of a token are worth, in wei. */
const UNITS_OF_VALUE = 10n ** 18n;

type Holding = {
  /** What this node owns in the channel while it is open, in the token's smallest unit; else 0. */
  funds: bigint;
  /** Whether this node has deposited into the channel. */
  isBacked: boolean;
};

/** `values`: for each token that the operator has named, the wei that 10^18 of its smallest units are worth. */
export function createTokenWorth(values: ReadonlyMap<Address, bigint>) {
  const funds = new Map<Address, bigint>();
  const backed = createTally<Address>();
  const isMoney = (token: Address) => values.has(token) || backed.get(token) > 0;
  const fundsIn = (token: Address) => funds.get(token) ?? 0n;

  return {
    /** What a channel of this token holds has changed; undefined: it was, or is, not there. */
    change(token: Address, before: Holding | undefined, next: Holding | undefined): void {
      const more = (next?.funds ?? 0n) - (before?.funds ?? 0n);
      if (more !== 0n) funds.set(token, fundsIn(token) + more);
      backed.add(token, Number(next?.isBacked ?? false) - Number(before?.isBacked ?? false));
    },
    /** Whether the operator has said what the token is worth, or this node has put some of it into a channel. */
    isMoney,
    /**
     * Whether little depends on this amount: a small part of what this node has in the token's open channels, or any
     * amount of a token that is no money here.
     */
    isSmall: (amount: bigint, token: Address): boolean =>
      !isMoney(token) || amount * SMALL_PART < fundsIn(token),
    /** What the amount is worth in wei; null: the operator has not said. */
    worthOf(amount: bigint, token: Address): bigint | null {
      const value = values.get(token);
      return value === undefined ? null : (amount * value) / UNITS_OF_VALUE;
    },
  };
}
