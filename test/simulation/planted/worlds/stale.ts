/** Worlds in which a node knows less of the chain, or of the time, than it should. */
import { type Part, pay } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

const LATE = { busy: 40, calm: 80 };

export const STALE_WORLDS: Readonly<Record<string, Part>> = {
  // Only a node that has not seen the last ten blocks takes the lock for longer than the reveal timeout.
  'an endpoint stands still when a short lock comes': {
    steps: [pay(0, 2, 100, 13)],
    faults: [{ kind: 'frozen_head', nodes: '1', when: { at_block: 3, blocks: 24 } }],
    attacks: [
      moves(0, {
        ...{ do: 'change', type: 'lock', field: 'lock.expiration', is_hidden: true },
        value: { kind: 'head', plus: 5 },
      }),
    ],
    ...LATE,
  },
  // The node has looked at the chain just before, and gets the second payment before it looks again.
  'a machine waits for its disk while payments come': {
    steps: [pay(2, 0, 10, 4), pay(0, 2, 10, 4)],
    faults: [{ kind: 'disk_slow', nodes: '1', ms: 32_000, when: { at_block: 4 } }],
    chain: { block_time: 2 },
    ...LATE,
  },
  // By the corrected clock, the last announcement was made fifty seconds in the future.
  'clocks are put right while a channel fills again': {
    steps: [
      { ...pay(0, 2, 900, 7), expect: 'success' },
      pay(2, 1, 800, 9),
      pay(1, 0, 500, 9),
      { ...pay(0, 2, 300, 10), expect: 'success' },
    ],
    services: { path_finding: { kind: 'local' } },
    faults: [{ kind: 'wrong_clock', nodes: '1,2', ms: 50_000, when: { at_block: 3, blocks: 5 } }],
    busy: 14,
  },
};
