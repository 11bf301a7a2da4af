/**
 * Sends the transactions that may be sent: first what was promised; in each part those that protect a channel, then
 * registrations, then the rest.
 */
import { breathe, createBreather } from '../../basics/breather.ts';
import { describe } from '../describe.ts';
import { type ChainErrorKind, classify, revertReason } from '../errors.ts';
import { type Entries, type Entry, nextCall, rankOf } from './entries.ts';
import { firstFees, type Market } from './fees.ts';
import type { Rank } from './places.ts';
import { nextBatch, sendBatch } from './registrations.ts';
import {
  blockAfterLosses,
  CLASSES,
  hasRoom,
  inTurn,
  isNear,
  LONGEST_PAUSE_TICKS,
  pauseTicks,
  verdict,
} from './schedule.ts';
import type { Sender, Sent } from './sending.ts';
import type { QueueTrouble } from './trouble.ts';

type Parts = {
  entries: Entries;
  sender: Sender;
  /** Whether something failed that must not fail: any error that is thrown from then on ends the queue. */
  isBroken: () => boolean;
  onTrouble: (trouble: QueueTrouble) => void;
};

const MOST_LOST_RUNS = 3;
/** Jobs that are looked through without a pause. */
const MOST_AT_ONCE = 200;

export function createAdvance(parts: Parts) {
  const { entries, sender, isBroken, onTrouble } = parts;
  let ticks = 0;
  let headBlock = 0n;
  const pause = createBreather(MOST_AT_ONCE);

  /** Whether the job's next call may be sent now, as far as the job itself is concerned. */
  async function isDue(entry: Entry): Promise<boolean> {
    const { notBeforeBlock } = entry.job;
    if (ticks < entry.notBeforeTick || entries.toPending(entry) !== undefined) return false;
    // A simulation runs on the newest block, not on the next one.
    if (notBeforeBlock !== undefined && headBlock < notBeforeBlock) return false;
    const isWanted = entry.job.isWanted?.() !== false;
    if (isWanted && mayRunAgain(entry)) return true;
    // What a token takes cannot be known beforehand where its blocks differ from its simulations.
    const why = isWanted ? 'mined without effect' : 'nothing waits for it any more';
    await entries.end([entry], why, isWanted && entry.job.mostGas !== undefined);
    return false;
  }

  async function sendEach(due: readonly Entry[], market: Market): Promise<void> {
    for (const entry of due) {
      await pause();
      if (hasRoom(entries.waiting(rankOf(entry), market), entry.kind) && (await isDue(entry)))
        await attempt([entry], () => skipAndSend(entry, market));
    }
  }

  /**
   * Sends registrations, as many as possible in one transaction. After a failure the others wait, too: what stops
   * one, the endpoint or the money, stops all.
   */
  async function sendTogether(due: readonly Entry[], rank: Rank, market: Market): Promise<void> {
    let waiting: Entry[] = [];
    for (const entry of due) {
      await pause();
      if (await isDue(entry)) waiting.push(entry);
    }
    while (waiting.length > 0 && hasRoom(entries.waiting(rank, market), 'register')) {
      const batch = await nextBatch(waiting, parts, market);
      const [first] = batch;
      if (first === undefined) return;
      const isSent = await attempt(batch, () =>
        batch.length === 1 ? skipAndSend(first, market) : sendBatch(batch, parts, market),
      );
      if (!isSent) return;
      waiting = waiting.filter((entry) => entries.toPending(entry) === undefined);
    }
  }

  /** Sends one transaction for these jobs; returns whether it did. */
  async function attempt(batch: readonly Entry[], send: () => Promise<Sent>): Promise<boolean> {
    try {
      const sent = await send();
      if (sent.type === 'short') await fail(batch, 'insufficient_gas', shortage(sent), headBlock);
      if (sent.type === 'tooDear')
        await entries.end(batch, `it would take ${sent.used} gas: too much`, true);
      if (sent.type !== 'sent') return false;
      for (const entry of batch) noteSent(entry);
      return true;
    } catch (error) {
      if (isBroken()) throw error;
      await noteFailure(batch, error, headBlock);
      return false;
    }
  }

  async function skipAndSend(entry: Entry, market: Market): Promise<Sent> {
    if (!(await isRehearsed(entry))) return { type: 'later' };
    const { job, step, lostRuns } = entry;
    const call = nextCall(entry);
    if (call === undefined) {
      await entries.end([entry], 'nothing left to do: the chain has it already');
      return { type: 'later' };
    }
    if (call.skipIf !== undefined && (await call.skipIf())) {
      entry.step += 1;
      entry.isStarted = true;
      return skipAndSend(entry, market);
    }
    const isLast = isNear(job.deadlineBlock, market.headBlock);
    const fees = firstFees(market, isLast);
    // Until that block the call is only simulated, to see whether somebody else has made it needless.
    const isHeld = headBlock < (blockAfterLosses(job, entry) ?? headBlock);
    if (isHeld) entry.notBeforeTick = ticks + LONGEST_PAUSE_TICKS;
    const { key, mostGas } = job;
    const order = { job: key, step, call, lostRuns, isHeld, mostGas, rank: rankOf(entry) };
    const later = job.calls.slice(step + 1);
    return sender.send({ ...order, ...entries.asidesOf([entry]), later }, fees, market);
  }

  function noteFailure(batch: readonly Entry[], error: unknown, atBlock: bigint | null) {
    const kind = classify(error);
    // One of the registrations may be the reason, or the registry knows no batches.
    if (kind === 'reverted' && batch.length > 1) for (const entry of batch) entry.isAlone = true;
    const detail = kind === 'reverted' ? revertReason(error) : describe(error);
    return fail(batch, kind, detail, atBlock);
  }

  /** Whether nothing is known against the whole of the job; else it has ended. */
  async function isRehearsed(entry: Entry): Promise<boolean> {
    const { rehearse } = entry.job;
    if (entry.isRehearsed || rehearse === undefined) return true;
    const detail = await rehearse();
    entry.isRehearsed = true;
    if (detail === null) return true;
    tell([entry], 'reverted', detail);
    await entries.end([entry], detail);
    return false;
  }

  function tell(batch: readonly Entry[], kind: ChainErrorKind, detail: string): void {
    for (const { job } of batch) onTrouble({ job: job.key, kind, detail });
  }

  /**
   * Notes a failure of these jobs, and ends each that has failed for good; `atBlock` is null when the endpoint did
   * not tell the newest block.
   */
  async function fail(
    batch: readonly Entry[],
    kind: ChainErrorKind,
    detail: string,
    atBlock: bigint | null,
  ): Promise<void> {
    // An endpoint that failed before anything was tried has been told of already.
    if (atBlock !== null) tell(batch, kind, detail);
    for (const entry of batch) {
      entry.tries += 1;
      entry.notBeforeTick = ticks + pauseTicks(kind, entry.tries, entry.job, headBlock);
      if (kind === 'insufficient_gas') entry.failure = kind;
      const code = entry.isAlone && batch.length > 1 ? null : verdict(kind, entry, atBlock);
      if (code !== null) await entries.report(entry, { ok: false, code, detail });
    }
  }

  return {
    /** To be called once in each tick, with the newest block. */
    async send(market: Market): Promise<void> {
      headBlock = market.headBlock;
      for (const { due, rank } of inParts(inTurn(entries.active()))) {
        if (due.length > MOST_AT_ONCE) await breathe();
        await sendTogether(due.filter(isShared), rank, market);
        const others = due.filter((entry) => !isShared(entry));
        await sendEach(others, market);
      }
    },
    /** Notes that the endpoint failed before anything could be sent. */
    async noteOutage(error: unknown): Promise<void> {
      const unsent = entries.active().filter((entry) => entries.toPending(entry) === undefined);
      for (const entry of unsent) await noteFailure([entry], error, null);
    },
    /** Begins another tick, whether or not the endpoint answers in it. */
    begin(): void {
      ticks += 1;
    },
  };
}

const isShared = ({ secret }: Entry): boolean => secret !== null;

/** Those of each class, first of what was promised. */
function* inParts(all: readonly Entry[]): Generator<{ due: readonly Entry[]; rank: Rank }> {
  for (const rank of ['promised', 'optional'] as const)
    for (const one of CLASSES)
      yield { due: all.filter((entry) => entry.kind === one && rankOf(entry) === rank), rank };
}

function noteSent(entry: Entry): void {
  entry.isStarted = true;
  entry.wasPromised = rankOf(entry) === 'promised';
  entry.tries = 0;
  entry.failure = null;
}

function shortage({ wei, left }: Extract<Sent, { type: 'short' }>): string {
  const lack = `the account is ${wei} wei short of its gas`;
  return left === 0n ? lack : `${lack}: ${left} wei are kept for what this node has promised`;
}

/** Whether it is tried again after it was mined without effect: not where it may take only so much gas. */
function mayRunAgain({ job, lostRuns, lostBlock }: Entry): boolean {
  if (job.mostGas !== undefined) return lostRuns === 0;
  return lostRuns <= MOST_LOST_RUNS || blockAfterLosses(job, { lostRuns, lostBlock }) !== null;
}
