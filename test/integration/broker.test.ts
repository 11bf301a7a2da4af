/** A broker that goes away in the middle of many payments. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Name, type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

const CALLERS: Name[] = ['alice', 'alice', 'alice', 'bob', 'bob', 'bob'];
const PAYMENTS_PER_CALLER = 40;

let world: World;
let pair: Pair;
let wire: Wiretap;

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  pair = await startPair(world, 1_000n);
  await pair.open();
  wire = await tapWire(world);
});
afterAll(async () => {
  await wire?.stop();
  await world?.stop();
});

describe('a broker that is restarted twice in a stream of payments', () => {
  const identifiers: string[] = [];
  let made = 0;

  /** One caller's payments, one after the other; a refused one is repeated with the same identifier. */
  async function call(payer: Name, caller: number): Promise<void> {
    for (let i = 1; i <= PAYMENTS_PER_CALLER; i++) {
      const identifier = String(caller * 1_000 + i);
      identifiers.push(identifier);
      const isPaid = async () => (await pair.pay(payer, 1n, { identifier })).status === 200;
      await until(isPaid, `payment ${identifier} is made`);
      made += 1;
    }
  }

  it('stops no payment for good', async () => {
    await pair.meet();
    const calls = Promise.all(CALLERS.map(call));
    for (const share of [4, 2]) {
      const enough = (CALLERS.length * PAYMENTS_PER_CALLER) / share;
      await until(() => made >= enough, `${enough} payments are made`);
      const start = await world.killBroker();
      const stuck = made;
      await until(() => pair.ledgerOf('alice').outbox > 0, 'messages wait');
      await start();
      await until(() => made > stuck + CALLERS.length, 'payments go on');
    }
    await calls;
    expect(made).toBe(CALLERS.length * PAYMENTS_PER_CALLER);
  });

  it('neither loses nor doubles a payment', async () => {
    await pair.expectAgreement();
    for (const name of ['alice', 'bob'] as const) {
      const found = (await pair.nodes[name].api.history()).map((event) =>
        'identifier' in event ? String(event.identifier) : event.event,
      );
      expect(found.toSorted()).toEqual(identifiers.toSorted());
    }
  });

  it('makes nobody sign two different messages with one nonce', () => {
    // What callers ask for at once is signed together.
    expect(wire.heard()).toBeGreaterThan(PAYMENTS_PER_CALLER);
    expect(wire.conflicts()).toEqual([]);
  });
});
