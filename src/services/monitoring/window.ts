/** When a monitoring service may act after a close. Source: protocol section 5.8. */
import type { Address } from '../../basics/hex.ts';

type Closed = {
  /** The last block in which the channel cannot be settled yet. */
  settleBlock: bigint;
  closing: Address;
  nonClosing: Address;
};

/**
 * The first block whose transactions may call `monitor`: the contract assumes that the channel was closed the network's
 * shortest timeout before the settle block, waits 30 % of that timeout, and gives each service its turn by an offset
 * below 50 %.
 */
export function firstBlockAllowed(
  { settleBlock, closing, nonClosing }: Closed,
  shortestTimeout: bigint,
  service: Address,
): bigint {
  const spread = (shortestTimeout * 50n) / 100n;
  const addresses = BigInt(closing) + BigInt(nonClosing) + BigInt(service);
  const offset = spread === 0n ? 0n : addresses % spread;
  return settleBlock - shortestTimeout + (shortestTimeout * 30n) / 100n + offset;
}

/** Blocks that a transaction may take to be mined after the close is confirmed. */
const TIME_TO_ACT = 3n;

/** Whether a close of the shortest timeout is confirmed early enough to be answered before the settlement. */
export function isInTime(shortestTimeout: bigint, confirmations: bigint): boolean {
  return confirmations + TIME_TO_ACT <= shortestTimeout;
}

/** Blocks after a confirmed close in which a request for the channel is still taken. */
const LATE_REQUEST = 10n;

export function takesRequests(closeBlock: bigint, confirmedBlock: bigint): boolean {
  return confirmedBlock <= closeBlock + LATE_REQUEST;
}
