import { decodeErrorResult, type Hex } from 'viem';

const ERRORS = [
  { type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
] as const;

/** What a contract says when it reverts: its text, or `panic 17` for checked arithmetic; null: nothing. */
export function revertReason(output: Hex | undefined): string | null {
  if (output === undefined || output === '0x') return null;
  const { errorName, args } = decodeErrorResult({ abi: ERRORS, data: output });
  return errorName === 'Panic' ? `panic ${args[0]}` : args[0];
}
