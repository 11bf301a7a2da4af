/**
 * What an echo node answers to a payment. Source: API document, Events, "A test-network echo node".
 *
 * What the document leaves open is decided so:
 * - Tokens are worlds of their own: "consecutive" and the lottery are counted for each token.
 * - A payment is consecutive to the payer's own last one, whoever paid in between; of three equal ones in a
 *   row the second and the third are ignored.
 * - What counts is the amount that arrived, with what is left of a fee margin.
 * - The first rule comes first: an ignored payment is no entry, and none is answered with its number.
 * - An entrant is answered only by winning. The winner gets the 49 for the own entry: its identifier + 49.
 *   The seventh entrant takes part in the draw. Who enters again gets no second ticket.
 * - An identifier above 2^64-1 goes on at 1: there is no larger one, and 0 is none.
 * - No echo is 0: the smallest amount divisible by 3 is answered with 2.
 * - Two echo nodes that pay each other go on for ever, as the rules demand.
 */
import { MAX_UINT64 } from '../../protocol/amount.ts';
import type { Address } from '../../protocol/hex.ts';

/** A payment that arrived. `time` is milliseconds since 1970. */
export type Received = {
  token: Address;
  initiator: Address;
  amount: bigint;
  paymentId: bigint;
  time: number;
};
/** A payment that is due. `time` is that of the payment which made it due. */
export type Echo = {
  token: Address;
  target: Address;
  amount: bigint;
  paymentId: bigint;
  time: number;
};

/** The entries of the lottery that is open; `round` counts those that were drawn before. */
export type Lottery = { token: Address; round: number; entries: readonly Received[] };
/** The place of the winner among the entries. The same lottery must give the same winner, always. */
export type Draw = (lottery: Lottery) => number;

const ENTRY = 7n;
const PRIZE = 49n;
const ENTRIES = 7;

/** Whether it repeats the payer's last payment in its token. */
export function isRepeated(
  payment: Pick<Received, 'amount' | 'paymentId'>,
  last: Pick<Received, 'amount' | 'paymentId'> | undefined,
): boolean {
  return last?.paymentId === payment.paymentId && last.amount === payment.amount;
}

/** The echo of a payment that was not ignored, or null when it waits for the draw; and the lottery after it. */
export function answer(
  payment: Received,
  lottery: Lottery,
  draw: Draw,
): { echo: Echo | null; lottery: Lottery } {
  const { amount } = payment;
  if (amount % 3n === 0n) return { echo: echoOf(payment, amount - 1n), lottery };
  return amount === ENTRY
    ? enter(payment, lottery, draw)
    : { echo: echoOf(payment, amount), lottery };
}

function enter(payment: Received, lottery: Lottery, draw: Draw) {
  const { token, round } = lottery;
  if (lottery.entries.some(({ initiator }) => initiator === payment.initiator))
    return { echo: echoOf(payment, BigInt(lottery.entries.length)), lottery };
  const entries = [...lottery.entries, payment];
  if (entries.length < ENTRIES) return { echo: null, lottery: { token, round, entries } };
  const winner = entries[draw({ token, round, entries })];
  if (winner === undefined) throw new Error('nobody was drawn');
  // It becomes due with the last entry, however long ago the winner's was.
  const echo = echoOf({ ...winner, time: payment.time }, PRIZE);
  return { echo, lottery: { token, round: round + 1, entries: [] } };
}

function echoOf({ token, initiator: target, paymentId, time }: Received, amount: bigint): Echo {
  return { token, target, amount, paymentId: echoIdentifier(paymentId, amount), time };
}

/** `paymentId` + `amount`, counted on from 1 behind 2^64-1. */
export function echoIdentifier(paymentId: bigint, amount: bigint): bigint {
  return ((paymentId + amount - 1n) % MAX_UINT64) + 1n;
}

/** Echoes of this name look alike on the wire and in the history. */
export function echoName({ token, target, paymentId, amount }: Omit<Echo, 'time'>): string {
  return `${token}:${target}:${paymentId}:${amount}`;
}
