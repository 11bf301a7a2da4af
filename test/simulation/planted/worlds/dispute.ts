/** Worlds in which the defects of `../dispute.ts` show. */
import { close, leave, type Part, pay, TIME_TO_SETTLE } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

const drop = (type: string) => ({ do: 'drop', type, times: 100 });

export const DISPUTE_WORLDS: Readonly<Record<string, Part>> = {
  // Each has a proof of the other, and the one that did not close has to bring its own.
  'a payer closes, who was paid too': {
    nodes: 2,
    steps: [pay(0, 1, 100), pay(1, 0, 30, 3), close(0, 1, 8), leave(10)],
    busy: 12,
    ...TIME_TO_SETTLE,
  },
  // Nobody else settles it: its owner has gone.
  'a payee closes with an old proof and goes': {
    steps: [
      pay(0, 2, 100),
      { do: 'kill', at_block: 40, nodes: '1' },
      { do: 'leave', at_block: 60, nodes: '0' },
    ],
    attacks: [
      moves(2, drop('SecretRequest')),
      moves(1, { do: 'close', after: 36, index: 1, age: 1 }),
    ],
    busy: 62,
    ...TIME_TO_SETTLE,
  },
  'a transfer crosses with a close': {
    nodes: 2,
    steps: [pay(1, 0, 5), close(0, 1, 5), pay(1, 0, 30, 5), leave(10)],
    busy: 12,
    ...TIME_TO_SETTLE,
  },
  'a payer closes while simulations fail': {
    nodes: 2,
    steps: [pay(0, 1, 100), close(0, 1, 5)],
    faults: [{ kind: 'refused_calls', nodes: '1', when: { at_block: 6, blocks: 18 } }],
    defaults: { settle_timeout: 24 },
    busy: 30,
    ...TIME_TO_SETTLE,
  },
  'a channel is opened again while the old one is unlocked': {
    nodes: 3,
    steps: [
      pay(0, 2, 100),
      close(1, 0, 5),
      { do: 'open_channel', at_block: 34, node: 1, partner: 0, deposit: '500' },
      pay(1, 0, 10, 42),
      { ...pay(0, 1, 5, 44), expect: 'success' },
    ],
    silent: 2,
    faults: [{ kind: 'refused_calls', nodes: '0', when: { at_block: 26, blocks: 24 } }],
    busy: 60,
    ...TIME_TO_SETTLE,
  },
  'a payer does not unlock what was registered': {
    nodes: 2,
    steps: [pay(0, 1, 100)],
    attacks: [moves(0, drop('unlock'))],
    busy: 60,
    ...TIME_TO_SETTLE,
  },
  'a partner is silent while its channel is settled': {
    nodes: 2,
    steps: [pay(0, 1, 100, 3), close(0, 1, 8)],
    silent: 1,
    busy: 12,
    ...TIME_TO_SETTLE,
  },
  'both settle while blocks are full': {
    nodes: 2,
    steps: [pay(0, 1, 100), pay(1, 0, 30, 3), close(0, 1, 8), leave(10)],
    faults: [{ kind: 'full_blocks', share: 1, when: { at_block: 9, blocks: 60 } }],
    busy: 70,
    ...TIME_TO_SETTLE,
  },
};
