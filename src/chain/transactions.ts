/**
 * The one transaction queue of an account.
 *
 * Jobs run side by side; the calls of one job run in order, each after the one before it is mined. Those
 * with the nearest deadline go first. Nothing is sent that is not on disk, so that a process that died at
 * any point sends the very same transaction again.
 */
import type { Result } from '../protocol/codes.ts';
import type { Hash } from '../protocol/hex.ts';
import { GAS_ESTIMATES } from './calls.ts';
import type { ChainClient } from './client.ts';
import { classify, describe, revertReason } from './errors.ts';
import { type Fees, firstFees, type Market, readMarket } from './fees.ts';
import { createFlights, type Flight, type Mined } from './flights.ts';
import type { Job, Outcome, TransactionSigner, TransactionStorage } from './jobs.ts';
import { createPause, growing } from './pause.ts';
import { type FailureCode, hasRoom, inTurn, isNear, pauseTicks, verdict } from './schedule.ts';

export type TransactionOptions = {
  client: ChainClient;
  account: TransactionSigner;
  storage: TransactionStorage;
  /** Blocks on top of a receipt's block until it is no longer looked at; default 5. */
  confirmations?: bigint;
  /**
   * The last call is mined, or the job cannot go on. Called again when a reorganisation changes that:
   * the last word counts, and after `forget` there is none.
   */
  onEnded: (key: string, outcome: Outcome) => void;
  /** Storage, signer, `onEnded` or a fault point threw. Called once; the queue stands still after it. */
  onFailure: (error: unknown) => void;
  /** What made it pause, for the log. */
  onTrouble?: (text: string) => void;
  /** Named points at which a test may end the process. */
  fault?: (name: string) => void;
  pollIntervalMs?: number;
};
export type Transactions = ReturnType<typeof createTransactions>;

type Entry = {
  job: Job;
  order: number;
  /** Index of the call that is waited for. */
  step: number;
  isStarted: boolean;
  /** Failures in a row, and the tick before which it is not tried again. */
  tries: number;
  notBeforeTick: number;
  /** Times that a call was mined without effect although its simulation had passed. */
  lostRuns: number;
  outcome: Outcome | null;
};

const POLL_INTERVAL_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
const MOST_LOST_RUNS = 3;
const MOST_REFUSALS = 10;

export function createTransactions(options: TransactionOptions) {
  const { client, account, storage, confirmations = 5n, onEnded, fault = () => {} } = options;
  const { pollIntervalMs = POLL_INTERVAL_MS } = options;
  const pause = createPause();
  const entries = new Map<string, Entry>();
  let failure: { error: unknown } | null = null;
  let submitted = 0;
  let ticks = 0;
  let outages = 0;
  let isStopped = false;
  let running: Promise<void> | null = null;

  async function must<T>(act: () => T | Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }
  const flights = createFlights({ client, account, storage, confirmations, fault, must });

  async function report(entry: Entry, outcome: Outcome): Promise<void> {
    if (isSame(entry.outcome, outcome)) return;
    entry.outcome = outcome;
    await must(() => onEnded(entry.job.key, outcome));
  }

  const isActive = (entry: Entry) => entry.outcome === null;
  const active = () => [...entries.values()].filter(isActive);

  /** A transaction is as urgent as the most urgent one that has to wait for it. */
  function isUrgent(nonce: number, { headBlock }: Market): boolean {
    return active().some(({ job, step }) => {
      const flight = flights.of(job.key, step);
      const isAbove = flight !== undefined && flight.row.nonce >= nonce;
      return isAbove && isNear(job.deadlineBlock, headBlock);
    });
  }

  /** What became of the job's present call. */
  async function follow(entry: Entry, market: Market): Promise<void> {
    const { job, step } = entry;
    const flight = flights.of(job.key, step);
    if (flight === undefined) return;
    // A reorganisation took the end back.
    if (entry.outcome?.ok && !flight.mined?.isSuccess) entry.outcome = null;
    if (flight.isTaken || flight.mined === null) {
      if (flight.isTaken) flights.remove(flight);
      else await dropRefused(entry, flight, market);
    } else if (!flight.mined.isSuccess) {
      // Simulated again, it says whether it came too late or only had too little gas.
      flights.remove(flight);
      entry.lostRuns += 1;
    } else if (step + 1 < job.calls.length) {
      entry.step += 1;
    } else {
      const { hash: transactionHash, block: minedBlock } = flight.mined;
      await report(entry, { ok: true, transactionHash, minedBlock });
    }
  }

  /** Gives up a transaction that no pool ever took, when no other nonce waits for it. */
  async function dropRefused(entry: Entry, flight: Flight, market: Market): Promise<void> {
    const { job } = entry;
    const isRefused = flight.isUnfunded || flight.refusals > 0;
    if (!isRefused || flight.hashes.length > 1 || !flights.isLast(flight)) return;
    const isTooLate = job.deadlineBlock !== null && market.headBlock > job.deadlineBlock;
    const canWait = job.deadlineBlock !== null || job.isPatient === true;
    const isUnpaid = flight.isUnfunded && (job.deadlineBlock === null || isTooLate);
    if (!isUnpaid && (canWait || flight.refusals < MOST_REFUSALS)) return;
    await must(() => flights.forget(job.key));
    const [code, detail]: [FailureCode, string] = isUnpaid
      ? ['insufficient_gas', 'the account cannot pay for the gas']
      : ['transaction_failed', 'the endpoint refuses the transaction'];
    await report(entry, { ok: false, code, detail });
  }

  /** Sends the job's next call when it may. */
  async function advance(entry: Entry, market: Market): Promise<void> {
    const { job } = entry;
    if (ticks < entry.notBeforeTick || flights.of(job.key, entry.step) !== undefined) return;
    if (!hasRoom(flights.waiting().length, job)) return;
    // A simulation stands on the newest block, not on the next one.
    if (job.notBeforeBlock !== undefined && market.headBlock < job.notBeforeBlock) return;
    if (entry.lostRuns > MOST_LOST_RUNS) {
      const detail = 'mined several times without effect';
      return report(entry, { ok: false, code: 'transaction_failed', detail });
    }
    try {
      await skipAndSend(entry, market);
    } catch (error) {
      if (failure !== null) throw error;
      await noteFailure(entry, error, market.headBlock);
    }
  }

  async function skipAndSend(entry: Entry, market: Market): Promise<void> {
    const call = entry.job.calls[entry.step];
    if (call === undefined) {
      const detail = 'nothing left to do: the chain has it already';
      return report(entry, { ok: false, code: 'transaction_failed', detail });
    }
    if (call.skipIf !== undefined && (await call.skipIf())) {
      entry.step += 1;
      entry.isStarted = true;
      return skipAndSend(entry, market);
    }
    const { to, data, value = 0n } = call;
    // Never on the pending block: what waits there, others' transactions too, may never be mined.
    const at = { account: account.address, blockTag: 'latest' } as const;
    const used = await client.estimateGas({ ...at, to, data, value });
    const gas = ((used * 13n) / 10n) * 2n ** BigInt(entry.lostRuns);
    const fees = firstFees(market, isNear(entry.job.deadlineBlock, market.headBlock));
    const money = await spareMoney(entry, gas * fees.maxFeePerGas + value, fees);
    if (money < 0n) return fail(entry, 'insufficient_gas', `${-money} wei short`, market.headBlock);
    // Enough once those under way are mined, which seldom cost what they reserve.
    if (money < flights.reserved()) return;
    const { step } = entry;
    await flights.send({ job: entry.job.key, step, to, data, value, gas }, fees, market);
    entry.isStarted = true;
    entry.tries = 0;
  }

  /** Wei that the account has beyond the cost of this call and of those after it; negative: it lacks them. */
  async function spareMoney(entry: Entry, cost: bigint, fees: Fees): Promise<bigint> {
    const balance = await client.getBalance({ address: account.address });
    const later = entry.job.calls
      .slice(entry.step + 1)
      .map(({ kind, value = 0n }) => GAS_ESTIMATES[kind] * fees.maxFeePerGas + value);
    return later.reduce((left, one) => left - one, balance - cost);
  }

  function noteFailure(entry: Entry, error: unknown, headBlock: bigint | null): Promise<void> {
    const kind = classify(error);
    const text = kind === 'reverted' ? revertReason(error) : describe(error);
    return fail(entry, kind, text, headBlock);
  }

  async function fail(
    entry: Entry,
    kind: ReturnType<typeof classify>,
    detail: string,
    headBlock: bigint | null,
  ): Promise<void> {
    entry.tries += 1;
    entry.notBeforeTick = ticks + pauseTicks(entry.tries);
    const code = verdict(kind, entry, headBlock);
    if (code !== null) return report(entry, { ok: false, code, detail });
    options.onTrouble?.(`${entry.job.key}: ${kind}, ${detail}`);
  }

  async function tick(): Promise<void> {
    ticks += 1;
    if (active().length === 0 && flights.unconfirmed().length === 0) return;
    const market = await readMarket(client);
    await flights.track(market, (nonce) => isUrgent(nonce, market));
    for (const entry of entries.values()) await follow(entry, market);
    // Left over by a process that died between recording an outcome and forgetting the job.
    for (const job of flights.doneJobs()) {
      if (!entries.has(job)) await must(() => flights.forget(job));
    }
    for (const entry of inTurn(active())) await advance(entry, market);
  }

  async function tickOrPause(): Promise<void> {
    try {
      await tick();
      outages = 0;
    } catch (error) {
      if (failure !== null) throw error;
      outages += 1;
      options.onTrouble?.(describe(error));
      for (const entry of active()) {
        if (flights.of(entry.job.key, entry.step) === undefined)
          await noteFailure(entry, error, null);
      }
    }
  }

  async function run(): Promise<void> {
    try {
      while (!isStopped) {
        await tickOrPause();
        if (!isStopped) await pause.wait(growing(pollIntervalMs, outages, LONGEST_PAUSE_MS));
      }
    } catch (error) {
      isStopped = true;
      options.onFailure(failure?.error ?? error);
    }
  }

  return {
    /**
     * Sends again what was on its way when the process ended, and begins with the jobs. Jobs of the
     * process before are submitted first: the rows of others are dropped once they are confirmed.
     */
    start(): void {
      running ??= run();
    },
    /** Ends after the step in work; jobs and transactions stay as they are. */
    async stop(): Promise<void> {
      isStopped = true;
      pause.wake();
      await running;
    },
    /** Takes up a job where its stored transactions left it. A key that is known is left as it is. */
    submit(job: Job): void {
      if (entries.has(job.key)) return;
      const steps = storage.forJob(job.key).map(({ step }) => step);
      const step = Math.max(0, ...steps);
      const isStarted = steps.length > 0;
      const fresh = { tries: 0, notBeforeTick: 0, lostRuns: 0, outcome: null };
      entries.set(job.key, { job, order: submitted, step, isStarted, ...fresh });
      submitted += 1;
      pause.wake();
    },
    /** Drops the job and its stored transactions, once its outcome is on disk. */
    forget(key: string): void {
      flights.forget(key);
      entries.delete(key);
    },
    /** The block of a transaction of this account and whether it had effect; null: not mined. */
    async receiptOf(hash: Hash): Promise<Result<Mined | null>> {
      try {
        return { ok: true, value: await flights.receiptOf(hash) };
      } catch (error) {
        return { ok: false, code: 'chain_unavailable', detail: describe(error) };
      }
    },
  };
}

function isSame(a: Outcome | null, b: Outcome): boolean {
  if (a === null || !a.ok || !b.ok) return false;
  return a.transactionHash === b.transactionHash && a.minedBlock === b.minedBlock;
}
