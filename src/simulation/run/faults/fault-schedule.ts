/** When the faults of a scenario begin and end, and for which nodes: the same in each run with the same seed. */

import { type Selectable, select } from '../../scenario/schema/selection.ts';
import type { Fault, Occasion, SeenCall } from '../../scenario/schema/trouble.ts';
import type { Draw, Randomness } from '../../world/randomness.ts';

/** The function that ends a fault; null: there is nothing to end. */
export type Undo = (() => void) | null;
/** Gives the field a value, and its usual one again when the fault ends. */
export function during<T, K extends keyof T>(of: T, field: K, value: T[K], usual: T[K]) {
  of[field] = value;
  return () => {
    of[field] = usual;
  };
}

/** A fault, and whom it can strike; null: all at once. */
export type FaultEntry = { fault: Fault; targets: readonly (Selectable | null)[] };
type Options = {
  faults: readonly Fault[];
  nodes: readonly Selectable[];
  randomness: Randomness;
  /** The calm phase begins at this block, counted as the scenario counts. */
  calmBlock: number;
  /** The present block, counted in the same way. */
  present(): number;
  /** Does the work within the next block. */
  soon(draw: Draw, work: () => void): void;
  /** Lets the fault strike a node, or (null) all; each time under a different name. */
  strike(fault: Fault, target: Selectable | null, name: string, draw: Draw): Undo;
  /** How often the fault of this name has taken effect. */
  hits(name: string): number;
  /** Called when a fault begins for a node, null: for all; the returned function is called when it ends. */
  onFault(name: string, index: number | null): (hits: number) => void;
};

/** Calls of contracts for which faults may wait. */
const SEEN: ReadonlyMap<string, SeenCall> = new Map([
  ['closeChannel', 'close'],
  ['updateNonClosingBalanceProof', 'update'],
  ['settleChannel', 'settlement'],
  ['unlock', 'unlock'],
  ['registerSecret', 'registration'],
  ['registerSecretBatch', 'registration'],
  ['setTotalWithdraw', 'withdrawal'],
] as const);
/** Faults by which the other machine of a replicated node takes over. */
const TAKEOVERS: ReadonlySet<string> = new Set(['takeover', 'machine_lost']);

export function createFaultSchedule({ calmBlock, nodes, ...options }: Options) {
  const entries = options.faults.map((fault, n) => {
    const draw = options.randomness.of(`trouble ${n} ${fault.kind}`);
    const targets = 'nodes' in fault ? select(fault.nodes, nodes, draw) : [null];
    const { when } = fault;
    return { fault, draw, targets, left: when.kind === 'after' ? when.nth : 0 };
  });
  const active: { until: number; key: string; end: () => void }[] = [];
  const troubled = new Set<string>();
  let begun = 0;
  let hasEnded = false;

  function begin(fault: Fault, target: Selectable | null, block: number, draw: Draw) {
    // What was met in the last block before the calm phase would never be ended.
    if (hasEnded) return;
    const key = `${fault.kind} ${target?.index ?? 'all'}`;
    // The same fault twice at once on one node counts as one.
    if (troubled.has(key)) return;
    const blocks = Math.min(Number(fault.when.blocks), calmBlock - block);
    if (blocks <= 0) return;
    const name = `${fault.kind} ${++begun}`;
    const undo = options.strike(fault, target, name, draw);
    if (undo === null) return;
    const told = options.onFault(fault.kind, target?.index ?? null);
    if (TAKEOVERS.has(fault.kind) && target !== null) meet('takeover', target.index);
    troubled.add(key);
    const end = () => {
      undo();
      troubled.delete(key);
      told(options.hits(name));
    };
    active.push({ until: block + blocks, key, end });
  }

  function isDue({ fault, draw }: (typeof entries)[number], block: number): boolean {
    const { when } = fault;
    if (when.kind === 'after') return false;
    if (when.kind === 'once') return Number(when.atBlock) === block;
    const until = Math.min(calmBlock, Number(when.untilBlock ?? calmBlock));
    return block >= Number(when.fromBlock) && block < until && draw.happens(when.rate);
  }

  /** A node does something that faults may wait for; what strikes all strikes whoever does it. */
  function meet(occasion: Occasion, index: number) {
    const block = options.present();
    if (block < 0 || block >= calmBlock) return;
    for (const entry of entries) {
      const { fault, draw, targets } = entry;
      const target = targets.find((one) => one === null || one.index === index);
      if (fault.when.kind !== 'after' || fault.when.occasion !== occasion) continue;
      if (target === undefined || --entry.left !== 0) continue;
      options.soon(draw, () => begin(fault, target, options.present(), draw));
    }
  }

  return {
    /** A node sends a transaction, or one of it is mined. */
    saw(index: number, call: string, how: 'sent' | 'mined') {
      const what = SEEN.get(call);
      if (what !== undefined) meet(`${what}_${how}`, index);
    },
    /** Each fault, with the nodes that it may strike. */
    entries,
    /** The next block; `block` is its number as the scenario counts. */
    block(block: number) {
      for (const one of active.filter(({ until }) => until <= block)) {
        active.splice(active.indexOf(one), 1);
        one.end();
      }
      for (const entry of entries)
        for (const target of entry.targets)
          if (isDue(entry, block)) begin(entry.fault, target, block, entry.draw);
    },
    /** Ends all faults. */
    end() {
      hasEnded = true;
      for (const { end } of active.splice(0)) end();
    },
  };
}
