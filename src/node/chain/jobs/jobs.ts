/**
 * Transactions that actors asked for: turns the effect into contract calls, and the receipt into an event of the actor.
 *
 * The job was committed with its cause and is submitted again after a restart. Its end is told to the actor when it can
 * no longer be undone: a success when its block is confirmed, a failure at once.
 */

import type { Tx } from '../../../../machines/effects.ts';
import type { TransactionEnded } from '../../../../machines/events/chain.ts';
import type { Fault } from '../../../basics/fault.ts';
import type { Hash, Secret } from '../../../basics/hex.ts';
import { type Depositor, disapproveCall } from '../../../chain/queue/approvals.ts';
import type { ChainCall, Job, JobOutcome } from '../../../chain/queue/jobs.ts';
import type { Taking } from '../../../chain/token-probe.ts';
import type { ForcedRow, JobRow } from '../../../store/base/batch.ts';
import { decode } from '../../../store/base/codec.ts';
import type { Ledger } from '../gas/ledger.ts';
import { createTxCalls, type TxCallOptions } from './tx-calls.ts';
import { createWeighing } from './weighing.ts';

/** The end of a job, for the actor that asked for it. */
export type JobEnd = { to: string; event: TransactionEnded };

type Options = TxCallOptions & {
  allowance: Depositor['allowance'];
  approves: Depositor['approves'];
  /** Why the tokens could not be taken, for people. */
  takingFault: (taking: Taking) => Promise<string | null>;
  submit(job: Job): void;
  /** The queue drops the job, of which nothing was sent. */
  forget(key: string): void;
  /** The block in which the transaction succeeded; null when it is not part of the chain, or failed. */
  minedBlockOf(hash: Hash): Promise<bigint | null>;
  confirmedBlock(): bigint;
  endJob(key: string, end: JobEnd): void;
  /** Whether the transaction must not be submitted now (safe mode). */
  isHeld(tx: Tx): boolean;
  /** Which transactions are sent, and what has to be left in the account for others. */
  ledger: Pick<
    Ledger,
    | 'weigh'
    | 'charge'
    | 'gasOf'
    | 'aside'
    | 'asideOf'
    | 'begin'
    | 'end'
    | 'mostGas'
    | 'isOver'
    | 'isPromise'
  >;
  /** Writes what was charged for a transaction. */
  record(rows: readonly ForcedRow[]): void;
  /** Whether something was signed for the job before. */
  isSigned(key: string, secret: Secret | null): boolean;
  /** `detail`: why the job failed; null: it succeeded. */
  onEnd?: (tx: Tx, detail: string | null) => void;
  onFatal(error: unknown): void;
  fault: Fault;
};

export function createJobs(options: Options) {
  const { own, allowance, approves } = options;
  const depositor = { own, allowance, approves };
  const callsFor = createTxCalls(options, depositor);
  const running = new Map<string, Tx>();
  const weighing = createWeighing({ ...options, send, giveUp });
  /** Outcomes of jobs whose transaction was mined but is not confirmed yet. */
  const mined = new Map<string, Extract<JobOutcome, { ok: true }>>();
  const asked = new Map<Hash, Promise<bigint | null>>();

  /** Asks once for a transaction in which many jobs may have ended. */
  function minedBlockOf(hash: Hash): Promise<bigint | null> {
    const answer = asked.get(hash) ?? options.minedBlockOf(hash).finally(() => asked.delete(hash));
    asked.set(hash, answer);
    return answer;
  }

  /** What is tried before a deposit and undone after one that failed. */
  function approvalOf(tx: Tx, wanted: readonly ChainCall[]): Partial<Job> {
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
    // What was signed may be mined whatever is decided now.
    const secret = tx.type === 'tx.registerSecret' ? tx.secret : null;
    if (options.isSigned(tx.key, secret)) send(tx);
    else weighing.weigh(tx);
  }

  /** Without `isOrdered` a transaction that a budget pays for may take no more gas than was charged for. */
  function send(tx: Tx, isOrdered = false) {
    options.fault('job.before');
    options.ledger.begin(tx);
    const wanted = callsFor(tx);
    if (wanted === null)
      return giveUp(tx, 'the balance proof that stands on chain is not in the database');
    options.submit({
      key: tx.key,
      calls: wanted,
      ...approvalOf(tx, wanted),
      mayShare: tx.type === 'tx.registerSecret',
      // It may wait for gas money or its turn until the partner unlocks, closes or settles: then nothing is left to do.
      isWanted: () => !options.ledger.isOver(tx),
      leaves: () => options.ledger.aside(),
      aside: () => options.ledger.asideOf(tx),
      isPromised: () => options.ledger.isPromise(tx),
      mostGas: isOrdered ? undefined : options.ledger.mostGas(tx),
      ...(tx.type === 'tx.userDepositWithdraw' ? { notBeforeBlock: tx.withdrawBlock } : {}),
      deadlineBlock: tx.deadlineBlock,
      isPatient: PATIENT.has(tx.type),
    });
    options.fault('job.after');
  }

  function giveUp({ key }: Tx, detail: string) {
    setImmediate(() => end(key, { ok: false, code: 'transaction_failed', detail }));
  }

  function hold(key: string) {
    const tx = running.get(key);
    if (tx === undefined) return;
    options.forget(key);
    weighing.hold(tx);
  }

  function end(key: string, outcome: JobOutcome) {
    const tx = running.get(key);
    if (tx === undefined) return;
    running.delete(key);
    mined.delete(key);
    weighing.ended(key);
    options.ledger.end(tx);
    options.onEnd?.(tx, outcome.ok ? null : outcome.detail);
    options.endJob(key, { to: tx.from, event: { type: 'chain.tx', key, ...outcome } });
  }

  async function confirm(key: string, outcome: Extract<JobOutcome, { ok: true }>) {
    mined.delete(key);
    // The block may have been replaced by a reorganisation: then the transaction is in another block, or the queue
    // sends it again.
    const minedBlock = await minedBlockOf(outcome.transactionHash);
    if (minedBlock === outcome.minedBlock) end(key, outcome);
    else if (running.has(key) && !mined.has(key))
      mined.set(key, { ...outcome, minedBlock: minedBlock ?? outcome.minedBlock });
  }

  function confirmIfDue(key: string, outcome: Extract<JobOutcome, { ok: true }>) {
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
    ended(key: string, outcome: JobOutcome) {
      if (!outcome.ok) return outcome.isTooDear ? hold(key) : end(key, outcome);
      mined.set(key, outcome);
      confirmIfDue(key, outcome);
    },
    /** Called when another block is confirmed and its logs are applied. */
    confirmed(): void {
      for (const [key, outcome] of mined) confirmIfDue(key, outcome);
      weighing.weighAgain();
    },
    /** How many have not ended, besides those that wait. */
    running: () => running.size - weighing.size(),
    /** Those that are not sent now, with the reason, oldest first. */
    waiting: () => [...running.keys()].map(weighing.held).filter((held) => held !== null),
    /** Sends those that wait and are wanted now, whatever they are worth. */
    order: weighing.order,
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
