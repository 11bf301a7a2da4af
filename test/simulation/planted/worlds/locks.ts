/** Worlds in which the defects of `../locks.ts` show. */
import { type Part, pay } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

const always = { times: 1_000_000 };
/** What it says and hears is as ever, and nobody gets a secret out of it. */
const UNANSWERED = { do: 'drop', type: 'SecretRequest', ...always };
const changed = (type: string, field: string, value: object) => {
  return { do: 'change', type, field, value, is_hidden: true };
};
const constant = (value: string | number) => ({ kind: 'constant', value });

export const LOCK_WORLDS: Readonly<Record<string, Part>> = {
  'a payment passes one node': { steps: [pay(0, 2, 100)] },
  // The newest confirmed block is the one before the head.
  'a lock leaves just the reveal timeout': {
    steps: [pay(0, 2, 100)],
    attacks: [moves(0, changed('lock', 'lock.expiration', { kind: 'head', plus: 9 }))],
  },
  'a lock is one block longer than the settle timeout': {
    steps: [pay(0, 2, 100)],
    attacks: [moves(0, changed('lock', 'lock.expiration', { kind: 'head', plus: 20 }))],
  },
  'a payer signs for another chain': {
    steps: [pay(0, 1, 100)],
    attacks: [moves(0, changed('Update', 'chainId', constant(1)))],
  },
  'a payer signs in the channel of others': {
    steps: [pay(2, 1, 100)],
    attacks: [moves(2, changed('Update', 'channelId', constant(1)))],
  },
  'a payer signs something else than it says': {
    steps: [pay(0, 2, 100)],
    attacks: [moves(0, { do: 'missign', type: 'Update' })],
  },
  'a partner fills a channel with locks': {
    nodes: 2,
    steps: [pay(0, 1, 10)],
    attacks: [
      moves(0, ...[3, 3, 3].map((after) => ({ do: 'forge', after, what: 'lock', times: 60 }))),
    ],
  },
  'a node pays the same money twice': {
    nodes: 2,
    steps: [pay(0, 1, 700), pay(0, 1, 700)],
    attacks: [moves(1, UNANSWERED)],
  },
  'a payer locks the hash of zeros': {
    steps: [pay(0, 2, 10)],
    attacks: [moves(0, { do: 'forge', after: 3, what: 'lock', secret: 'zero' })],
  },
  'a payer unlocks what is not locked': {
    nodes: 2,
    steps: [pay(0, 1, 10)],
    attacks: [moves(0, { do: 'forge', after: 3, what: 'unlock' })],
  },
  'a payer locks more than it has': {
    nodes: 2,
    steps: [pay(0, 1, 100)],
    attacks: [moves(0, changed('lock', 'lock.amount', { kind: 'scaled', by: 12 }))],
  },
  'a payer changes a lock after signing': {
    nodes: 2,
    steps: [pay(0, 1, 100)],
    attacks: [
      moves(0, {
        ...changed('lock', 'lock.expiration', { kind: 'shifted', by: 1 }),
        is_hidden: false,
      }),
    ],
  },
  'a payer mixes a wrong change among good ones': {
    nodes: 2,
    steps: [pay(0, 1, 100)],
    attacks: [
      moves(
        0,
        ...['mixed', 'order', 'twice', 'many', 'elsewhere', 'jump', 'other'].map((what, n) => ({
          do: 'forge',
          after: 3 + n,
          what,
        })),
      ),
    ],
  },
  'a payer uses a nonce again': {
    nodes: 2,
    steps: [pay(0, 1, 100), pay(0, 1, 50, 3)],
    attacks: [
      moves(0, {
        ...changed('lock', 'nonce', constant(1)),
        ...{ skip: 1, is_hidden: false },
      }),
    ],
  },
  'a node pays with a secret of zeros': { nodes: 2, steps: [{ ...pay(0, 1, 10), secret: 0 }] },
};
