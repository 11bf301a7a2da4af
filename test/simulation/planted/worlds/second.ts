/** Worlds in which a key has two lives: a second process, or an older copy of the database. */
import { inChannel, type Part, pay } from '../../small-scenarios.ts';
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
    steps: [3, 11].map((block) => ({ ...pay(0, 2, 100, block), identifier: 7 })),
    faults: [{ kind: 'kill', nodes: '0', when: { at_block: 5, blocks: 3 } }],
    attacks: [moves(2, always('ignore', 'RevealSecret'), always('drop', 'RevealSecret'))],
    busy: 20,
  },
  // Nothing beside the database tells how far it had come: only the partner can.
  'an old copy is put back, and only a partner can tell': {
    nodes: 2,
    steps: [pay(0, 1, 10, 2), pay(0, 1, 20, 5), { ...pay(0, 1, 30, 14), expect: 'any' }],
    faults: [{ kind: 'disk_old_copy', nodes: '0', age: 4, is_noted: false, when: { at_block: 7 } }],
    busy: 18,
  },
  'an old copy is put back, and its note tells': {
    nodes: 2,
    steps: [pay(0, 1, 10, 2), pay(0, 1, 20, 5)],
    faults: [{ kind: 'disk_old_copy', nodes: '0', age: 4, when: { at_block: 7, blocks: 2 } }],
    busy: 18,
  },
  // The partner hears nothing, and so cannot tell either: the chain does.
  'an old copy is put back that knows nothing of a withdrawal': {
    nodes: 2,
    steps: [inChannel('withdraw', 0, 1, { at_block: 5, amount: '300' }), pay(0, 1, 50, 20)],
    faults: [
      { kind: 'disk_old_copy', nodes: '0', age: 8, is_noted: false, when: { at_block: 12 } },
      { kind: 'deaf', nodes: '1', when: { at_block: 11, blocks: 14 } },
    ],
    busy: 28,
  },
};
