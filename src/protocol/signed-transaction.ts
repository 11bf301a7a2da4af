/** What is kept of a transaction of this node before it is sent. */
import type { Hash, Hex } from './hex.ts';

/** One for each (job, step). Prices in wei per gas. */
export type SignedTransaction = {
  /** The job's key, or a batch's own: whom that one serves is told by the secrets in it. */
  job: string;
  /** Which of the job's calls it is, from 0. */
  step: number;
  /** Counts the account's transactions. */
  nonce: number;
  hash: Hash;
  /** What is broadcast, signature included. */
  raw: Hex;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  gas: bigint;
  /** The newest block when it was signed. */
  submittedBlock: bigint;
};
