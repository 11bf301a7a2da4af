/**
 * What went wrong in a call to the chain: by what the endpoint answered, else by viem's error classes. viem judges some
 * answers as well, from the words of a few programs, and takes every internal error of an endpoint for a revert.
 */
import {
  AbiDecodingDataSizeTooSmallError,
  BaseError,
  BlockNotFoundError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  decodeAbiParameters,
  ExecutionRevertedError,
  FeeCapTooLowError,
  HttpRequestError,
  InsufficientFundsError,
  InternalRpcError,
  NonceTooLowError,
  RpcError,
  RpcRequestError,
  TimeoutError,
} from 'viem';
import { printable, withoutKeys } from '../basics/printable.ts';
import { type Meaning, meaningOf } from './words.ts';

export type ChainErrorKind = Meaning | 'unavailable' | 'unknown';

const CLASSES = [
  [InsufficientFundsError, 'insufficient_gas'],
  [ExecutionRevertedError, 'reverted'],
  [ContractFunctionRevertedError, 'reverted'],
  [FeeCapTooLowError, 'underpriced'],
  [NonceTooLowError, 'nonce_too_low'],
  [HttpRequestError, 'unavailable'],
  [TimeoutError, 'unavailable'],
  [BlockNotFoundError, 'unavailable'],
] as const;
/** EIP-1474, and the error of a call in geth's and in OpenEthereum's numbers. */
const REVERT_CODES = [3, -32_015];
/** Of EIP-1474: an internal error, no resources, too much asked; and gateways' own "too many requests". */
const UNAVAILABLE_CODES = [-32_603, -32_002, -32_005, 429, -32_007];

/**
 * Whether a failed call may be repeated, was refused by the contract, or needs another nonce or price.
 * Everything that nothing tells is `unknown`; a caller with a deadline repeats that, too.
 */
export function classify(error: unknown): ChainErrorKind {
  if (error instanceof Error && error.name === 'AbortError') return 'unavailable';
  if (!(error instanceof BaseError)) return 'unknown';
  const answer = answerIn(error);
  if (answer !== null) return kindOf(answer);
  const known = CLASSES.find(([type]) => error.walk((cause) => cause instanceof type) !== null);
  return known?.[1] ?? 'unknown';
}

function kindOf({ code, words, data }: Answer): ChainErrorKind {
  // First: what follows in the words may be a text of the contract.
  if (REVERT_CODES.includes(code)) return 'reverted';
  const meaning = meaningOf(words) ?? meaningOf(data);
  if (meaning !== null) return meaning;
  return UNAVAILABLE_CODES.includes(code) ? 'unavailable' : 'unknown';
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
  return http instanceof HttpRequestError && http.status === undefined && !isNoJson(http);
}

/** Whether somebody answered, but nothing that a chain's endpoint says, such as a page. */
export function isNoJson({ cause }: HttpRequestError): boolean {
  return cause instanceof SyntaxError;
}

/** What the endpoint itself said, in at most 200 printable characters; null: it did not answer with an error. */
export function wordsOf(error: unknown): string | null {
  const words = answerIn(error)?.words ?? '';
  return words === '' ? null : printable(words);
}

/** Why a call reverted, for people. */
export function revertReason(error: unknown): string {
  const answer = answerIn(error);
  if (answer === null) return 'reverted';
  const { words, data } = answer;
  return printable([words, ...reasonsIn(data).filter((one) => !words.includes(one))].join(': '));
}

/** An error that the endpoint answered in place of a result. `data`: what came with it as text. */
type Answer = { code: number; words: string; data: string };

/** viem wraps what came over the line in errors of its own. */
function answerIn(error: unknown): Answer | null {
  if (!(error instanceof BaseError)) return null;
  const outer = error.walk(
    (cause) => cause instanceof RpcRequestError || cause instanceof RpcError,
  );
  if (outer === null) return null;
  let inner: unknown = outer;
  while (inner instanceof BaseError) inner = inner.cause;
  const { code, message, data }: { code?: unknown; message?: unknown; data?: unknown } =
    Object(inner);
  if (code === undefined) return null;
  const words = withoutKeys(textOf(message), outer instanceof RpcRequestError ? outer.url : '');
  return { code: Number(code), words, data: textOf(data) };
}

/** Some gateways wrap the answer of a program in one of their own. */
function textOf(told: unknown): string {
  if (typeof told === 'string') return told;
  const { message }: { message?: unknown } = Object(told);
  return typeof message === 'string' ? message : '';
}

/** The reason in the contract's own bytes, which some programs hand on without saying it in words. */
function reasonsIn(data: string): string[] {
  const encoded = data.match(/08c379a0((?:[0-9a-f]{2})+)/i)?.[1];
  if (encoded === undefined) return [];
  try {
    return [...decodeAbiParameters([{ type: 'string' }], `0x${encoded}`)];
  } catch {
    return [];
  }
}
