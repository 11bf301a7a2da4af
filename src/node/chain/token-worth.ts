/**
 * What amounts of tokens mean to this node. Anybody can make a token, open channels for it, lock any amount, and deposit
 * on this node's side: only a token that the operator has named, put into a channel himself, or used, is money here, and
 * of that only amounts that would move what the node has.
 */

import { larger } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';
import type { GasMoney } from './gas/gas-watch.ts';

/**
 * An amount is small when it is less than one SMALL_PART-th of what this node has in the channels of its token, or has put
 * into them: whoever has spent everything has not come to value a single unit.
 */
const SMALL_PART = 1_600n;
/** The operator states what so many of the smallest units of a token are worth, in wei. */
const UNITS_OF_VALUE = 10n ** 18n;
/**
 * What all that this node has of a token counts for in wei where the operator has not said: then an amount that is not
 * small is worth a registration at 10 gwei.
 */
const GUESSED = 10n ** 18n;

type Holding = {
  /** What this node owns in the channel until it is settled, in the token's smallest unit; else 0. */
  funds: bigint;
  /** What this node itself has deposited into the channel, in the same. */
  funded: bigint;
};

export type WorthOptions = {
  /** For each token that the operator has named, the wei that 10^18 of its smallest units are worth. */
  values?: ReadonlyMap<Address, bigint>;
  /** What the account can spend, and what a unit of gas costs; null: not known. */
  money?(): GasMoney | null;
};

export type TokenWorth = ReturnType<typeof createTokenWorth>;

export function createTokenWorth({ values = new Map(), money = () => null }: WorthOptions) {
  const funds = new Map<Address, bigint>();
  const deposits = new Map<Address, bigint>();
  const chosen = new Set<Address>();
  const sumIn = (sums: ReadonlyMap<Address, bigint>, token: Address) => sums.get(token) ?? 0n;
  const isMoney = (token: Address) =>
    values.has(token) || chosen.has(token) || sumIn(deposits, token) > 0n;

  const worthOf = (amount: bigint, token: Address): bigint | null => {
    const value = values.get(token);
    return value === undefined ? null : (amount * value) / UNITS_OF_VALUE;
  };
  /** Null: of such a token no amount means anything. */
  const held = (token: Address): bigint | null =>
    isMoney(token) ? larger(sumIn(funds, token), sumIn(deposits, token)) || null : null;
  const isSmall = (amount: bigint, token: Address): boolean => {
    const most = held(token);
    return most === null || amount * SMALL_PART < most;
  };

  return {
    /** What a channel of this token holds has changed; undefined: it was, or is, not there. */
    change(token: Address, before: Holding | undefined, next: Holding | undefined): void {
      add(funds, token, (next?.funds ?? 0n) - (before?.funds ?? 0n));
      add(deposits, token, (next?.funded ?? 0n) - (before?.funded ?? 0n));
    },
    /** The operator has opened a channel, paid or sold for the token. */
    choose: (token: Address): void => void chosen.add(token),
    isChosen: (token: Address): boolean => chosen.has(token),
    /** Whether the operator has shown by his word or deed that the token is worth something to him. */
    isMoney,
    /**
     * Whether little depends on this amount: a small part of what this node has or had in the token's channels, or any
     * amount of a token that is no money here.
     */
    isSmall,
    /** What the amount is worth in wei; null: the operator has not said. */
    worthOf,
    /** The same, with a guess by what this node has of the token: so that amounts of all tokens can be compared. */
    guessOf(amount: bigint, token: Address): bigint {
      const most = held(token);
      return worthOf(amount, token) ?? (most === null ? 0n : (amount * GUESSED) / most);
    },
    /**
     * Whether the amount is worth so much gas: by the operator's word, else if it is not small. Null: nobody knows what gas
     * costs now.
     */
    isWorth(amount: bigint, token: Address, gas: bigint): boolean | null {
      const value = worthOf(amount, token);
      if (value === null) return !isSmall(amount, token);
      const price = money()?.price;
      return price === undefined ? null : amount > 0n && value >= gas * price;
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
