/** How a contract reverts, and Solidity's checked arithmetic, which reverts by itself. */
import { encodeErrorResult } from 'viem';
import { MAX_UINT256 } from '../../../basics/amount.ts';
import type { Hex } from '../../../basics/hex.ts';

const ERRORS = [
  { type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
] as const;
const OVERFLOW = 0x11n;

/**
 * Ends the whole transaction, as on the chain: nothing in between catches it. `reason`: null when the contract
 * gives none.
 */
export class Revert extends Error {
  readonly reason: string | null;
  readonly data: Hex;

  constructor(reason: string | null, data: Hex) {
    super(reason ?? 'no reason');
    this.reason = reason;
    this.data = data;
  }
}

/** What `require` does. */
export function demand(condition: boolean, reason: string): void {
  if (!condition) throw reverted(reason);
}

function reverted(reason: string): Revert {
  return new Revert(reason, encodeErrorResult({ abi: ERRORS, errorName: 'Error', args: [reason] }));
}

/** A revert without a reason: for calldata that does not fit, an unknown function, or unwanted ether. */
export function refused(): Revert {
  return new Revert(null, '0x');
}

function overflow(): Revert {
  const data = encodeErrorResult({ abi: ERRORS, errorName: 'Panic', args: [OVERFLOW] });
  return new Revert(`panic ${OVERFLOW}`, data);
}

export function add(a: bigint, b: bigint): bigint {
  if (a + b > MAX_UINT256) throw overflow();
  return a + b;
}

export function subtract(a: bigint, b: bigint): bigint {
  if (a < b) throw overflow();
  return a - b;
}

export function multiply(a: bigint, b: bigint): bigint {
  if (a * b > MAX_UINT256) throw overflow();
  return a * b;
}
