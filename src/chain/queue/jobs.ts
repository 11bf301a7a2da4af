/** The types that the transaction queue works with. */

import type { Address, Hash, Hex } from '../../basics/hex.ts';
import type { Code } from '../../protocol/codes.ts';
import type { SignedTransaction } from '../../protocol/signed-transaction.ts';

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
 * A transaction that is to be sent. Every call is safe to repeat: it has its effect once, or reverts. Two are
 * harmless instead: a repeated plan only begins its delay anew, and what is minted twice is test money.
 */
export type ChainCall = {
  kind: CallKind;
  to: Address;
  data: Hex;
  /** In wei. */
  value?: bigint;
  /** Whether the call is not needed; asked right before it is sent. May reject with viem's errors. */
  skipIf?: () => Promise<boolean>;
};

/** Calls that run in order, each after the one before it is mined. */
export type Job = {
  /** The key of the effect; after a restart the same job has the same key and the same calls. */
  key: string;
  calls: readonly ChainCall[];
  /** Jobs that approve the same token run one after the other, so that none spends another's allowance. */
  token?: Address;
  /**
   * Tries the whole job before anything of it is sent; answers why it would fail, for people, or null. May reject with
   * viem's errors.
   */
  rehearse?: () => Promise<string | null>;
  /** Takes back what the earlier calls have left behind when a later one has failed for good. */
  cleanUp?: ChainCall;
  /** Registers one secret, and may share a transaction with others that do. */
  mayShare?: boolean;
  /**
   * The job is too late in any block after this one: it pays more when this block is near, is not given up before it,
   * and ends when it has passed.
   */
  deadlineBlock: bigint | null;
  /** The job has no effect in any block before this one, and is not tried before this one is the newest. */
  notBeforeBlock?: bigint;
  /**
   * Wei that are set aside for all that was promised: the account must still have them when a call of the job is sent, but for
   * what of it is set aside for the job itself (`aside`). Absent: the job may spend all.
   */
  leaves?: () => bigint;
  aside?: () => bigint;
  /** Whether the job is what others leave money for. It goes before them, and takes their nonces and places. */
  isPromised?: () => boolean;
  /**
   * Most gas that the last call of the job may take: the job ends when it would take more. Absent: as much as any call of
   * its kind.
   */
  mostGas?: bigint | undefined;
  /** The job never ends for lack of an endpoint, like a job with a deadline. */
  isPatient?: boolean;
  /**
   * Asked before a call of the job is signed: the job ends when nobody has a use for it any more. Absent: it always
   * has a use.
   */
  isWanted?: () => boolean;
};

export type JobOutcome =
  | { ok: true; transactionHash: Hash; minedBlock: bigint }
  | {
      ok: false;
      code: Extract<Code, 'insufficient_gas' | 'transaction_failed' | 'chain_unavailable'>;
      detail: string;
      /** It takes more gas than `mostGas`: it was not sent, or has taken that without effect. */
      isTooDear?: boolean;
    };

/**
 * Synchronous and durable: when a call returns, its change is on disk. An error in it stops the queue before anything
 * is sent.
 */
export type TransactionStorage = {
  save(transaction: SignedTransaction): void;
  /** Replaces the row of the same job and step. */
  replace(transaction: SignedTransaction): void;
  forJob(job: string): SignedTransaction[];
  all(): SignedTransaction[];
  /** Deletes all rows of the job. */
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
