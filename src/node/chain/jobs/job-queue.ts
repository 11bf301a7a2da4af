/** Connects the jobs of the actors with the account's one transaction queue: each tells the other what is done. */

import type { Tx } from '../../../../machines/effects.ts';
import { createTransactions } from '../../../chain/queue/transactions.ts';
import type { Afterwards } from '../../runtime/commits/open-batch.ts';
import type { Engine } from '../../runtime/commits/turn.ts';
import type { Meter } from '../../runtime/knowledge/meter.ts';
import type { FatalKind, NodeParts, NodeSettings } from '../../runtime/parts.ts';
import type { Ledger } from '../gas/ledger.ts';
import type { JobTroubles } from './job-troubles.ts';
import { createJobs, isHarmlessTwice, isProtective } from './jobs.ts';

type Options = {
  settings: Pick<
    NodeSettings,
    'chainId' | 'contracts' | 'confirmations' | 'depositLimits' | 'pollIntervalMs'
  >;
  parts: Pick<NodeParts, 'store' | 'signer' | 'client' | 'reads' | 'fault' | 'safeMode'>;
  meter: Pick<Meter, 'transaction'>;
  engine: Pick<Engine, 'endJob' | 'turn'>;
  ledger: Ledger;
  /** The newest confirmed block of which all logs were applied. */
  confirmedBlock(): bigint;
  /** What keeps transactions from going on. */
  troubles: JobTroubles;
  fatal(reason: string, kind: FatalKind): (error: unknown) => void;
};

export type JobQueue = ReturnType<typeof createJobQueue>;

export function createJobQueue(options: Options) {
  const { settings, parts, meter, engine, ledger, confirmedBlock, fatal, troubles } = options;
  const { store, signer, client, reads, fault, safeMode = null } = parts;
  const { contracts, confirmations, pollIntervalMs } = settings;

  const transactions = createTransactions({
    client,
    account: signer,
    storage: store.transactions,
    confirmations,
    onEnded: (key, outcome) => jobs.ended(key, outcome),
    onFailure: fatal('the transaction queue failed', 'internal'),
    onTrouble: (trouble) =>
      troubles.note(trouble, trouble.job === null ? undefined : jobs.txOf(trouble.job)),
    fault,
    pollIntervalMs,
  });
  /** Jobs that were submitted when only the disk had them, and are to be left out when the replica has them, too. */
  const early = new Set<string>();
  const jobs = createJobs({
    own: signer.address,
    chainId: settings.chainId,
    registry: contracts.tokenNetworkRegistryAddress,
    secretRegistry: contracts.secretRegistryAddress,
    depositLimits: settings.depositLimits,
    sign: (digest) => signer.sign(digest),
    allowance: reads.allowance,
    approves: reads.approves,
    takingFault: (taking) => reads.takingFault(signer.address, taking),
    findProof: store.findProof,
    locksAt: store.locksAt,
    submit: (job) => transactions.submit(job),
    forget: (key) => transactions.forget(key),
    minedBlockOf: async (hash) => {
      const receipt = await transactions.receiptOf(hash);
      return receipt.ok && receipt.value?.isSuccess ? receipt.value.block : null;
    },
    confirmedBlock,
    onEnd(tx, detail) {
      meter.transaction(tx.type, detail === null);
      troubles.ended(tx, detail);
    },
    endJob: (key, delivery) => engine.endJob(key, delivery),
    ledger,
    // A transaction is asked for after a commit: what is charged for it joins the next turn.
    record(rows) {
      if (rows.length === 0) return;
      setImmediate(() => engine.turn([], (batch) => void batch.forced.push(...rows)));
    },
    isSigned: transactions.isSigned,
    isHeld: (tx) =>
      safeMode !== null && !(safeMode.isCloseHeld ? isHarmlessTwice(tx) : isProtective(tx)),
    onFatal: fatal('a transaction could not be followed', 'internal'),
    fault,
  });

  return {
    submit(tx: Tx): void {
      if (!early.delete(tx.key)) jobs.submit(tx);
    },
    /** Submits those that may be sent before the replica knows of them; `submit` then leaves them out. */
    protect(items: readonly Afterwards[]): void {
      for (const item of items) {
        if (!('key' in item && 'from' in item) || !isHarmlessTwice(item)) continue;
        early.add(item.key);
        jobs.submit(item);
      }
    },
    confirmed: jobs.confirmed,
    /** How many jobs have not ended. */
    running: jobs.running,
    waiting: jobs.waiting,
    order: jobs.order,
    /** Whether a transaction that protects money is due and was not tried yet. */
    hasUnsent: transactions.hasUnsent,
    forget: transactions.forget,
    reserved: transactions.reserved,
    /** Resumes the jobs that the previous process had not finished. */
    start() {
      // The queue drops the rows of unknown jobs once they are confirmed, so it is given the jobs first.
      jobs.resume(store.loadJobs());
      transactions.start();
    },
    stop: transactions.stop,
  };
}
