/** Worlds in which the defects of `../withdraw.ts` show. */
import { inChannel, type Part, pay } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

const withdraw = (node: number, partner: number, amount: number, at_block = 3) =>
  inChannel('withdraw', node, partner, { at_block, amount: String(amount) });
/** The blocks of an attack in which it does this. */
const at = (blocks: readonly number[], move: object) => blocks.map((after) => ({ ...move, after }));
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);
const total = (value: number) => ({ kind: 'constant', value });

export const WITHDRAW_WORLDS: Readonly<Record<string, Part>> = {
  'nobody agrees to a withdrawal': {
    nodes: 2,
    steps: [withdraw(0, 1, 800), pay(0, 1, 500, 6)],
    attacks: [moves(1, { do: 'drop', type: 'WithdrawConfirmation', times: 1000 })],
    busy: 30,
  },
  'nobody hears of a withdrawal, and payments go on': {
    nodes: 2,
    steps: [withdraw(0, 1, 300), pay(0, 1, 5, 5), pay(0, 1, 5, 7)],
    attacks: [moves(1, { do: 'ignore', type: 'WithdrawRequest', times: 1000 })],
    busy: 30,
  },
  'two ask for one withdrawal': {
    nodes: 2,
    steps: [withdraw(0, 1, 300), withdraw(0, 1, 300)],
    busy: 10,
  },
  // It is asked for at block 3, with 19 blocks until it expires.
  'a withdrawal is taken back at each block around its expiration': {
    nodes: 2,
    steps: [pay(1, 0, 1), withdraw(1, 0, 800)],
    attacks: [
      moves(
        1,
        { do: 'ignore', type: 'WithdrawConfirmation', times: 1000 },
        ...at(range(12, 26), { do: 'forge', what: 'lapse' }),
      ),
    ],
    busy: 35,
  },
  'a partner agrees to a withdrawal': { nodes: 2, steps: [withdraw(0, 1, 800)], busy: 10 },
  'a consent to a withdrawal comes late': {
    nodes: 2,
    steps: [withdraw(0, 1, 800)],
    attacks: [moves(1, { do: 'hold', type: 'WithdrawConfirmation', times: 1000, blocks: 13 })],
    busy: 30,
  },
  'a partner asks for more than it has': {
    nodes: 2,
    steps: [pay(1, 0, 100)],
    attacks: [
      moves(
        1,
        ...at([3], {
          do: 'forge',
          what: 'withdraw',
          value: total(1500),
          until: { kind: 'head', plus: 50 },
        }),
      ),
    ],
    busy: 20,
  },
  'a partner asks for what runs out at once and pays with it': {
    nodes: 2,
    steps: [pay(1, 0, 400)],
    attacks: [
      moves(
        1,
        {
          do: 'forge',
          what: 'withdraw',
          value: total(500),
          until: { kind: 'head', plus: 1 },
          after: 3,
        },
        { do: 'forge', what: 'lock', after: 4 },
      ),
    ],
    busy: 20,
  },
  'a partner asks for one withdrawal after the other': {
    nodes: 2,
    steps: [pay(1, 0, 1)],
    attacks: [
      moves(
        1,
        ...range(1, 20).map((n) => ({
          ...{ do: 'forge', what: 'withdraw', value: total(n), after: 3 },
          until: { kind: 'head', plus: 60 },
        })),
      ),
    ],
    busy: 20,
  },
  // All of them have run out; of the oldest the node has forgotten what it said.
  'a partner asks again for what was forgotten': {
    nodes: 2,
    steps: [pay(1, 0, 1)],
    attacks: [
      moves(
        1,
        ...[...range(1, 66), 1].map((n) => ({
          ...{ do: 'forge', what: 'withdraw', value: total(n), after: 30 },
          until: total(20),
        })),
      ),
    ],
    busy: 40,
  },
};
