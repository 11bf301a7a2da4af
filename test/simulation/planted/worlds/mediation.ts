/** Worlds in which the defects of `../mediation.ts` show. */
import { cheat, close, type Part, pay } from '../../small-scenarios.ts';
import { always, atExpiration, moves } from './cheating.ts';

const LATE = { busy: 40, calm: 80 };
const hidesSecret = always('ignore', 'RevealSecret');
/** Says nothing of what it has to pay, and takes its locks back as soon as it can. */
const keepsMoney = [always('drop', 'unlock'), atExpiration('expire', 2)];

export const MEDIATION_WORLDS: Readonly<Record<string, Part>> = {
  'a lock outlives the settlement of its channel': {
    ...{ steps: [pay(0, 2, 100)], busy: 70, calm: 140 },
    settings: [{ nodes: '1', settle_timeout: 100 }],
    attacks: [
      moves(
        0,
        {
          do: 'change',
          type: 'lock',
          field: 'lock.expiration',
          value: { kind: 'shifted', by: 40 },
          is_hidden: true,
        },
        { do: 'close', after: 4, age: 0 },
      ),
      moves(
        2,
        { do: 'forge', what: 'request', after: 3, value: { kind: 'shifted', by: -40 } },
        hidesSecret,
        always('ignore', 'lock'),
        atExpiration('register', -6),
      ),
    ],
  },
  'a secret is shown to a mediator that passed nothing on': {
    ...{ steps: [pay(0, 2, 100), close(1, 2, 3)], ...LATE },
    attacks: [
      moves(
        0,
        { do: 'forge', what: 'lock', after: 8, value: { kind: 'head', plus: 19 } },
        atExpiration('reveal', -6),
      ),
    ],
  },
  'a next hop gives a transfer back': {
    ...{ nodes: 4, steps: [pay(0, 3, 100)], silent: 3, ...LATE },
    attacks: [moves(2, always('drop', 'SecretRequest'), { do: 'forge', what: 'refund', after: 4 })],
  },
  'a payee registers in time, and the payer takes its lock back': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [
      moves(0, ...keepsMoney),
      moves(2, hidesSecret, always('drop', 'RevealSecret'), atExpiration('register', -6)),
    ],
  },
  'a secret comes when it is too late to register it': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(0, ...keepsMoney), moves(2, hidesSecret, atExpiration('reveal', -1))],
  },
  'a payer withholds unlocks': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(0, ...keepsMoney)],
  },
  'a payment goes a long way': {
    ...{ nodes: 5, steps: [{ ...pay(0, 4, 100), expect: 'success' }], crypto: 1 },
  },
  'the payer chose a settle timeout that is too short': {
    ...{ nodes: 2, steps: [pay(0, 1, 100), pay(0, 1, 50, 3)], ...LATE },
    settings: [{ nodes: '0', behaviour: 'withheld_unlocks', settle_timeout: 4, reveal_timeout: 2 }],
  },
  'the partner chose a settle timeout that is too short': {
    ...{ nodes: 2, steps: [{ ...pay(1, 0, 100), lock_timeout: 12 }], ...LATE },
    settings: [{ nodes: '0', behaviour: 'late_reveal', settle_timeout: 12, reveal_timeout: 6 }],
  },
  'a payer locks the same secrethash again with each unlock': {
    ...{ steps: [pay(0, 2, 10)], attacks: [cheat('ghost_mediator', 0)], ...LATE },
  },
  'a payer fills a channel with dust': {
    topology: { kind: 'star', nodes: 4 },
    defaults: { reveal_timeout: 20, settle_timeout: 40 },
    steps: [
      pay(1, 2, 5),
      { ...pay(3, 2, 50, 20), expect: 'success' },
      { ...pay(0, 2, 50, 20), expect: 'success' },
    ],
    ...LATE,
    attacks: [
      moves(1, {
        do: 'forge',
        what: 'lock',
        after: 8,
        times: 170,
        value: { kind: 'head', plus: 39 },
      }),
    ],
  },
};
