/**
 * The prices of gas at which something was promised, on disk: what was set aside for a promise is what it was, whatever gas
 * costs when the node starts again. A row stays until it is taken away: so the block in which it would be forgotten never comes.
 *
 * Registrations are many and short, and most of those in a channel have one price: that is a row of the channel, and only those
 * that are pending when it changes get rows of their own.
 */
import type { ForcedRow } from '../../store/base/batch.ts';
import { LOWEST_PRICE } from './gas/gas-reserve.ts';

const [FOREVER, NO_LONGER] = [2n ** 52n, 0n];
const [OF_CHANNEL, OF_ONE] = ['claims ', 'claim '] as const;

export type ClaimPrices = ReturnType<typeof createClaimPrices>;

/** The price as a row keeps it, in wei for a unit of gas: in whole parts of the lowest one that is believed. */
export const keptPrice = (price: bigint): bigint =>
  ((price + LOWEST_PRICE - 1n) / LOWEST_PRICE) * LOWEST_PRICE;

/** `price`: null: it is promised no more. */
export const priceRow = (account: ForcedRow['account'], price: bigint | null): ForcedRow => ({
  account,
  fullBlock: price === null ? NO_LONGER : FOREVER + keptPrice(price) / LOWEST_PRICE,
});

/** The prices in the rows whose accounts begin so, by the rest of the account. */
export function pricesIn(rows: readonly ForcedRow[], prefix: string): Map<string, bigint> {
  const found = rows.filter(({ account }) => account.startsWith(prefix));
  return new Map(
    found.map(({ account, fullBlock }) => [
      account.slice(prefix.length),
      (fullBlock - FOREVER) * LOWEST_PRICE,
    ]),
  );
}

/** `rows`: of the process before. */
export function createClaimPrices(rows: readonly ForcedRow[]) {
  const ofChannel = pricesIn(rows, OF_CHANNEL);
  const ofOne = pricesIn(rows, OF_ONE);
  /** The open claims in each channel. */
  const open = new Map<string, Set<string>>();
  const unwritten = new Map<ForcedRow['account'], bigint | null>();

  return {
    /** The price at which a claim was promised, in wei for a unit of gas; 0: not known. */
    of: (actor: string, channel: string): bigint =>
      ofOne.get(actor) ?? ofChannel.get(channel) ?? 0n,
    /** A claim is open, promised at this price; may be called again. */
    begin(actor: string, channel: string, price: bigint): void {
      const others = open.get(channel) ?? new Set();
      const known = ofChannel.get(channel);
      if (price > 0n && known !== price && ofOne.get(actor) !== price) {
        for (const other of others) {
          if (other === actor || ofOne.has(other) || known === undefined) continue;
          ofOne.set(other, known);
          unwritten.set(`${OF_ONE}${other}`, known);
        }
        ofChannel.set(channel, price);
        unwritten.set(`${OF_CHANNEL}${channel}`, price);
      }
      open.set(channel, others.add(actor));
    },
    end(actor: string, channel: string): void {
      open.get(channel)?.delete(actor);
      if (ofOne.delete(actor)) unwritten.set(`${OF_ONE}${actor}`, null);
    },
    /** The channel is gone. */
    remove(channel: string): void {
      open.delete(channel);
      if (ofChannel.delete(channel)) unwritten.set(`${OF_CHANNEL}${channel}`, null);
    },
    /** The rows that are not as before, since this was asked last. */
    changed(): ForcedRow[] {
      const changed = [...unwritten].map(([account, price]) => priceRow(account, price));
      unwritten.clear();
      return changed;
    },
  };
}
