/** Lets the faults of a scenario strike its world, and ends them. */
import type { Fault } from '../../scenario/schema/trouble.ts';
import type { Randomness } from '../../world/randomness.ts';
import type { Scheduler } from '../../world/scheduler.ts';
import type { Reorganisations } from './chain-faults.ts';
import { type CommonFaultOptions, replaceBlocks, strikeAll } from './common-faults.ts';
import { createFaultSchedule } from './fault-schedule.ts';
import { createNodeFaults, type NodeFaultOptions } from './node-faults.ts';

type Options = Omit<NodeFaultOptions, 'afterBlock'> &
  CommonFaultOptions & {
    faults: readonly Fault[];
    /** The chain's own reorganisations; null: only faults replace blocks. */
    reorganisations: Reorganisations | null;
    randomness: Randomness;
    /** The calm phase begins at this block, counted as the scenario counts. */
    calmBlock: number;
    /** The present block, counted in the same way. */
    block(): number;
    scheduler: Pick<Scheduler, 'after'>;
    blockMs: number;
    /** Called when a fault begins for a node, null: for all; the returned function is called when it ends. */
    onFault(name: string, index: number | null): (hits: number) => void;
  };

export function createTrouble(options: Options) {
  const { world, network, nodes, scheduler, blockMs } = options;
  const schedule = createFaultSchedule({
    faults: options.faults,
    nodes,
    randomness: options.randomness,
    calmBlock: options.calmBlock,
    present: options.block,
    soon: (draw, work) => void scheduler.after(draw.integer(0, blockMs), work),
    onFault: options.onFault,
    hits: (name) => network.counts()[name] ?? 1,
    strike: (fault, target, name, draw) =>
      'nodes' in fault
        ? target && ofNodes.strike(fault, target.index, name, draw)
        : strikeAll(options, fault, name, draw),
  });
  const afterBlock = (work: () => void) => void scheduler.after(blockMs, work);
  const ofNodes = createNodeFaults({ ...options, afterBlock }, schedule.entries);

  /** Makes a reorganisation that is due by the chain's own terms. */
  function reorganise() {
    const { reorganisations: own } = options;
    if (own === null || !own.isDue()) return;
    const told = options.onFault('reorganisation', null);
    replaceBlocks(world.chain, own.depth(), own.fate);
    told(1);
  }

  return {
    /** The next block; `block` is its number as the scenario counts. */
    block(block: number) {
      ofNodes.block(block);
      schedule.block(block);
      reorganise();
    },
    saw: schedule.saw,
    /** Ends all faults. */
    end() {
      schedule.end();
      network.endAll();
    },
  };
}
