/** One signed transaction on its way into the chain, and what is known of it. */
import { parseTransaction } from 'viem';
import type { Address, Hash, Hex, Secret } from '../protocol/hex.ts';
import type { SignedTransaction } from '../protocol/signed-transaction.ts';
import { secretsIn } from './calls.ts';
import { classify } from './errors.ts';

export type Mined = { hash: Hash; block: bigint; blockHash: Hash; isSuccess: boolean };
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
  /** How often in a row the endpoint refused it for a reason that is not known. */
  refusals: number;
  /** The head when this process last sent it; null: not yet, or the endpoint did not accept it. */
  sentBlock: bigint | null;
  /** The head since which it waits at its present price. */
  waitingSince: bigint | null;
  /** The head at which the receipt was last looked for. */
  checkedBlock: bigint | null;
  /** The head since which its nonce is used up without a receipt to be found. */
  lostSince: bigint | null;
};
/** The parts of a transaction that are signed, apart from nonce and price. */
export type Content = { to: Address; data: Hex; value: bigint; gas: bigint };

export function toPending(row: SignedTransaction, sentBlock: bigint | null): PendingTransaction {
  return {
    row,
    secrets: new Set(secretsIn(contentOf(row).data)),
    hashes: [row.hash],
    mined: null,
    isConfirmed: false,
    isTaken: false,
    isUnfunded: false,
    isUnderpriced: false,
    refusals: 0,
    sentBlock,
    waitingSince: sentBlock,
    checkedBlock: null,
    lostSince: null,
  };
}

/**
 * Notes why the endpoint refused it. A refusal that only tells what is known anyway changes nothing; after all others
 * it is tried again.
 */
export function noteRefusal(pending: PendingTransaction, error: unknown): void {
  const kind = classify(error);
  pending.refusals = kind === 'unknown' ? pending.refusals + 1 : 0;
  switch (kind) {
    case 'already_known':
    case 'nonce_too_low':
      return;
    case 'underpriced':
      pending.isUnderpriced = true;
      return;
    case 'insufficient_gas':
      pending.isUnfunded = true;
      return;
    default:
      pending.sentBlock = null;
  }
}

const costs = new WeakMap<SignedTransaction, bigint>();

/**
 * The most that it can cost, in wei. Cached, because this is asked for each lock that is judged; a row never changes.
 */
export function costOf(row: SignedTransaction): bigint {
  const known = costs.get(row);
  if (known !== undefined) return known;
  const cost = row.gas * row.maxFeePerGas + contentOf(row).value;
  costs.set(row, cost);
  return cost;
}

export function contentOf(row: SignedTransaction): Content {
  const { to, data = '0x', value = 0n } = parseTransaction(row.raw);
  if (to === undefined || to === null) throw new Error('a stored transaction without recipient');
  return { to, data, value, gas: row.gas };
}
