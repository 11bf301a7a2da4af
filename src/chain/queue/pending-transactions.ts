/**
 * Signed transactions of one account on their way into the chain: one pending transaction for each nonce.
 *
 * A pending transaction is on disk before it is sent, is sent again until it is mined, is replaced at a higher price
 * when it takes too long, and is watched until its block is confirmed.
 */

import { keccak256 } from 'viem';
import type { Fault } from '../../basics/fault.ts';
import type { ChainClient } from '../client.ts';
import { describe } from '../describe.ts';
import type { ChainErrorKind } from '../errors.ts';
import type { Fees, Market } from './fees.ts';
import type { TransactionSigner, TransactionStorage } from './jobs.ts';
import { createKeepAlive } from './keep-alive.ts';
import { createKnownTransactions } from './known-transactions.ts';
import { createNonceFiller } from './nonce-gap.ts';
import { createOutcomes, isNonceTaken } from './outcomes.ts';
import {
  type Content,
  noteRefusal,
  noteTaken,
  type PendingTransaction,
  signedContentOf,
  toPending,
} from './pending-transaction.ts';
import { type Asides, createQueuePlaces, type QueuePlace, type Rank } from './places.ts';

export type PendingOptions = {
  client: ChainClient;
  account: TransactionSigner;
  storage: TransactionStorage;
  confirmations: bigint;
  fault: Fault;
  /** Runs work that must not fail: storage, signer, fault points. An error in it ends the queue. */
  must: <T>(act: () => T | Promise<T>) => Promise<T>;
  /** Whether such work has failed. */
  isBroken: () => boolean;
  rankOf: (pending: PendingTransaction) => Rank;
  asidesOf: (pending: PendingTransaction) => Asides;
  /** Wei that are set aside for those who wait for it. */
  ownOf: (pending: PendingTransaction) => bigint;
  /** Wei that are set aside in all. */
  aside: () => bigint;
  /** Called when the endpoint does not take a transaction, or does not say that it does. */
  onRefused: (pending: PendingTransaction, kind: ChainErrorKind, detail: string) => void;
};
export type SendOrder = Content & { job: string; step: number };
export type PendingTransactions = ReturnType<typeof createPendingTransactions>;

export function createPendingTransactions(options: PendingOptions) {
  const { client, account, storage, must, fault, onRefused } = options;
  const { address } = account;
  const known = createKnownTransactions(storage.all().map((row) => toPending(row, null)));
  const { hasYielded, isWaiting } = known;
  /** Jobs that may have rows on disk. */
  const stored = new Set(known.all().map(({ row }) => row.job));
  let usedNonces = 0;

  /** One that is mined holds its nonce, too, when an endpoint that is behind counts the nonce as unused. */
  const heldNonces = (): number[] =>
    unconfirmed()
      .filter((pending) => isWaiting(pending) || pending.row.nonce >= usedNonces)
      .map((pending) => pending.row.nonce);

  /** Those that wait for a block. */
  const waiting = () => known.all().filter(isWaiting);
  const places = createQueuePlaces({ ...options, waiting });
  const unconfirmed = () =>
    known.all().filter((pending) => !pending.isConfirmed && !pending.isTaken);

  /** Drops the job's pending transactions and rows; what was sent may still be mined. */
  function abandon(job: string): void {
    for (const pending of known.ofJob(job)) known.remove(pending);
    if (stored.delete(job)) storage.drop(job);
  }

  async function signed(content: Content, nonce: number, fees: Fees) {
    const raw = await must(() =>
      account.signTransaction({
        type: 'eip1559',
        chainId: client.chain.id,
        nonce,
        ...content,
        ...fees,
      }),
    );
    return { ...fees, nonce, raw, hash: keccak256(raw), gas: content.gas };
  }

  const { receiptOf, findReceipt, settle } = createOutcomes(options);
  const free = async () =>
    (await client.getBalance({ address })) - places.kept('optional', options.aside());
  const { fillGap, clear } = createNonceFiller({ client, account, free, signed });

  async function nextNonce(): Promise<number> {
    const pending = await client.getTransactionCount({ address, blockTag: 'pending' });
    const own = unconfirmed().map((pending) => pending.row.nonce + 1);
    return Math.max(pending, usedNonces, ...own);
  }

  /** Signs, stores, sends. Rejects with viem's error only before anything was signed. */
  async function send(
    order: SendOrder,
    fees: Fees,
    market: Market,
    { given }: Pick<QueuePlace, 'given'>,
  ): Promise<PendingTransaction> {
    const { job, step, ...content } = order;
    const version = await signed(content, given?.row.nonce ?? (await nextNonce()), fees);
    const row = { job, step, ...version, submittedBlock: market.headBlock };
    stored.add(job);
    await must(() => {
      fault('transaction.signed');
      if (storage.forJob(job).some((stored) => stored.step === step)) storage.replace(row);
      else storage.save(row);
      fault('transaction.saved');
    });
    const pending = toPending(row, market.headBlock);
    known.add(pending);
    await broadcast(pending, market);
    return pending;
  }

  async function broadcast(pending: PendingTransaction, market: Market): Promise<void> {
    pending.sentBlock = market.headBlock;
    pending.waitingSince ??= market.headBlock;
    try {
      await client.sendRawTransaction({ serializedTransaction: pending.row.raw });
      noteTaken(pending);
    } catch (error) {
      const kind = noteRefusal(pending, error);
      if (pending.isDoubtful || pending.isUnfunded)
        onRefused(pending, kind, `the endpoint did not take it: ${describe(error)}`);
    }
    await must(() => fault('transaction.sent'));
  }

  /** Replaces the present version of a pending transaction by one at another price. */
  async function replace(pending: PendingTransaction, fees: Fees, market: Market): Promise<void> {
    const version = await signed(signedContentOf(pending.row), pending.row.nonce, fees);
    const row = { ...pending.row, ...version, submittedBlock: market.headBlock };
    await must(() => {
      storage.replace(row);
      fault('transaction.replaced');
    });
    pending.hashes = [...pending.hashes, row.hash];
    pending.row = row;
    pending.waitingSince = pending.replacedBlock = market.headBlock;
    await broadcast(pending, market);
  }

  const keepAlive = createKeepAlive({ ...options, ...places, replace, broadcast });

  /** Looks after every pending transaction. Rejects when the endpoint fails; nothing is lost by that. */
  async function track(market: Market, isUrgent: (nonce: number) => boolean): Promise<void> {
    const open = unconfirmed().sort((a, b) => a.row.nonce - b.row.nonce);
    if (open.length === 0) return;
    usedNonces = await client.getTransactionCount({ address, blockTag: 'latest' });
    const inTheWay = new Set(places.inTheWay(market));
    for (const pending of open) {
      const isChecked = pending.checkedHead === market.headHash;
      if (pending.mined !== null && !isChecked) await findReceipt(pending, market);
      if (pending.mined !== null) continue;
      const { nonce } = pending.row;
      if (nonce < usedNonces) {
        await settle(pending, market, known.isMined(nonce));
        continue;
      }
      if (hasYielded(pending)) continue;
      const isInTheWay = inTheWay.has(pending) || pending.cleared.length > 0;
      const isPromised = options.rankOf(pending) === 'promised';
      if (isInTheWay && (await clear(pending, market, isPromised))) continue;
      await keepAlive(pending, market, isUrgent(nonce));
    }
    await fillGap({ market, nonces: heldNonces(), usedNonces, isUrgent });
  }

  return {
    send,
    track,
    waiting,
    unconfirmed,
    receiptOf,
    remove: known.remove,
    of: known.of,
    registering: known.registering,
    /** The steps of the job's stored transactions. */
    stepsOf: (job: string): number[] =>
      stored.has(job) ? storage.forJob(job).map(({ step }) => step) : [],
    abandon,
    /**
     * Forgets a job that nobody waits for any more. A transaction of it that is under way is looked after until it is
     * over, since all later nonces wait for it; then `doneJobs` names the job.
     */
    forget(job: string): void {
      if (!known.ofJob(job).some(isWaiting)) abandon(job);
    },
    /** Jobs that have no transaction under way any more. */
    doneJobs: () => {
      const open = new Set(unconfirmed().map(({ row }) => row.job));
      return new Set(
        known
          .all()
          .map(({ row }) => row.job)
          .filter((job) => !open.has(job)),
      );
    },
    /** Whether no later nonce waits for this one, so that it may be used for something else. */
    isLast: (pending: PendingTransaction) =>
      waiting().every((other) => other.row.nonce <= pending.row.nonce),
    /** Whether it may still be mined, as far as the endpoint can tell. */
    isThere: ({ row, hashes }: PendingTransaction) =>
      isNonceTaken(client, address, row.nonce, hashes),
    ...places,
  };
}
