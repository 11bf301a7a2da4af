/** Worlds in which the defects of `../deadlines.ts` show. */
import { type Part, pay } from '../../small-scenarios.ts';
import { always, atExpiration, moves } from './cheating.ts';

const LATE = { busy: 40, calm: 80 };
/** The program of the payee has the secret, but keeps it from its own node. */
const hidesSecret = always('ignore', 'RevealSecret');
const neverPays = always('drop', 'unlock');
/** A target whose node asks for nothing: the program does. */
const asksNothing = always('drop', 'SecretRequest');

export const DEADLINE_WORLDS: Readonly<Record<string, Part>> = {
  // The transaction is mined one block later: in the block of the expiration, or in the one before it.
  'a payee registers around the expiration': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(2, hidesSecret, atExpiration('register', -1))],
  },
  'a payer takes back at the expiration': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(0, always('ignore', 'SecretRequest')), moves(1, atExpiration('expire', 0))],
  },
  'a payer takes back a block after the expiration': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(0, always('ignore', 'SecretRequest')), moves(1, atExpiration('expire', 1))],
  },
  'a payee is silent': { ...LATE, steps: [pay(0, 2, 100), pay(0, 1, 10)], silent: 2 },
  'a target asks at the expiration': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    attacks: [moves(2, asksNothing, atExpiration('request', 1))],
  },
  // The lock expires in block 20, and the mediator turns to the chain ten blocks before.
  'an endpoint comes back just before the expiration': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    faults: [{ kind: 'unreachable', nodes: '1', when: { at_block: 9, blocks: 9 } }],
    attacks: [moves(0, neverPays)],
  },
  'a mediator gets money for gas before the expiration': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    faults: [{ kind: 'no_gas', nodes: '1', when: { at_block: 8, blocks: 9 } }],
    attacks: [moves(0, neverPays)],
  },
  // The payee has closed, so it was not paid off chain.
  'a registration is mined at the expiration': {
    ...{ steps: [pay(0, 2, 100)], ...LATE },
    faults: [{ kind: 'censored', nodes: '1', when: { at_block: 10, blocks: 8 } }],
    attacks: [moves(0, neverPays), moves(2, { do: 'close', after: 4, age: 0 })],
  },
  'a payer withholds unlocks of direct payments': {
    ...{ nodes: 2, steps: [pay(0, 1, 100)], ...LATE },
    attacks: [moves(0, neverPays)],
  },
  'locks are as long as channels allow': {
    ...{ steps: [{ ...pay(0, 2, 100), lock_timeout: 20, expect: 'success' }], ...LATE },
  },
};
