/**
 * Applies confirmed blocks a few milliseconds at a time: anybody can fill a block with logs, and partners choose at
 * which block thousands of actors have something to do. Callers and messages have their turn in between.
 *
 * A log and everything that follows from it are in one commit with the place up to which the blocks are applied, so
 * that a process that dies in the middle of a block goes on with the next log. Actors are woken when all logs of a range
 * are applied, those first that have to be on chain in time; the next range does not wait for the others. An actor that
 * was not woken yet when the process died is woken at the next block.
 */
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { LogBatch } from '../../chain/watch/batches.ts';
import { blockAfter, placeAfter } from '../../chain/watch/portions.ts';
import { type Batch, emptyBatch } from '../../store/base/batch.ts';
import type { WakeUps } from '../runtime/actors/wake-ups.ts';
import type { Delivery } from '../runtime/commits/delivery.ts';
import { createRound } from '../runtime/commits/round.ts';
import type { Engine } from '../runtime/commits/turn.ts';
import type { ChainHeight } from './height.ts';

type Options = {
  engine: Pick<Engine, 'turn' | 'write' | 'isBroken'>;
  wakeUps: Pick<WakeUps, 'reach' | 'next' | 'isAnyDue' | 'firstUrgent'>;
  height: Pick<ChainHeight, 'reach' | 'complete'>;
  /** What the log is to whom. */
  deliveriesOf(log: ChainLog): Iterable<Delivery>;
  /** Adds to the batch what is stored of the log; answers whether it is anything. */
  store(batch: Batch, log: ChainLog): boolean;
  /** Called before actors are woken that have to be on chain in time, with the first block that one of them waited for. */
  onUrgent(block: bigint): void;
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
};

/** Most logs that share a commit, of those from which anything follows: each has rows to be written. */
const MOST_AT_ONCE = 64;

export function createApplying({ engine, wakeUps, height, ...options }: Options) {
  const round = createRound(options);
  let isWaking = false;
  let isEnded = false;

  const goesOn = () => !isEnded && !engine.isBroken();
  const nextRound = () => new Promise<void>((resolve) => round.next(resolve));

  /** Begins the slice of this round, if it has not begun: what comes first counts, too. */
  const begin = () => void round.isOver();

  /** Applies the range's logs from the one at `first` on, as far as this round reaches. Answers how far that is. */
  function applySome(range: LogBatch, first: number): number {
    const { logs } = range;
    begin();
    let count = first;
    let weight = 0;
    let open = emptyBatch();
    function* deliveries(): Generator<Delivery> {
      for (let log = logs[count]; log !== undefined; log = logs[count]) {
        count += 1;
        height.reach(blockAfter(range, count));
        const before = weight;
        for (const delivery of options.deliveriesOf(log)) {
          weight = before + 1;
          yield delivery;
        }
        if (options.store(open, log)) weight = before + 1;
        if (weight === MOST_AT_ONCE || round.isOver()) break;
      }
      height.reach(blockAfter(range, count));
      open.cursor = placeAfter(range, count);
    }
    engine.turn(deliveries(), (batch) => {
      open = batch;
    });
    return count;
  }

  function wakeSome() {
    begin();
    function* due(): Generator<Delivery> {
      for (let id = wakeUps.next(); id !== null; id = round.isOver() ? null : wakeUps.next())
        yield { to: id, event: { type: 'chain.block' } };
    }
    engine.turn(due());
  }

  async function wakeRest(): Promise<void> {
    if (isWaking) return;
    isWaking = true;
    while (wakeUps.isAnyDue()) {
      await nextRound();
      if (!goesOn()) break;
      wakeSome();
    }
    isWaking = false;
  }

  return {
    /** Resolves when all logs are applied, and all actors are woken that have to be on chain in time. */
    async apply(range: LogBatch): Promise<void> {
      // What came before these blocks belongs to the block before them.
      engine.write();
      for (let count = applySome(range, 0); count < range.logs.length; ) {
        await nextRound();
        if (!goesOn()) return;
        count = applySome(range, count);
      }
      height.complete(range.toBlock);
      wakeUps.reach(range.toBlock);
      const first = wakeUps.firstUrgent();
      if (first !== null) options.onUrgent(first);
      wakeSome();
      // What has to be on chain in time is sent now.
      engine.write();
      void wakeRest();
      while (wakeUps.firstUrgent() !== null && goesOn()) await nextRound();
    },
    /** Nothing is applied any more, and nobody is woken. */
    end(): void {
      isEnded = true;
    },
  };
}
