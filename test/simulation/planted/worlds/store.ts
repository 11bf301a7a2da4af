/** Worlds in which the defects of `../store.ts` show. */
import { type Part, pay } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

const die = (node: number, at_block: number, blocks = 3) => {
  return { kind: 'kill', nodes: String(node), when: { at_block, blocks } };
};

export const STORE_WORLDS: Readonly<Record<string, Part>> = {
  'partners pay each other': {
    nodes: 2,
    steps: [pay(0, 1, 10), pay(1, 0, 5, 3), pay(0, 1, 7, 3)],
  },
  'partners pay each other on disks that are late': {
    nodes: 2,
    steps: [pay(0, 1, 10), pay(1, 0, 5, 3), pay(0, 1, 7, 3)],
    faults: [{ kind: 'disk_late', nodes: 'all', ms: 1_700, when: { at_block: 1, blocks: 4 } }],
  },
  'partners pay each other in large amounts, and one starts again': {
    nodes: 2,
    capacity: '1000000000000000000001',
    steps: [1, 2, 8, 9].flatMap((block) => [
      { ...pay(0, 1, 0, block), amount: '100000000000000000003' },
    ]),
    faults: [die(0, 4), die(1, 5)],
    busy: 12,
  },
  'one starts again while a target is silent': {
    steps: [pay(0, 2, 10)],
    silent: 2,
    faults: [die(0, 6)],
    busy: 50,
  },
  'one starts again with messages that nobody has heard': {
    nodes: 2,
    steps: [pay(0, 1, 10)],
    faults: [{ kind: 'deaf', nodes: '1', when: { at_block: 0, blocks: 5 } }, die(0, 3)],
    busy: 10,
  },
  'a target starts again before the initiator has heard it': {
    steps: [pay(0, 2, 10)],
    faults: [{ kind: 'deaf', nodes: '0', when: { at_block: 0, blocks: 6 } }, die(2, 3, 1)],
    busy: 12,
  },
  'a disk is full while payments are under way': {
    nodes: 2,
    steps: [1, 2, 3, 4, 5, 6, 7, 8].flatMap((block) => [pay(0, 1, 5, block), pay(1, 0, 3, block)]),
    faults: [{ kind: 'disk_full', nodes: '0', when: { at_block: 4, blocks: 3 } }],
    busy: 12,
  },
  'a partner says that a database is old': {
    nodes: 2,
    steps: [pay(0, 1, 10), { ...pay(0, 1, 5, 20), expect: 'success' }],
    attacks: [
      moves(1, {
        ...{ do: 'change', type: 'Sync', field: 'acceptedNonce', times: 1000 },
        value: { kind: 'shifted', by: 1 },
      }),
    ],
    faults: [die(0, 8)],
    busy: 25,
  },
};
