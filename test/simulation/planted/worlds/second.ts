/** Worlds in which a key has two lives: a second process, or an older copy of the database. */
import { type Part, pay } from '../../../../src/simulation/run/small-scenario.ts';
import { always, moves } from './cheating.ts';

export const SECOND_WORLDS: Readonly<Record<string, Part>> = {
  'a second process is started with the key of a mediator': {
    steps: [pay(0, 2, 10, 6)],
    faults: [{ kind: 'second_process', nodes: '1', when: { at_block: 3, blocks: 10 } }],
    busy: 15,
  },
  'somebody who follows a node fails': {
    nodes: 2,
    steps: [pay(0, 1, 10, 3)],
    faults: [{ kind: 'failing_listener', nodes: 'all', when: { at_block: 1, blocks: 5 } }],
    busy: 8,
  },
  // The target can claim the first payment from before the restart on.
  'a payment is asked for again after a restart': {
    nodes: 2,
    steps: [3, 11].map((block) => ({ ...pay(0, 1, 100, block), identifier: 7 })),
    faults: [{ kind: 'kill', nodes: '0', when: { at_block: 5, blocks: 3 } }],
    attacks: [moves(1, always('ignore', 'RevealSecret'), always('drop', 'RevealSecret'))],
    busy: 20,
  },
};
