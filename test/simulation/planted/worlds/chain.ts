/** Worlds in which the defects of `../chain.ts` show. */
import { close, type Part, pay, TIME_TO_SETTLE } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

export const CHAIN_WORLDS: Readonly<Record<string, Part>> = {
  'a payee has to register': {
    nodes: 2,
    steps: [pay(0, 1, 100)],
    attacks: [moves(0, { do: 'drop', type: 'unlock', times: 1000 })],
    busy: 30,
    ...TIME_TO_SETTLE,
  },
  'a payee has to register while receipts are mixed up': {
    nodes: 2,
    steps: [pay(0, 1, 100)],
    attacks: [moves(0, { do: 'drop', type: 'unlock', times: 1000 })],
    faults: [
      { kind: 'wrong_receipts', nodes: '1', when: { at_block: 1, blocks: 30 } },
      { kind: 'full_blocks', share: 1, when: { at_block: 8, blocks: 6 } },
    ],
    busy: 40,
    ...TIME_TO_SETTLE,
  },
  // The block in which it was closed is the first that is not read when the process dies.
  'a node is off while its channel is closed': {
    nodes: 2,
    steps: [pay(0, 1, 100), close(0, 1, 5)],
    faults: [{ kind: 'kill', nodes: '1', when: { at_block: 6, blocks: 4 } }],
    busy: 15,
    ...TIME_TO_SETTLE,
  },
  'a node sleeps long, and then gets logs of few blocks at once': {
    nodes: 2,
    steps: [pay(0, 1, 100), { ...pay(1, 0, 10, 110), expect: 'success' }],
    faults: [
      { kind: 'short_log_ranges', nodes: '1', most: 5, when: { at_block: 3, blocks: 120 } },
      { kind: 'kill', nodes: '1', when: { at_block: 5, blocks: 70 } },
    ],
    busy: 125,
  },
  'logs are missing while a channel is closed': {
    nodes: 2,
    steps: [pay(0, 1, 100), close(0, 1, 5)],
    faults: [{ kind: 'missing_logs', nodes: '1', when: { at_block: 4, blocks: 8 } }],
    busy: 15,
    ...TIME_TO_SETTLE,
  },
  'confirmed blocks are replaced': {
    nodes: 2,
    steps: [pay(0, 1, 100), pay(0, 1, 10, 12)],
    faults: [{ kind: 'reorganisation', depth: 4, when: { at_block: 8 } }],
    busy: 20,
  },
};
