/** Worlds in which the defects of `../payments.ts` show. */
import { type Part, pay } from '../../small-scenarios.ts';
import { always, atExpiration, moves } from './cheating.ts';

const LATE = { busy: 40, calm: 80 };
const LESS = { field: 'lock.amount', value: { kind: 'shifted', by: -50 }, is_hidden: true };
/** A payee knows the secret, and its node does not. */
const hidesSecret = always('ignore', 'RevealSecret');
/** It learns the secret, and its payer never hears it from there. */
const showsNothing = always('drop', 'RevealSecret');
const asksNothing = always('drop', 'SecretRequest');
const request = (after: number, by: number) => {
  return { do: 'forge', what: 'request', after, value: { kind: 'shifted', by } };
};
/** All of its channels, whichever comes first. */
const closes = (after: number) => [0, 1].map((index) => ({ do: 'close', after, index, age: 0 }));

export const PAYMENT_WORLDS: Readonly<Record<string, Part>> = {
  'a payer registers the secret, withholds the unlock and takes its lock back': {
    ...{ nodes: 2, steps: [pay(0, 1, 100)], ...LATE },
    attacks: [
      moves(0, always('drop', 'unlock'), { do: 'register', after: 3 }, atExpiration('expire', 2)),
    ],
  },
  'a target knows the secret and a mediator closes': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(2, hidesSecret), moves(1, ...closes(3))],
  },
  'a mediator closes and registers': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(1, showsNothing, ...closes(3))],
  },
  'a target registers in time': {
    ...{ nodes: 2, steps: [pay(0, 1, 100)], ...LATE },
    attacks: [moves(1, hidesSecret, always('drop', 'RevealSecret'), atExpiration('register', -6))],
  },
  'a first hop closes, and there is another way': {
    ...{ topology: { kind: 'ring', nodes: 5 }, steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(1, hidesSecret, ...closes(3))],
  },
  'a first hop gives a transfer back, and there is another way': {
    ...{ topology: { kind: 'ring', nodes: 5 }, steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(1, always('ignore', 'lock'), { do: 'forge', what: 'refund', after: 3 })],
  },
  'a first hop gives back a transfer that could bring its secret': {
    ...{ topology: { kind: 'ring', nodes: 5 }, ...LATE },
    steps: [pay(2, 0, 100), pay(0, 2, 100, 10)],
    attacks: [
      moves(
        1,
        { ...always('ignore', 'lock'), skip: 1 },
        { do: 'forge', what: 'refund', after: 12, index: 1 },
      ),
    ],
  },
  'a mediator passes on less than it was given': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(1, { do: 'change', type: 'lock', ...LESS })],
  },
  'a mediator passes on less of a payment whose secret comes with it': {
    ...{ steps: [pay(0, 2, 100), pay(0, 2, 100, 10)], ...LATE },
    attacks: [moves(1, { do: 'change', type: 'lock', skip: 1, ...LESS })],
  },
  'a mediator asks for the secret': {
    ...{ steps: [pay(0, 2, 100)], silent: 2, ...LATE },
    attacks: [moves(1, request(3, 0))],
  },
  'a target asks for another expiration, and then for the right one': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(2, asksNothing, request(3, 1), request(6, 0))],
  },
  'a payer does not hear what its target asks': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(0, always('ignore', 'SecretRequest'))],
  },
  'two calls have one identifier': {
    ...{ busy: 5, calm: 20 },
    steps: [1, 2].map(() => ({ ...pay(0, 2, 100), identifier: 7, expect: 'success' })),
  },
};
