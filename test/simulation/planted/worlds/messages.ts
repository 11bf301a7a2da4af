/** Worlds in which the defects of `../messages.ts` show. */
import { type Part, pay } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

const LATE = { busy: 40, calm: 80 };
const busy = (per_block: number) => ({
  from: { kind: 'uniform' },
  to: { kind: 'uniform' },
  rate: { kind: 'constant', per_block },
  amount: { kind: 'constant', amount: '1' },
});

export const MESSAGE_WORLDS: Readonly<Record<string, Part>> = {
  'a lock is for a channel that is not there': {
    ...{ nodes: 2, steps: [pay(0, 1, 100)], ...LATE },
    attacks: [
      moves(0, {
        do: 'change',
        type: 'Update',
        field: 'channelId',
        value: { kind: 'shifted', by: 5 },
      }),
    ],
  },
  'a partner sends what cannot be read': {
    ...{ nodes: 2, steps: [pay(0, 1, 100)], busy: 20, calm: 20 },
    attacks: [
      moves(0, ...[2, 20, 55, 80, 90].map((bytes) => ({ do: 'noise', after: 2, to: 1, bytes })), {
        do: 'nest',
        after: 4,
        to: 1,
        depth: 30_000,
      }),
    ],
  },
  'many payments pass between two nodes': {
    ...{ nodes: 2, capacity: '100000', steps: [], busy: 8, calm: 12 },
    traffic: [busy(80)],
  },
  'many payments pass, and messages are lost': {
    ...{ nodes: 2, capacity: '100000', steps: [], busy: 6, calm: 50 },
    traffic: [busy(12)],
    faults: [{ kind: 'loss', share: 0.3, when: { at_block: 1, blocks: 4 } }],
  },
};
