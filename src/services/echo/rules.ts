/**
 * What an echo node answers to a payment. Source: API document, Events, "A test-network echo node".
 *
 * What the document leaves open is decided as follows:
 * - Tokens are separate: "consecutive" payments and the lottery are counted for each token.
 * - A payment is consecutive to the same payer's previous one, even if others paid in between; of three equal payments
 *   in a row the second and the third are ignored.
 * - What counts is the amount that arrived, including the rest of a fee margin.
 * - The first rule has precedence: an ignored payment is no entry in the lottery, and is not answered with the number
 *   of entries.
 * - An entrant is answered only by winning. The winner gets the 49 for its own entry, with that entry's identifier +
 *   49. The seventh entrant takes part in the draw. Entering again gives no second ticket.
 * - Identifiers above 2^64-1 continue at 1: there is no larger one, and 0 is not an identifier.
 * - No echo is 0: the smallest amount divisible by 3 is answered with 2.
 * - Two echo nodes that pay each other go on for ever, as the rules demand.
 */
import { MAX_UINT64 } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';

/** A payment that arrived. `time` is milliseconds since 1970. */
export type Received = {
  token: Address;
  initiator: Address;
  amount: bigint;
  paymentId: bigint;
  time: number;
};
/** An echo that is due. `time` is the time of the payment that made it due. */
export type Echo = {
  token: Address;
  target: Address;
  amount: bigint;
  paymentId: bigint;
  time: number;
};

/** The entries of the open lottery; `round` counts the lotteries drawn before it. */
export type Lottery = { token: Address; round: number; entries: readonly Received[] };
/** Gives the winner's place among the entries. The same lottery must always give the same winner. */
export type LotteryDraw = (lottery: Lottery) => number;

const ENTRY = 7n;
const PRIZE = 49n;
const ENTRIES = 7;

/** Whether the payment repeats the payer's previous one in the same token. */
export function isRepeated(
  payment: Pick<Received, 'amount' | 'paymentId'>,
  last: Pick<Received, 'amount' | 'paymentId'> | undefined,
): boolean {
  return last?.paymentId === payment.paymentId && last.amount === payment.amount;
}

/** The echo of a payment that was not ignored, null when it waits for the draw; and the lottery after the payment. */
export function echoAfter(
  payment: Received,
  lottery: Lottery,
  draw: LotteryDraw,
): { echo: Echo | null; lottery: Lottery } {
  const { amount } = payment;
  if (amount % 3n === 0n) return { echo: echoOf(payment, amount - 1n), lottery };
  return amount === ENTRY
    ? enter(payment, lottery, draw)
    : { echo: echoOf(payment, amount), lottery };
}

function enter(payment: Received, lottery: Lottery, draw: LotteryDraw) {
  const { token, round } = lottery;
  if (lottery.entries.some(({ initiator }) => initiator === payment.initiator))
    return { echo: echoOf(payment, BigInt(lottery.entries.length)), lottery };
  const entries = [...lottery.entries, payment];
  if (entries.length < ENTRIES) return { echo: null, lottery: { token, round, entries } };
  const winner = entries[draw({ token, round, entries })];
  if (winner === undefined) throw new Error('nobody was drawn');
  // The prize becomes due with the last entry, however long ago the winner entered.
  const echo = echoOf({ ...winner, time: payment.time }, PRIZE);
  return { echo, lottery: { token, round: round + 1, entries: [] } };
}

function echoOf({ token, initiator: target, paymentId, time }: Received, amount: bigint): Echo {
  return { token, target, amount, paymentId: echoIdentifier(paymentId, amount), time };
}

/** `paymentId` + `amount`; numbers above 2^64-1 continue at 1. */
export function echoIdentifier(paymentId: bigint, amount: bigint): bigint {
  return ((paymentId + amount - 1n) % MAX_UINT64) + 1n;
}

/** A name for echoes that look alike as payments and in the history. */
export function echoName({ token, target, paymentId, amount }: Omit<Echo, 'time'>): string {
  return `${token}:${target}:${paymentId}:${amount}`;
}
