/**
 * Transactions that actors asked for: turns the effect into contract calls, and the receipt into an event of the actor.
 *
 * The job was committed with its cause and is submitted again after a restart. Its end is told to the actor when it can
 * no longer be undone: a success when its block is confirmed, a failure at once.
 */

import type { Tx } from '../../../machines/effects.ts';
import type { TransactionEnded } from '../../../machines/events/chain.ts';
import type { Fault } from '../../basics/fault.ts';
import { type Address, type Hash, type Hex, type Signature, ZERO_HASH } from '../../basics/hex.ts';
import { type Depositor, disapproveCall } from '../../chain/queue/approvals.ts';
import * as calls from '../../chain/queue/calls.ts';
import type { Call, Job, Outcome } from '../../chain/queue/jobs.ts';
import type { Taking } from '../../chain/token-probe.ts';
import {
  type Balances,
  closingDigest,
  EMPTY_SIGNATURE,
  updateDigest,
} from '../../protocol/channel/balance-proof.ts';
import { NO_LOCKS_ROOT } from '../../protocol/channel/lock.ts';
import { withdrawDigest } from '../../protocol/channel/withdraw.ts';
import type { JobRow } from '../../store/batch.ts';
import { decode } from '../../store/codec.ts';

type Side = 'own' | 'partner';
/** The end of a job, for the actor that asked for it. */
export type JobEnd = { to: string; event: TransactionEnded };

type Options = {
  own: Address;
  chainId: bigint;
  registry: Address;
  secretRegistry: Address;
  /** Limits of the token networks that this node registers; in the token's units. */
  depositLimits: { participantLimit: bigint; networkLimit: bigint };
  sign(digest: Uint8Array): Signature;
  allowance: Depositor['allowance'];
  approves: Depositor['approves'];
  /** Why the tokens could not be taken, for people. */
  takingFault: (taking: Taking) => Promise<string | null>;
  findProof(channel: string, side: Side, balanceHash: Hash): (Balances & { nonce: bigint }) | null;
  locksAt(channel: string, side: Side, nonce: bigint): readonly Hex[];
  submit(job: Job): void;
  /** The block in which the transaction succeeded; null when it is not part of the chain, or failed. */
  minedBlockOf(hash: Hash): Promise<bigint | null>;
  confirmedBlock(): bigint;
  endJob(key: string, end: JobEnd): void;
  /** Whether the transaction must not be submitted now (safe mode). */
  isHeld(tx: Tx): boolean;
  /** Whether the actor has not ended. */
  lives(actor: string): boolean;
  /** `detail`: why the job failed; null: it succeeded. */
  onEnd?: (tx: Tx, detail: string | null) => void;
  onFatal(error: unknown): void;
  fault: Fault;
};

const NO_BALANCES: Balances = {
  transferredAmount: 0n,
  lockedAmount: 0n,
  locksroot: NO_LOCKS_ROOT,
};

export function createJobs(options: Options) {
  const { own, allowance, approves } = options;
  const depositor = { own, allowance, approves };
  const running = new Map<string, Tx>();
  /** Outcomes of jobs whose transaction was mined but is not confirmed yet. */
  const mined = new Map<string, Extract<Outcome, { ok: true }>>();
  const asked = new Map<Hash, Promise<bigint | null>>();

  /** Asks once for a transaction in which many jobs may have ended. */
  function minedBlockOf(hash: Hash): Promise<bigint | null> {
    const answer = asked.get(hash) ?? options.minedBlockOf(hash).finally(() => asked.delete(hash));
    asked.set(hash, answer);
    return answer;
  }

  /** Null when the proof behind the hash is not in the database: it is an old copy. */
  function balancesOf(tx: Extract<Tx, { type: 'tx.settle' }>, side: Side): Balances | null {
    const hash = side === 'own' ? tx.ownHash : tx.partnerHash;
    return hash === null ? NO_BALANCES : options.findProof(tx.channel, side, hash);
  }

  function locksOf(tx: Extract<Tx, { type: 'tx.unlock' }>): Hex | null {
    const proof = options.findProof(tx.channel, tx.side, tx.balanceHash);
    if (proof === null) return null;
    const locks = options.locksAt(tx.channel, tx.side, proof.nonce);
    return `0x${locks.map((lock) => lock.slice(2)).join('')}`;
  }

  function proofOf(tx: Extract<Tx, { type: 'tx.close' | 'tx.updateProof' }>) {
    const { balanceHash, nonce, additionalHash } = tx.proof ?? {
      balanceHash: ZERO_HASH,
      nonce: 0n,
      additionalHash: ZERO_HASH,
    };
    const { tokenNetwork, channelId } = tx;
    const { chainId } = options;
    return { chainId, tokenNetwork, channelId, balanceHash, nonce, additionalHash };
  }

  /** Null when the database does not know a balance proof that the contract demands. */
  function callsFor(tx: Tx): Call[] | null {
    switch (tx.type) {
      case 'tx.registerToken':
        return calls.registerTokenCalls(tx, {
          registry: options.registry,
          ...options.depositLimits,
        });
      case 'tx.openChannel':
        return calls.openChannelCalls(tx, depositor);
      case 'tx.deposit':
        return calls.depositCalls(tx, depositor);
      case 'tx.withdraw': {
        const { chainId } = options;
        const digest = withdrawDigest({ ...tx, chainId, participant: own });
        return calls.withdrawCalls(tx, { own, ownSignature: options.sign(digest) });
      }
      case 'tx.close': {
        const digest = closingDigest(proofOf(tx), tx.proof?.signature ?? EMPTY_SIGNATURE);
        return calls.closeCalls(tx, { own, closingSignature: options.sign(digest) });
      }
      case 'tx.updateProof': {
        const digest = updateDigest(proofOf(tx), tx.proof.signature);
        return calls.updateProofCalls(tx, { own, nonClosingSignature: options.sign(digest) });
      }
      case 'tx.settle': {
        const ownBalances = balancesOf(tx, 'own');
        const partnerBalances = balancesOf(tx, 'partner');
        if (ownBalances === null || partnerBalances === null) return null;
        return calls.settleCalls(tx, { own, ownBalances, partnerBalances });
      }
      case 'tx.unlock': {
        const locks = locksOf(tx);
        return locks === null ? null : calls.unlockCalls(tx, { own, locks });
      }
      case 'tx.registerSecret':
        return calls.registerSecretCalls(tx, { secretRegistry: options.secretRegistry });
      case 'tx.userDeposit':
        return calls.userDepositCalls(tx, depositor);
      case 'tx.userDepositPlan':
        return calls.userDepositPlanCalls(tx);
      case 'tx.userDepositWithdraw':
        return calls.userDepositWithdrawCalls(tx);
      case 'tx.mint':
        return calls.mintCalls(tx);
    }
  }

  /** What is tried before a deposit and undone after one that failed. */
  function approvalOf(tx: Tx, wanted: readonly Call[]): Partial<Job> {
    const last = wanted.at(-1);
    const taken = takenBy(tx);
    if (taken === null || last === undefined) return {};
    const { token } = taken;
    const { to, data } = last;
    return {
      token,
      rehearse: () => options.takingFault({ ...taken, to, data }),
      cleanUp: disapproveCall(token, to, depositor),
    };
  }

  function submit(tx: Tx) {
    // The job stays on disk, for a later process that may submit it.
    if (options.isHeld(tx)) return;
    running.set(tx.key, tx);
    options.fault('job.before');
    const wanted = callsFor(tx);
    if (wanted === null) {
      const detail = 'the balance proof that stands on chain is not in the database';
      return void setImmediate(() =>
        end(tx.key, { ok: false, code: 'transaction_failed', detail }),
      );
    }
    options.submit({
      key: tx.key,
      calls: wanted,
      ...approvalOf(tx, wanted),
      mayShare: tx.type === 'tx.registerSecret',
      // The registration may wait for gas money or its turn until the partner unlocks: then nothing is left to claim.
      ...(tx.type === 'tx.registerSecret' ? { isWanted: () => options.lives(tx.from) } : {}),
      ...(tx.type === 'tx.userDepositWithdraw' ? { notBeforeBlock: tx.withdrawBlock } : {}),
      deadlineBlock: tx.deadlineBlock,
      isPatient: PATIENT.has(tx.type),
    });
    options.fault('job.after');
  }

  function end(key: string, outcome: Outcome) {
    const tx = running.get(key);
    if (tx === undefined) return;
    running.delete(key);
    mined.delete(key);
    options.onEnd?.(tx, outcome.ok ? null : outcome.detail);
    options.endJob(key, { to: tx.from, event: { type: 'chain.tx', key, ...outcome } });
  }

  async function confirm(key: string, outcome: Extract<Outcome, { ok: true }>) {
    mined.delete(key);
    // The block may have been replaced by a reorganisation: then the transaction is in another block, or the queue
    // sends it again.
    const minedBlock = await minedBlockOf(outcome.transactionHash);
    if (minedBlock === outcome.minedBlock) end(key, outcome);
    else if (running.has(key) && !mined.has(key))
      mined.set(key, { ...outcome, minedBlock: minedBlock ?? outcome.minedBlock });
  }

  function confirmIfDue(key: string, outcome: Extract<Outcome, { ok: true }>) {
    if (outcome.minedBlock > options.confirmedBlock()) return;
    confirm(key, outcome).catch(options.onFatal);
  }

  return {
    submit,
    /** Submits, after a start, every job whose end was not recorded. */
    resume(rows: readonly JobRow[]) {
      for (const { body } of rows) submit(txIn(decode(body)));
    },
    /** Called when the queue is done with a job; a success still has to be confirmed. */
    ended(key: string, outcome: Outcome) {
      if (!outcome.ok) return end(key, outcome);
      mined.set(key, outcome);
      confirmIfDue(key, outcome);
    },
    /** Called when another block is confirmed and its logs are applied. */
    confirmed(): void {
      for (const [key, outcome] of mined) confirmIfDue(key, outcome);
    },
    running: () => running.size,
    /** What an actor asked for that has not ended. */
    txOf: (key: string): Tx | undefined => running.get(key),
  };
}

/**
 * Whether the transaction protects money. Those are tried until they succeed; what a person asked for may fail when the
 * chain does not answer. A close counts as protective because a signed close may be mined late: the channel must not go
 * on as if there were none.
 */
export const isProtective = ({ type }: Tx): boolean => PATIENT.has(type);
/**
 * Whether the transaction may be sent before the replica knows of it: whoever takes over from this node sends the same,
 * or one that counts for more, and the contracts take each of them once. Not so a close, whose balance proof is final.
 */
export const isHarmlessTwice = (tx: Tx): boolean => isProtective(tx) && tx.type !== 'tx.close';
const PATIENT = new Set<Tx['type']>([
  'tx.close',
  'tx.updateProof',
  'tx.settle',
  'tx.unlock',
  'tx.registerSecret',
]);

/** The tokens that the job lets a contract take; null: none. */
function takenBy(tx: Tx): Pick<Taking, 'token' | 'amount' | 'payee'> | null {
  switch (tx.type) {
    case 'tx.openChannel': {
      const { token, totalDeposit: amount, partner: payee } = tx;
      return amount === 0n ? null : { token, amount, payee };
    }
    case 'tx.deposit':
      return { token: tx.token, amount: tx.added, payee: tx.partner };
    case 'tx.userDeposit':
      return { token: tx.token, amount: tx.added, payee: tx.contract };
    default:
      return null;
  }
}

function txIn(value: unknown): Tx {
  if (!isTx(value)) throw new Error('jobs: a row holds no transaction');
  return value;
}

function isTx(value: unknown): value is Tx {
  return typeof value === 'object' && value !== null && 'type' in value && 'key' in value;
}
