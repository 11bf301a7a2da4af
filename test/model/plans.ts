/** What happens to some nodes in a line: how they are set up, and what is done to them. */
import fc from 'fast-check';
import { FAULT_POINTS } from '../../src/node/fault.ts';
import { leastRevealTimeout } from '../../src/protocol/expiration.ts';
import type { FeeTerms } from '../../src/protocol/fee-terms.ts';
import type { Action, Settings } from './actions.ts';
import { CONFIRMATIONS, type World } from './world.ts';

/** Where a process of the model can die. */
export const CRASHES = FAULT_POINTS.filter((point) => !point.startsWith('transaction.'));

/** The least that the confirmations of the model allow, what is usual, and too much for short channels. */
const SHORTEST = Number(leastRevealTimeout(CONFIRMATIONS));
const REVEAL_TIMEOUTS = [SHORTEST, 14, 15, 15, 18];

export const FREE: FeeTerms = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
/** Two units for passing a payment on, whatever its amount. */
const FLAT: FeeTerms = { ...FREE, flat: 2n };

const index = fc.nat({ max: 1000 });
const deposited = fc.integer({ min: 1, max: 200 });
const side = fc.constantFrom<0 | 1>(0, 1);

const flow: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('flow'),
  parcels: fc.integer({ min: 1, max: 12 }),
});
const mine: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('mine'),
  blocks: fc.integer({ min: 1, max: 9 }),
});
const wait: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('wait'),
  seconds: fc.integer({ min: 1, max: 60 }),
});
const parcel: fc.Arbitrary<Action> = fc.record({
  do: fc.constantFrom('deliver', 'lose', 'double', 'replay'),
  index,
});
const forge: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('forge'),
  index,
  nonce: fc.integer({ min: 1, max: 12 }),
  messageId: index,
});
const register: fc.Arbitrary<Action> = fc.record({ do: fc.constant('register'), index });

/** For a line of so many nodes. */
export function plansOf(nodes: number) {
  const by = fc.nat({ max: nodes - 1 });
  const settings: fc.Arbitrary<Settings> = fc.record({
    seed: fc.nat(),
    revealTimeouts: fc.array(fc.constantFrom(...REVEAL_TIMEOUTS), {
      minLength: nodes,
      maxLength: nodes,
    }),
    // Whoever opened the channels chose it: it may be too short for the reveal timeout of a node, or for all.
    settleTimeout: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 30, max: 40 }) },
      fc.integer({ min: 2 * SHORTEST - 2, max: 29 }),
    ),
    deposits: fc.array(fc.tuple(deposited, deposited), {
      minLength: nodes - 1,
      maxLength: nodes - 1,
    }),
    fees: fc.constantFrom(FREE, FLAT),
  });

  const pay: fc.Arbitrary<Action> = fc.record({
    do: fc.constant('pay'),
    by,
    to: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, by),
    amount: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 60 })),
    blocks: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 15, max: 41 })),
  });
  const dust: fc.Arbitrary<Action> = fc.record({
    ...{ do: fc.constant('dust'), by },
    payments: fc.integer({ min: 60, max: 90 }),
  });
  const fault: fc.Arbitrary<Action> = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('arm'),
        by,
        point: fc.oneof(fc.constantFrom(...CRASHES), fc.constantFrom('job.before', 'job.after')),
        left: fc.integer({ min: 1, max: 3 }),
      }),
    },
    fc.record({ do: fc.constant('doom'), by }),
    fc.record({ do: fc.constant('silence'), by, blocks: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ do: fc.constant('freeze'), by, blocks: fc.integer({ min: 5, max: 20 }) }),
    fc.record({ do: fc.constant('withhold'), by, blocks: fc.integer({ min: 1, max: 90 }) }),
  );
  const withdraw: fc.Arbitrary<Action> = fc.record({
    ...{ do: fc.constant('withdraw'), by, side },
    amount: fc.integer({ min: 0, max: 80 }),
  });
  const deposit: fc.Arbitrary<Action> = fc.record({
    ...{ do: fc.constant('deposit'), by, side },
    amount: fc.integer({ min: 1, max: 50 }),
  });
  const close: fc.Arbitrary<Action> = fc.oneof(
    fc.record({ do: fc.constant('close'), by, side }),
    fc.record({ do: fc.constant('cheat'), by, side, age: index }),
  );
  const twin: fc.Arbitrary<Action> = fc.record({
    ...{ do: fc.constant('twin'), by },
    amount: fc.integer({ min: 1, max: 60 }),
  });
  const actions = fc.array(
    fc.oneof(
      { weight: 20, arbitrary: pay },
      { weight: 25, arbitrary: flow },
      { weight: 20, arbitrary: parcel },
      { weight: 12, arbitrary: mine },
      { weight: 8, arbitrary: wait },
      { weight: 12, arbitrary: fault },
      { weight: 4, arbitrary: deposit },
      { weight: 8, arbitrary: withdraw },
      { weight: 4, arbitrary: forge },
      { weight: 1, arbitrary: fc.oneof({ weight: 5, arbitrary: register }, dust) },
      { weight: 1, arbitrary: close },
      { weight: 1, arbitrary: twin },
    ),
    { minLength: 1, maxLength: 120, size: 'max' },
  );
  return { settings, actions };
}

/** Counts what has happened in any run: a model that never meets a fault says nothing about it. */
export function createTally() {
  const met = new Map<string, number>();
  const note = (what: string) => met.set(what, (met.get(what) ?? 0) + 1);
  return {
    note({ ends, chain, cheater, consents, twins, hasWithheld }: World): void {
      if (hasWithheld()) note('withheld unlock');
      for (const { disk, crashes } of ends) {
        for (const point of crashes) note(`crash at ${point}`);
        for (const { type } of disk.payments()) note(type);
        for (const { type } of disk.mediations()) note(type);
      }
      for (const { type } of chain.logsIn(0n, chain.head())) note(type);
      if (cheater() !== null) note(`cheat by ${cheater()}`);
      if (twins().size > 0) note('a secrethash that locks twice');
      for (const { replies } of ends)
        for (const reply of replies) if (reply.type === 'reply.error') note(reply.code);
      for (const { by, participant } of consents)
        note(by === participant ? 'withdraw asked for' : 'withdraw agreed to');
    },
    /** Which of these was never met. */
    missing: (expected: readonly string[]) => expected.filter((what) => !met.has(what)),
    table: () => [...met].sort(),
  };
}

/** What every run of long enough has met. */
export const EXPECTED = [
  ...CRASHES.map((point) => `crash at ${point}`),
  ...['record.paymentSent', 'record.paymentReceived', 'record.paymentFailed'],
  ...['chain.channelDeposit', 'chain.channelClosed', 'chain.proofUpdated', 'chain.channelSettled'],
  ...['chain.channelWithdraw', 'withdraw asked for', 'withdraw agreed to', 'partner_silent'],
  'chain_unavailable',
  ...['chain.channelUnlocked', 'chain.secretRevealed', 'cheat by 0', 'cheat by 1'],
  'a secrethash that locks twice',
  'withheld unlock',
];
