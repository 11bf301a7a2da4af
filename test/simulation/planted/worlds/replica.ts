/** Worlds of a node whose database is replicated, and whose machine is not the only one with its key. */
import { close, type Part, pay } from '../../small-scenarios.ts';

const told = { nodes: '0', standby: {} };
const bySilence = { nodes: '0', standby: { takeover_after: 5 } };
const fault = (kind: string, at_block: number, blocks = 1, more = {}) => {
  return { kind, nodes: '0', when: { at_block, blocks }, ...more };
};
const payments = [2, 3, 4, 5, 6].flatMap((block) => [pay(0, 1, 10, block), pay(1, 0, 5, block)]);

export const REPLICA_WORLDS: Readonly<Record<string, Part>> = {
  'partners pay each other, and one is replicated': {
    nodes: 2,
    settings: [bySilence],
    steps: [pay(0, 1, 10), pay(1, 0, 5, 3)],
  },
  'a standby takes over while its node is busy': {
    nodes: 2,
    settings: [told],
    steps: payments,
    faults: [2, 3, 4, 5, 6].map((block) => fault('takeover', block)),
    busy: 10,
  },
  'a node cannot reach its stream, and its standby takes over': {
    nodes: 2,
    settings: [bySilence],
    steps: payments,
    faults: [fault('stream_away', 2, 4)],
    busy: 10,
  },
  'a standby takes over while a partner is silent': {
    nodes: 2,
    settings: [told],
    steps: [pay(0, 1, 10, 2)],
    silent: 1,
    faults: [fault('takeover', 4)],
    busy: 20,
  },
  'a node dies before its stream has what it has written': {
    nodes: 2,
    settings: [told],
    // Some of them begin before the node has noticed that its stream is away.
    steps: [...Array.from({ length: 8 }, () => pay(0, 1, 10, 2)), pay(0, 1, 20, 14)],
    faults: [fault('stream_away', 2, 3), fault('kill', 3, 3), fault('takeover', 10)],
    busy: 18,
  },
  'a machine loses what its stream has': {
    nodes: 2,
    settings: [told],
    steps: [...payments, ...[7, 8, 9, 10, 11, 12].map((block) => pay(0, 1, 10, block))],
    faults: [
      fault('disk_late', 1, 14, { ms: 9_000 }),
      ...[2, 4, 6, 8, 10, 12].map((block) => ({
        ...fault('kill_at', block, 2),
        point: 'commit.written',
        nth: 3,
      })),
    ],
    busy: 16,
  },
  'a node is told to close, and its standby takes over': {
    nodes: 2,
    settings: [told],
    steps: [pay(1, 0, 10, 1), close(0, 1, 4), pay(1, 0, 100, 4)],
    faults: [fault('stream_away', 4, 4), fault('takeover', 4)],
    busy: 12,
    calm: 80,
  },
};
