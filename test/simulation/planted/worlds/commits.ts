/** Worlds in which the defects of `../commits.ts` show. */
import { type Part, pay } from '../../small-scenarios.ts';
import { always, moves } from './cheating.ts';

const MUCH = 10 ** 12;

export const COMMIT_WORLDS: Readonly<Record<string, Part>> = {
  'a target never answers': { steps: [pay(0, 2, 100)], silent: 2, busy: 40, calm: 80 },
  'a mediator turns to the chain, and is paid all the same': {
    ...{ steps: [pay(0, 2, 10)], busy: 30, calm: 60 },
    attacks: [moves(1, always('drop', 'RevealSecret'))],
  },
  'several payments share a message, and balance is dear': {
    steps: Array.from({ length: 6 }, () => pay(0, 2, 20 * MUCH, 2)),
    faults: [{ kind: 'disk_slow', nodes: '0', when: { at_block: 0, blocks: 4 }, ms: 500 }],
    capacity: String(1_000 * MUCH),
    defaults: { fees: { flat: '0', proportional_ppm: 0, imbalance_ppm: 20_000, cap: false } },
  },
};
