/** What the transaction queue works on. */
import type { Code } from '../protocol/codes.ts';
import type { Address, Hash, Hex } from '../protocol/hex.ts';
import type { SignedTransaction } from '../protocol/signed-transaction.ts';

export type CallKind =
  | 'approve'
  | 'registerToken'
  | 'openChannel'
  | 'deposit'
  | 'withdraw'
  | 'close'
  | 'updateProof'
  | 'settle'
  | 'unlock'
  | 'registerSecret'
  | 'userDeposit'
  | 'userDepositPlan'
  | 'userDepositWithdraw'
  | 'mint'
  | 'registerService'
  | 'claimIou'
  | 'monitor'
  | 'claimReward';

/**
 * One transaction to be. Every call is safe to repeat: it has its effect once, or reverts. A plan would
 * only begin its delay anew, and what is minted twice is test money.
 */
export type Call = {
  kind: CallKind;
  to: Address;
  data: Hex;
  /** In wei. */
  value?: bigint;
  /** Asked right before the call; may reject with viem's errors. */
  skipIf?: () => Promise<boolean>;
};

/** Calls that run in order, each after the one before it is mined. */
export type Job = {
  /** The effect's; the same job has the same key and the same calls after a restart. */
  key: string;
  calls: readonly Call[];
  /** Jobs that approve the same token run one after the other, so that none spends another's allowance. */
  token?: Address;
  /** Registers one secret, and may share a transaction with others that do. */
  mayShare?: boolean;
  /** Too late in any later block: pays more when near, is not given up before, and ends when it has passed. */
  deadlineBlock: bigint | null;
  /** Without effect in any earlier block: not tried before this one is the newest. */
  notBeforeBlock?: bigint;
  /** Never ends for lack of an endpoint, like a job with a deadline. */
  isPatient?: boolean;
  /** Asked before anything of it is signed: it ends when nobody has a use for it any more. Absent: always. */
  isWanted?: () => boolean;
};

export type Outcome =
  | { ok: true; transactionHash: Hash; minedBlock: bigint }
  | {
      ok: false;
      code: Extract<Code, 'insufficient_gas' | 'transaction_failed' | 'chain_unavailable'>;
      detail: string;
    };

/** Synchronous and durable: what returned is on disk. What throws stops the queue before it sends. */
export type TransactionStorage = {
  save(transaction: SignedTransaction): void;
  /** In place of the row of the same (job, step). */
  replace(transaction: SignedTransaction): void;
  forJob(job: string): SignedTransaction[];
  all(): SignedTransaction[];
  /** All rows of the job. */
  drop(job: string): void;
};

/** viem's local accounts and the signer's have this form. */
export type TransactionSigner = {
  address: Address;
  signTransaction(transaction: UnsignedTransaction): Promise<Hex> | Hex;
};
export type UnsignedTransaction = {
  type: 'eip1559';
  chainId: number;
  nonce: number;
  to: Address;
  data: Hex;
  value: bigint;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
};
