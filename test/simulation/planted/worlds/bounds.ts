/** Worlds in which the defects of `../bounds.ts` show. */
import { cheat, inChannel, leave, type Part, pay } from '../../small-scenarios.ts';
import { always, moves } from './cheating.ts';

const FREE = { flat: 0, proportional_ppm: 0, imbalance_ppm: 0 };
const many = (from: number, to: number, per_block: number, until_block: number) => ({
  from: { kind: 'nodes', nodes: String(from) },
  to: { kind: 'nodes', nodes: String(to) },
  rate: { kind: 'constant', per_block },
  amount: { kind: 'constant', amount: '1' },
  until_block,
});
const [HUB, ATTACKER, PAYER, PAYEE] = [0, 1, 2, 3];
const opened = (node: number, partner: number) =>
  inChannel('open_channel', node, partner, { deposit: '1000', partner_deposit: '0' });
const KEYS = { to: 1, keys: 12 };
const STRANGERS = [1, 4, 5, 6, 7, 8];
const STAR = { topology: { kind: 'star', nodes: 4 }, capacity: '100000' };
/** Blocks after which the locks of one round have ended. */
const ROUND = 20;

/** The payee asks for everything that it has not got when its payer has to register the secret of a large payment. */
const BUSY: Part = {
  ...{ nodes: 3, capacity: '1000000', busy: 85, calm: 75 },
  chain: { block_time: 2 },
  defaults: { settle_timeout: 40, core: 0.25, fees: FREE },
  traffic: [many(0, 2, 10, 30)],
  steps: [{ ...pay(0, 2, 450_000, 36), lock_timeout: 24 }, leave(85)],
  attacks: [
    { ...moves(0, always('drop', 'unlock')), from_block: 36 },
    moves(
      2,
      ...['Processed', 'Sync'].map((type) => always('drop', type, { times: 1_000_000 })),
      { do: 'flood', after: 48, to: 1, type: 'Sync', times: 1_000 },
      { do: 'deafness', after: 48, blocks: 200 },
    ),
  ],
};

export const BOUND_WORLDS: Readonly<Record<string, Part>> = {
  'a partner asks a busy mediator for all its messages': BUSY,
  'a payee never acknowledges what it gets': {
    ...{ nodes: 2, capacity: '100000', steps: [], busy: 24, calm: 60 },
    traffic: [many(0, 1, 40, 20)],
    attacks: [cheat('never_acknowledges', 1)],
  },
  'a mediator with little room passes on to who never acknowledges': {
    steps: Array.from({ length: 8 }, (_, n) => pay(0, 2, 1, 1 + n)),
    settings: [{ nodes: '1', bounds: { waiting_bytes: 6_000 } }],
    attacks: [cheat('never_acknowledges', 2)],
    busy: 20,
  },
  'a payer unlocks only what is registered': {
    ...{ ...STAR, busy: 6 * ROUND, calm: 60 },
    steps: Array.from({ length: 5 * 80 }, (_, n) =>
      pay(ATTACKER, HUB, 1, 1 + ROUND * Math.floor(n / 80)),
    ),
    attacks: [cheat('late_unlocks', ATTACKER)],
  },
  'a payer gives locks that never end': {
    ...{ topology: { kind: 'empty', nodes: 9 }, busy: 70, calm: 40 },
    settings: [{ nodes: String(HUB), gas_money: '0.01 ether' }],
    steps: [
      ...[PAYER, HUB].map((node) => opened(node, node === HUB ? PAYEE : HUB)),
      ...STRANGERS.map((node) => opened(node, HUB)),
      ...STRANGERS.map((node) => pay(node, HUB, 1, 15)),
      { ...pay(PAYER, PAYEE, 50, 65), expect: 'success' },
    ],
    attacks: STRANGERS.map((node) => cheat('endless_locks', node)),
  },
  'keys of which nobody has heard close empty channels': {
    ...{ nodes: 4, busy: 60, calm: 60, steps: [pay(0, 2, 10), pay(0, 2, 10, 20)] },
    attacks: [
      moves(
        3,
        { do: 'open', ...KEYS, token: 'burning', settle_timeout: 20 },
        { do: 'abandon', ...KEYS, token: 'burning', after: 4 },
      ),
    ],
  },
  'keys of which nobody has heard leave channels to a node': {
    ...{ nodes: 4, busy: 60, calm: 60, steps: [pay(0, 2, 10), pay(0, 2, 10, 20)] },
    attacks: [
      moves(
        3,
        { do: 'open', ...KEYS, token: 'burning', gift: 1_000, settle_timeout: 20 },
        { do: 'stuff', ...KEYS, token: 'burning', after: 1, blocks: 19, show: 'told' },
        { do: 'abandon', ...KEYS, token: 'burning', after: 4 },
      ),
    ],
  },
  'a partner with pending locks falls silent': {
    ...{ nodes: 2, capacity: '100000', steps: [], busy: 120, calm: 60 },
    traffic: [many(0, 1, 80, 4)],
    attacks: [moves(1, { do: 'silence', after: 1, blocks: 115 })],
  },
};
