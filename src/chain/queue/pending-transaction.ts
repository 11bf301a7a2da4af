/** One signed transaction on its way into the chain, and what is known of it. */
import { parseTransaction } from 'viem';
import type { Address, Hash, Hex, Secret } from '../../basics/hex.ts';
import type { SignedTransaction } from '../../protocol/signed-transaction.ts';
import { type ChainErrorKind, classify } from '../errors.ts';
import { secretsIn } from './calls.ts';

/** `wei`: what it has cost. */
export type Mined = { hash: Hash; block: bigint; blockHash: Hash; isSuccess: boolean; wei: bigint };
export type PendingTransaction = {
  /** The newest version. */
  row: SignedTransaction;
  /** The secrets that it registers: a job that waits for one of them waits for this transaction. */
  secrets: ReadonlySet<Secret>;
  /** The hashes of all versions of this nonce that are known, the oldest first. */
  hashes: Hash[];
  mined: Mined | null;
  isConfirmed: boolean;
  /** Another transaction used the nonce up: this one can never be mined. */
  isTaken: boolean;
  /** The pool found that the account cannot pay for it. */
  isUnfunded: boolean;
  isUnderpriced: boolean;
  /** The endpoint did not say that it has it: it is sent again without waiting for another block. */
  isDoubtful: boolean;
  /** How often in a row the endpoint refused it for a reason that is not known. */
  refusals: number;
  /** The head when this process last sent it; null: not yet. */
  sentBlock: bigint | null;
  /** The head since which it waits at its present price, whatever the endpoint says of it. */
  waitingSince: bigint | null;
  /** The head at which this process last replaced it; null: not yet. */
  replacedBlock: bigint | null;
  /** The head at which the receipt was last looked for: another may have its number. */
  checkedHead: Hash | null;
  /** The payments of nothing that were offered in its place, since what weighs more stands behind it. */
  cleared: Hash[];
  /** The head since which its nonce is used up without a receipt to be found. */
  lostSince: bigint | null;
};
/** The parts of a transaction that are signed, apart from nonce and price. */
export type Content = { to: Address; data: Hex; value: bigint; gas: bigint };

export function toPending(row: SignedTransaction, sentBlock: bigint | null): PendingTransaction {
  return {
    row,
    secrets: new Set(secretsIn(signedContentOf(row).data)),
    hashes: [row.hash],
    mined: null,
    isConfirmed: false,
    isTaken: false,
    isUnfunded: false,
    isUnderpriced: false,
    isDoubtful: false,
    refusals: 0,
    sentBlock,
    waitingSince: sentBlock,
    replacedBlock: null,
    checkedHead: null,
    cleared: [],
    lostSince: null,
  };
}

/**
 * Notes what the endpoint said in place of taking it. These are words: an endpoint may have it all the same, or has had it
 * since it was sent before. So they may let it be sent again sooner, and nothing else follows from them alone.
 */
export function noteRefusal(pending: PendingTransaction, error: unknown): ChainErrorKind {
  const kind = classify(error);
  const isRefused = kind === 'unknown' || kind === 'reverted';
  pending.refusals = isRefused ? pending.refusals + 1 : 0;
  pending.isUnderpriced = kind === 'underpriced';
  pending.isUnfunded = kind === 'insufficient_gas';
  pending.isDoubtful = isRefused || kind === 'unavailable';
  return kind;
}

export function noteTaken(pending: PendingTransaction): void {
  pending.refusals = 0;
  pending.isUnderpriced = pending.isUnfunded = pending.isDoubtful = false;
}

const costs = new WeakMap<SignedTransaction, bigint>();

/**
 * The most that it can cost, in wei. Cached, because this is asked for each lock that is judged; a row never changes.
 */
export function costOf(row: SignedTransaction): bigint {
  const known = costs.get(row);
  if (known !== undefined) return known;
  const cost = row.gas * row.maxFeePerGas + signedContentOf(row).value;
  costs.set(row, cost);
  return cost;
}

export function signedContentOf(row: SignedTransaction): Content {
  const { to, data = '0x', value = 0n } = parseTransaction(row.raw);
  if (to === undefined || to === null) throw new Error('a stored transaction without recipient');
  return { to, data, value, gas: row.gas };
}
