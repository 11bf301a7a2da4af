/**
 * How much a server does for calls that it does not charge. A payment that was released buys the next call, so one payment
 * could be shown without an end for answers that cost nothing. Each payer gets some of them, and one more for each that was
 * charged. Anybody can appear under many addresses: those that were never charged share what all of them get.
 */
import type { SettleResponse } from '@x402/core/types';
import { createRecent } from '../basics/recent.ts';
import { createRate, createTokenBucket } from '../basics/token-bucket.ts';
import { RELEASED } from './reasons.ts';

/** Of each payer. */
const PAYER = { most: 100, perSecond: 1 };
/** What charged calls add to that, at most: also who makes many calls at once has to wait for no answer. */
const MOST_EARNED = 1_000;
/** Of all together who were never charged. */
const STRANGERS = { most: 1_000, perSecond: 50 };
/** Payers that are remembered, those who came last. */
const MOST_PAYERS = 10_000;

/** `not_begun`: nothing was done for the call. */
type Ending = 'charged' | 'uncharged' | 'not_begun';
/** A call that is under way. Told once how it ended. */
export type Serving = { end(ending: Ending): void };
export type UnservedBounds = ReturnType<typeof createUnservedBounds>;

/** `now`: milliseconds. */
export function createUnservedBounds(now: () => number) {
  const rate = createRate({ ...PAYER, now });
  const strangers = createTokenBucket({ ...STRANGERS, now });
  const create = () => ({ level: rate.full(), earned: 0, isCustomer: false });
  const payers = createRecent({ most: MOST_PAYERS, create });

  /** Only of one who has proved to be it: invented ones would drive out those that are known. */
  const payerOf = (address: string) => payers.of(address.toLowerCase());

  return {
    /** Whether calls of this payer are refused now; nobody has proved yet to be it, and nothing is counted. */
    isOver(address: string): boolean {
      const { level, earned, isCustomer } = payers.find(address.toLowerCase()) ?? create();
      return (rate.isEmpty(level) && earned === 0) || (!isCustomer && strangers.isEmpty());
    },
    /** For a payer whose payment was redeemed. Null: its call is refused, and the payment has to be released. */
    begin(address: string): Serving | null {
      const payer = payerOf(address);
      const isStranger = !payer.isCustomer;
      if (isStranger && !strangers.take()) return null;
      const isEarned = !rate.take(payer.level);
      if (isEarned && payer.earned === 0) {
        if (isStranger) strangers.giveBack();
        return null;
      }
      if (isEarned) payer.earned--;
      return {
        end(ending) {
          if (ending === 'uncharged') return;
          if (isStranger) strangers.giveBack();
          if (isEarned) payer.earned++;
          else rate.giveBack(payer.level);
          if (ending === 'not_begun') return;
          payer.isCustomer = true;
          payer.earned = Math.min(MOST_EARNED, payer.earned + 1);
        },
      };
    },
    /** Of one whose calls are served by somebody who does not tell which of them are charged. */
    noteCustomer(address: string): void {
      payerOf(address).isCustomer = true;
    },
  };
}

/** The receipt of an answer that was not charged: the proof is good for another call. */
export const takenBack = ({
  network,
  payer = '',
}: Pick<SettleResponse, 'network' | 'payer'>): SettleResponse => ({
  ...{ success: false, errorReason: RELEASED, transaction: '' },
  network,
  payer,
});
