/** Worlds in which the defects of `../transactions.ts` show. */
import { close, inChannel, leave, type Part, pay, TIME_TO_SETTLE } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

const deposit = (node: number, partner: number, at_block: number, amount = 50) =>
  inChannel('deposit', node, partner, { at_block, amount: String(amount) });
const withheld = (node: number) => moves(node, { do: 'drop', type: 'unlock', times: 1000 });

export const TRANSACTION_WORLDS: Readonly<Record<string, Part>> = {
  'a node dies with orders that no block has taken': {
    nodes: 2,
    steps: [pay(0, 1, 100), close(0, 1, 5), leave(12)],
    faults: [
      { kind: 'unreachable', nodes: '0', when: { at_block: 5, blocks: 4 } },
      { kind: 'kill', nodes: '0', when: { at_block: 7, blocks: 3 } },
      { kind: 'kill', nodes: '0', when: { at_block: 29, blocks: 3 } },
    ],
    busy: 35,
    ...TIME_TO_SETTLE,
  },
  'a node dies as soon as a transaction is sent': {
    nodes: 2,
    steps: [deposit(0, 1, 4), pay(0, 1, 10, 9)],
    faults: [
      { kind: 'full_blocks', share: 1, when: { at_block: 5, blocks: 6 } },
      {
        ...{ kind: 'kill_at', nodes: '0', point: 'transaction.sent', nth: 2 },
        when: { at_block: 3, blocks: 4 },
      },
    ],
    busy: 15,
  },
  // Strangers fill the blocks and pay more than anybody offers at first.
  'a secret is to be registered while blocks are full': {
    nodes: 3,
    steps: [pay(0, 2, 100), { do: 'kill', at_block: 31, nodes: '0' }, { ...leave(40), nodes: '1' }],
    attacks: [withheld(0)],
    faults: [{ kind: 'full_blocks', share: 1, when: { at_block: 6, blocks: 24 } }],
    busy: 32,
    ...TIME_TO_SETTLE,
  },
  'many secrets are to be registered at once': {
    nodes: 2,
    capacity: '100000',
    steps: Array.from({ length: 40 }, () => pay(0, 1, 10)),
    attacks: [withheld(0)],
    busy: 60,
    ...TIME_TO_SETTLE,
  },
  'a mediator has no money for gas': {
    steps: [pay(0, 2, 10), pay(0, 2, 10, 12)],
    faults: [{ kind: 'no_gas', nodes: '1', when: { at_block: 3, blocks: 15 } }],
    busy: 25,
  },
  'somebody else uses the account of a node': {
    nodes: 2,
    steps: [pay(0, 1, 100), close(0, 1, 5), leave(12)],
    faults: [{ kind: 'foreign_transaction', nodes: '0', when: { at_block: 4, blocks: 8 } }],
    busy: 35,
    ...TIME_TO_SETTLE,
  },
  'a token burns gas when a channel is settled': {
    nodes: 2,
    steps: [pay(0, 1, 100), close(0, 1, 5)],
    faults: [{ kind: 'hostile_token', burns: 5_000_000, when: { at_block: 4, blocks: 50 } }],
    busy: 40,
    ...TIME_TO_SETTLE,
  },
  'a token fails when a channel is settled': {
    nodes: 2,
    steps: [pay(0, 1, 100), close(0, 1, 5)],
    faults: [{ kind: 'hostile_token', when: { at_block: 4, blocks: 50 } }],
    busy: 50,
    calm: 150,
  },
  'two partners close in one moment': {
    steps: [deposit(1, 0, 0), ...[0, 2].flatMap((node) => [pay(node, 1, 10), close(node, 1, 5)])],
    busy: 8,
    ...TIME_TO_SETTLE,
  },
  // It could pay for both, one after the other.
  'a node with little gas closes two channels': {
    settings: [{ nodes: '1', gas_money: '0.00016 ether' }],
    steps: [0, 2].flatMap((node) => [
      close(1, node, 2),
      inChannel('await_settled', 1, node, { at_block: 2, within: 45 }),
    ]),
    busy: 8,
    ...TIME_TO_SETTLE,
  },
  'strangers open channels with a node that has little gas': {
    topology: { kind: 'empty', nodes: 8 },
    settings: [{ nodes: '0', gas_money: '0.003 ether' }],
    steps: [1, 2, 3, 4, 5, 6, 7].map((node) =>
      inChannel('open_channel', node, 0, { deposit: '1000', partner_deposit: '0' }),
    ),
    busy: 40,
  },
};
