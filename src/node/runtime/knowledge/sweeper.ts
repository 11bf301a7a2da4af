/**
 * Deletes what is not needed any more while the node works: slice after slice, with a pause between two in which
 * everything else has its turn. What has to be deleted is known by the store alone, so nothing is lost when the process
 * dies at any point of this.
 */
import type { Clock, Log } from '../../../basics/environment.ts';
import type { Fault } from '../../../basics/fault.ts';
import { KEEP_ALL, type Kept } from '../../../store/history/sweep.ts';
import type { Worthless } from '../../../store/history/worthless.ts';
import type { Store } from '../../../store/store.ts';
import type { Engine } from '../commits/turn.ts';

type Options = {
  store: Pick<Store, 'sweep' | 'checkpoint'>;
  clock: Clock;
  log: Log;
  /** How many milliseconds of the history are kept; null: all of it. */
  keepMs: number | null;
  /**
   * Whether the token is money to this node, by its operator's own word or deed: old payments in others are forgotten, also
   * when all of the history is kept.
   */
  isMoney: Worthless['isMoney'];
  /**
   * Whether the clock agrees with the newest block. One that runs a year ahead would make all of the history too old,
   * and a call that is repeated a minute later would pay once more.
   */
  isClockRight(): boolean;
  /** When a commit has failed, nothing is written any more. */
  engine: Pick<Engine, 'isBroken'>;
  fault: Fault;
};

export type Sweeper = ReturnType<typeof createSweeper>;

/** From one slice to the next. */
const PAUSE_MS = 20;
/** How often is looked for history and calls that are too old. */
const LOOK_MS = 600_000;
/** How long is known what became of a call with a key, from its end on. */
const CALL_MS = 86_400_000;
/** How long is known that a payment was redeemed, from its arrival on: a day longer than it could be redeemed at all. */
const REDEMPTION_MS = 2 * 86_400_000;
/**
 * How long a received payment is known, in a token that is no money here: thirty days at least, and as long as it is one of
 * the newest 100,000 of all, which take 60 MB.
 */
const WORTHLESS_MS = 30 * 86_400_000;
const WORTHLESS_ROWS = 100_000;
const FIRST_ROWS = 64;
const LEAST_ROWS = 16;
const MOST_ROWS = 1_024;
/** After so many rows the log is long enough to be brought into the file, meanwhile nothing is deleted. */
const ROWS_PER_CHECKPOINT = 16_000;
/** A slice that took longer is followed by a smaller one, so that none holds the loop for 10 ms. */
const LONG_MS = 3;
const SHORT_MS = 1;

export function createSweeper(options: Options) {
  const { store, clock, log, keepMs, isMoney, isClockRight, engine, fault } = options;
  let looks: (() => void) | null = null;
  let pause: (() => void) | null = null;
  let rows = FIRST_ROWS;
  let inLog = 0;
  let isCheckpointing = false;
  function kept(): Kept {
    if (!isClockRight()) return KEEP_ALL;
    const now = clock.now();
    const history = keepMs === null ? null : { from: now - keepMs, now };
    const worthless = { from: now - WORTHLESS_MS, newest: WORTHLESS_ROWS, isMoney };
    return { history, callsFrom: now - CALL_MS, redemptionsFrom: now - REDEMPTION_MS, worthless };
  }

  function rest(): void {
    pause?.();
    pause = null;
  }

  /** Deletes one slice. Whether there may be another. */
  function slice(): boolean {
    const begin = clock.elapsed();
    try {
      return store.sweep(rows, kept());
    } catch (error) {
      // Nothing depends on what is deleted. What keeps the disk from being written will end the next commit.
      log.warn({ error: String(error) }, 'nothing could be deleted: it is tried again later');
      return false;
    } finally {
      rows = rowsAfter(rows, clock.elapsed() - begin);
    }
  }

  async function checkpoint(): Promise<void> {
    isCheckpointing = true;
    inLog = 0;
    await store.checkpoint();
    isCheckpointing = false;
  }

  function tick(): void {
    if (isCheckpointing) return;
    fault('sweep.before');
    inLog += rows;
    if (engine.isBroken() || !slice()) rest();
    else if (inLog >= ROWS_PER_CHECKPOINT) void checkpoint();
    fault('sweep.after');
  }

  /** Called when something may have to be deleted. */
  function begin(): void {
    pause ??= clock.every(PAUSE_MS, tick);
  }

  return {
    /** Looks for what an earlier process has left, and now and then for what became too old. */
    start(): void {
      begin();
      looks ??= clock.every(LOOK_MS, begin);
    },
    begin,
    end(): void {
      looks?.();
      rest();
    },
  };
}

/** How many rows the next slice has, when `rows` took so many milliseconds. */
export function rowsAfter(rows: number, ms: number): number {
  if (ms > LONG_MS) return Math.max(LEAST_ROWS, Math.floor(rows / 2));
  return ms < SHORT_MS ? Math.min(MOST_ROWS, rows * 2) : rows;
}
