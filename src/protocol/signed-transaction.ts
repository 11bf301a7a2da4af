/** What is kept of a transaction of this node before it is sent. */
import type { Hash, Hex } from '../basics/hex.ts';

/** A signed transaction: one for each job and step. Prices in wei per gas. */
export type SignedTransaction = {
  /** The job's key, or that of a batch; the secrets in a batch tell which jobs it serves. */
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
