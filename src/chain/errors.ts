/** What went wrong in a call to the chain, by viem's error classes. */
import {
  AbiDecodingDataSizeTooSmallError,
  BaseError,
  BlockNotFoundError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  ExecutionRevertedError,
  FeeCapTooLowError,
  HttpRequestError,
  InsufficientFundsError,
  InternalRpcError,
  LimitExceededRpcError,
  NonceTooLowError,
  ResourceUnavailableRpcError,
  RpcRequestError,
  TimeoutError,
} from 'viem';
import { containsNodeError, getNodeError } from 'viem/utils';
import { printable } from './describe.ts';

export type ChainErrorKind =
  | 'insufficient_gas'
  | 'reverted'
  | 'nonce_too_low'
  | 'already_known'
  | 'underpriced'
  | 'unavailable'
  | 'unknown';

const NODE_CLASSES = [
  [InsufficientFundsError, 'insufficient_gas'],
  [ExecutionRevertedError, 'reverted'],
  [ContractFunctionRevertedError, 'reverted'],
  [FeeCapTooLowError, 'underpriced'],
] as const;
const UNAVAILABLE = [
  HttpRequestError,
  TimeoutError,
  LimitExceededRpcError,
  ResourceUnavailableRpcError,
  InternalRpcError,
  BlockNotFoundError,
] as const;
/** The provider's own "too many requests", which viem leaves without a class. */
const RATE_LIMIT_CODES = [429, -32007];

/**
 * Whether a failed call may be repeated, was refused by the contract, or needs another nonce or price.
 * Everything that no class tells is `unknown`; a caller with a deadline repeats that, too.
 */
export function classify(error: unknown): ChainErrorKind {
  if (error instanceof Error && error.name === 'AbortError') return 'unavailable';
  if (!(error instanceof BaseError)) return 'unknown';
  const known = withNodeClass(error);
  const isOf = (type: abstract new (...args: never[]) => Error) =>
    known.walk((cause) => cause instanceof type) !== null;

  if (isOf(NonceTooLowError)) return isDuplicate(known) ? 'already_known' : 'nonce_too_low';
  const node = NODE_CLASSES.find(([type]) => isOf(type));
  if (node !== undefined) return node[1];
  if (UNAVAILABLE.some(isOf) || isRateLimited(known)) return 'unavailable';
  return isUnderpriced(known) ? 'underpriced' : 'unknown';
}

/** Whether the contract gave no answer of the asked form: it is not there, or is something else. */
export function isNoContract(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk(
      (cause) =>
        cause instanceof ContractFunctionZeroDataError ||
        cause instanceof AbiDecodingDataSizeTooSmallError,
    ) !== null
  );
}

/** Whether the endpoint answered that it failed inside: some do so when a call meets an invalid instruction. */
export function isInternal(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((cause) => cause instanceof InternalRpcError) !== null
  );
}

/** Whether nobody answered at all, so that asking for less would not help. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const http = error.walk((cause) => cause instanceof HttpRequestError);
  return http instanceof HttpRequestError && http.status === undefined;
}

/** Why a call reverted, for people. */
export function revertReason(error: unknown): string {
  if (!(error instanceof BaseError)) return 'reverted';
  const reverted =
    error.walk((cause) => cause instanceof ExecutionRevertedError) ??
    error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  return reverted instanceof BaseError ? printable(reverted.shortMessage) : 'reverted';
}

/** viem names the errors of `eth_estimateGas` by class, but not those of `eth_sendRawTransaction`. */
function withNodeClass(error: BaseError): BaseError {
  const bare = error.walk((cause) => cause instanceof BaseError && containsNodeError(cause));
  return bare instanceof BaseError ? getNodeError(bare, {}) : error;
}

function detailsOf(error: BaseError): string {
  const rpc = error.walk((cause) => cause instanceof RpcRequestError);
  return rpc instanceof BaseError ? rpc.details.toLowerCase() : '';
}

// Text is the last resort for these two: JSON-RPC gives both the same code as every other refusal of a
// transaction, and viem has one class for "nonce too low" and "already known", none for "underpriced".
// Nothing depends on the first alone: the sender looks at the chain's nonce and receipts afterwards.
function isDuplicate(error: BaseError): boolean {
  return /already (known|imported)/.test(detailsOf(error));
}
function isUnderpriced(error: BaseError): boolean {
  return /underpriced/.test(detailsOf(error));
}

function isRateLimited(error: BaseError): boolean {
  const rpc = error.walk((cause) => cause instanceof RpcRequestError);
  return rpc instanceof RpcRequestError && RATE_LIMIT_CODES.includes(rpc.code);
}
