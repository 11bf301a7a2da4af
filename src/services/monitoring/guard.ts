/**
 * Guards closed channels: brings the owner's balance proof on chain when it is this service's turn, and claims the
 * reward after the settle timeout. Each step is decided by the current state of the chain, and stored before it is
 * sent.
 */
import { createBreather } from '../../basics/breather.ts';
import type { Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import { describe } from '../../chain/describe.ts';
import type { JobOutcome } from '../../chain/queue/jobs.ts';
import { createLineLimit } from '../../chain/queue/trouble.ts';
import type { ServiceDatabase } from '../base/database.ts';
import type { ServiceJob } from '../base/transactions.ts';
import type { ClosedChannel, MonitoringBook, Request } from './book.ts';
import {
  chainViewOf,
  claimCall,
  findClaim,
  isReplaced,
  type MonitoringContracts,
  monitorCall,
} from './contracts.ts';
import { claimStep, isClaimDue, isDue, monitorStep } from './plan.ts';
import { firstBlockAllowed } from './window.ts';

export type GuardOptions = {
  own: Address;
  client: ChainClient;
  contracts: MonitoringContracts;
  database: ServiceDatabase;
  book: MonitoringBook;
  /** The shortest settle timeout of the token networks, in blocks. */
  shortestTimeout: bigint;
  queue: { add(job: ServiceJob): void; submitNew(): void };
  headBlock(): bigint;
  confirmedBlock(): bigint;
  /** Whether the contract takes anything from this service. */
  isRegistered(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
  log: Log;
  onFatal(reason: string, error: unknown): void;
};

/** Blocks until a reward that could not be claimed is tried again. */
const CLAIM_PAUSE = 100n;

export function createGuard(options: GuardOptions) {
  const { own, client, contracts, database, book, queue, log } = options;
  const lines = createLineLimit(options.now);
  const firstBlock = (close: ClosedChannel) =>
    firstBlockAllowed(close, options.shortestTimeout, own);
  const isStillDue = (
    close: ClosedChannel | null,
    request: Request | null,
  ): close is ClosedChannel =>
    close !== null && isDue(close, request, firstBlock(close), options.headBlock());

  /** Begins a job for the close as it is now; `jobOf` answers null when the job is no longer due. */
  function begin(channel: string, jobOf: (close: ClosedChannel) => Begun | null): void {
    database.write(() => {
      const close = book.close(channel);
      const begun = close === null ? null : jobOf(close);
      if (close === null || begun === null) return;
      const { change, call, ...rest } = begun;
      const tries = close.tries + 1;
      const key = `${call.kind} ${channel} ${tries}`;
      queue.add({ key, calls: [call], isPatient: true, ...rest });
      book.change(channel, { ...change, job: key, tries });
    });
    queue.submitNew();
  }

  async function bring(close: ClosedChannel, request: Request): Promise<void> {
    const view = await chainViewOf(client, contracts, close, own);
    const step = monitorStep(request, view);
    const about = { channel: close.channel, nonce: request.nonce };
    if (step === 'uncovered') {
      const line = lines.next(close.channel, step);
      if (line !== null)
        log.warn({ ...about, ...line }, 'the user deposit of the owner does not cover the reward');
    }
    if (step !== 'monitor') return;
    begin(close.channel, (now) => {
      const newest = book.requestFor(now);
      if (newest === null || !isStillDue(now, newest)) return null;
      log.info(about, 'bringing the balance proof of a node that does not do it itself');
      return {
        call: monitorCall(contracts.monitoringService, now, newest),
        deadlineBlock: now.settleBlock,
        change: { state: 'monitoring', jobNonce: newest.nonce, jobReward: newest.reward },
      };
    });
  }

  async function fetchReward(close: ClosedChannel): Promise<void> {
    const { channel } = close;
    // Anybody may claim the reward for this service: then its own try failed, though the reward was paid.
    const wasTried = close.notBeforeBlock > close.settleBlock;
    const paid = wasTried ? await findClaim(client, contracts, close, own) : null;
    if (paid !== null)
      return database.write(() =>
        book.change(channel, { state: 'claimed', transactionHash: paid }),
      );
    // A later proof by the owner itself does not take the reward away, only one by another service does.
    if (close.chainNonce > close.nonce && (await isReplaced(client, contracts, close, own))) {
      log.info({ channel }, 'another service has the reward: it brought a later proof');
      return database.write(() => book.change(channel, { state: 'lost' }));
    }
    if (claimStep(close, await chainViewOf(client, contracts, close, own)) === 'later') {
      log.warn({ channel }, 'the user deposit does not hold the reward: it is tried again later');
      const notBeforeBlock = options.confirmedBlock() + CLAIM_PAUSE;
      return database.write(() => book.change(channel, { notBeforeBlock }));
    }
    begin(channel, (now) =>
      isClaimDue(now, options.confirmedBlock())
        ? {
            call: claimCall(contracts.monitoringService, now),
            deadlineBlock: null,
            notBeforeBlock: now.settleBlock + 1n,
            change: { state: 'claiming' },
          }
        : null,
    );
  }

  /** Looks at all closes once; channels that can still be lost come first. */
  async function lookOnce(): Promise<void> {
    const pause = createBreather();
    // What the health of the service says once is not said of each close in each block.
    const guarded = options.isRegistered() ? book.closesIn('watching', 'monitored') : [];
    for (const close of guarded) {
      await pause();
      const request = book.requestFor(close);
      if (isDue(close, request, firstBlock(close), options.headBlock()))
        await tried(() => bring(close, request));
    }
    for (const close of book.closesIn('monitored'))
      if (isClaimDue(close, options.confirmedBlock())) await tried(() => fetchReward(close));
  }

  async function tried(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // If a commit failed, the next one fails, too, and ends the service.
      log.warn({ error: describe(error) }, 'a closed channel could not be looked at');
    }
  }

  let looking: Promise<void> | null = null;
  let isOutdated = false;
  let isStopped = false;

  async function lookUntilCurrent(): Promise<void> {
    do {
      isOutdated = false;
      await lookOnce();
    } while (isOutdated && !isStopped);
  }

  return {
    /** To be called when there is something new: a block, a request, the end of a job. */
    look(): void {
      isOutdated = true;
      if (isStopped || looking !== null) return;
      looking = lookUntilCurrent()
        .catch((error: unknown) => options.onFatal('closed channels could not be looked at', error))
        .then(() => {
          looking = null;
        });
    },
    /** Called inside the transaction that deletes the job. */
    ended(key: string, outcome: JobOutcome): void {
      const close = book.closeOfJob(key);
      if (close === null) return;
      log.info({ job: key, ...outcome }, outcome.ok ? 'done' : 'not done');
      const change = changeAfter(close, outcome, options.headBlock());
      if (change === null) book.forgetClose(close.channel);
      else book.change(close.channel, { ...change, job: null });
    },
    async stop(): Promise<void> {
      isStopped = true;
      await looking;
    },
  };
}

type Begun = Omit<ServiceJob, 'key' | 'calls'> & {
  call: ServiceJob['calls'][number];
  change: Partial<ClosedChannel>;
};

/** The close's state after a job; null when nothing is left to do for the close. */
function changeAfter(
  close: ClosedChannel,
  outcome: JobOutcome,
  headBlock: bigint,
): Partial<ClosedChannel> | null {
  if (close.state === 'claiming')
    return outcome.ok
      ? { state: 'claimed', transactionHash: outcome.transactionHash }
      : { state: 'monitored', notBeforeBlock: headBlock + CLAIM_PAUSE };
  if (outcome.ok) return { state: 'monitored', nonce: close.jobNonce, reward: close.jobReward };
  if (close.nonce > 0n) return { state: 'monitored', notBeforeBlock: headBlock + 1n };
  // Usually the owner or another service was faster: the next look at the chain shows it.
  return close.isSettled ? null : { state: 'watching', notBeforeBlock: headBlock + 1n };
}
