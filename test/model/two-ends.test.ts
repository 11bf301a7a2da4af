import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAULT_POINTS } from '../../src/node/fault.ts';
import { finish, newWorld, play } from './runs.ts';
import type { Action, Settings, World } from './world.ts';

/** `SLUICE_MODEL_RUNS` asks for more. */
const RUNS = Number(process.env['SLUICE_MODEL_RUNS'] ?? 400);

const by = fc.constantFrom<0 | 1>(0, 1);
const index = fc.nat({ max: 1000 });
const CRASHES = FAULT_POINTS.filter((point) => !point.startsWith('transaction.'));

const settings: fc.Arbitrary<Settings> = fc.record({
  seed: fc.nat(),
  revealTimeouts: fc.tuple(fc.constantFrom(14, 15), fc.constantFrom(14, 15)),
  settleTimeout: fc.integer({ min: 30, max: 40 }),
  deposits: fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 200 })),
});

const pay: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('pay'),
  by,
  amount: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 60 })),
  blocks: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 15, max: 41 })),
});
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
);
const withdraw: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('withdraw'),
  by,
  amount: fc.integer({ min: 0, max: 80 }),
});
const forge: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('forge'),
  index,
  nonce: fc.integer({ min: 1, max: 12 }),
  messageId: index,
});
const deposit: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('deposit'),
  by,
  amount: fc.integer({ min: 1, max: 50 }),
});
const close: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('close'), by }),
  fc.record({ do: fc.constant('cheat'), by, age: index }),
);

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
    { weight: 1, arbitrary: close },
  ),
  { minLength: 1, maxLength: 120, size: 'max' },
);

/** What has happened in any of the runs: a model that never meets a fault says nothing about it. */
const met = new Map<string, number>();
const note = (what: string) => met.set(what, (met.get(what) ?? 0) + 1);

function noteRun({ ends, chain, cheater, consents }: World): void {
  for (const { disk, crashes } of ends) {
    for (const point of crashes) note(`crash at ${point}`);
    for (const { type } of disk.payments()) note(type);
  }
  for (const { type } of chain.logsIn(0n, chain.head())) note(type);
  if (cheater() !== null) note('cheat');
  for (const { replies } of ends)
    for (const reply of replies) if (reply.type === 'reply.error') note(reply.code);
  for (const { by, participant } of consents)
    note(by === participant ? 'withdraw asked for' : 'withdraw agreed to');
}

const EXPECTED = [
  ...CRASHES.map((point) => `crash at ${point}`),
  ...['record.paymentSent', 'record.paymentReceived', 'record.paymentFailed'],
  ...['chain.channelDeposit', 'chain.channelClosed', 'chain.proofUpdated', 'chain.channelSettled'],
  ...['chain.channelWithdraw', 'withdraw asked for', 'withdraw agreed to', 'partner_silent'],
  ...['chain.channelUnlocked', 'chain.secretRevealed', 'cheat'],
];

describe('two ends of a channel over a bad wire', () => {
  it('lose nothing, make nothing and agree in the end', { timeout: 3_600_000 }, () => {
    const property = fc.property(settings, actions, (given, plan) => {
      const world = newWorld(given);
      play(world, plan);
      finish(world);
      noteRun(world);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('have met every fault and every turn of events', () => {
    if (process.env['SLUICE_MODEL_RUNS'] !== undefined) console.table([...met].sort());
    expect(EXPECTED.filter((what) => !met.has(what))).toEqual([]);
  });
});
