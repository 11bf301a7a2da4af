/** A node that dies while a payment is redeemed, or while that is taken back: what was answered stays so. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Secret } from '../../src/basics/hex.ts';
import { type MortalNode, mortalNode } from '../support/mortal.ts';
import { good, startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';
import { type Answer, askX402, bodyOf, type Changes, type Offer } from '../support/x402.ts';

const SECRET: Secret = `0x${'5e'.repeat(32)}`;

let network: VirtualNetwork;
let alice: MortalNode;
let bob: MortalNode;
let offer: Offer;

beforeEach(async () => {
  network = startVirtualNetwork();
  alice = mortalNode(network, 'alice');
  bob = mortalNode(network, 'bob');
  await network.fund('alice', 1_000n);
  await bob.start();
  await alice.start();
  const { token } = network;
  const partner = bob.address;
  const defaults = { settleTimeout: null, revealTimeout: null };
  const opening = alice.node().openChannel({ token, partner, totalDeposit: 100n, ...defaults });
  good(await network.whileMining(opening));
  await until(() => bob.node().channel(token, alice.address) !== null, 'bob sees the channel');
  const values = { amount: 7n, paymentId: 5n, secret: SECRET, secrethash: null };
  const request = { token, target: partner, lockTimeout: null, routes: null, ...values };
  good(await alice.node().pay(request));
  await until(() => bob.node().channel(token, alice.address)?.balance === 7n, 'bob is paid');
  offer = {
    asset: token,
    payTo: partner,
    payer: alice.address,
    secret: SECRET,
    paymentId: 5n,
    amount: 7n,
    expires: Math.floor(network.clock.now() / 1_000) + 3_600,
    chainId: network.chain.chainId,
  };
});
afterEach(() => network?.stop());

type Path = Parameters<typeof askX402>[1];
/** Asks bob; if he dies meanwhile, he never answers. */
const ask = (path: Path, key?: string, changes: Changes = {}): Promise<Answer> =>
  bob.ask((node) => askX402(node, path, bodyOf(offer, changes), key));

async function dieWhile(path: Path, point: string, key?: string): Promise<void> {
  bob.dieAt(point, 1);
  void ask(path, key);
  await until(bob.isOver, `bob dies at ${point}`);
  await bob.start();
}

const succeeded = { status: 200, body: { success: true } };
const duplicate = { body: { success: false, errorReason: 'duplicate_settlement' } };
const POINTS: [point: string, isWritten: boolean][] = [
  ['commit.before', false],
  ['commit.written', true],
  ['commit.after', true],
  ['reply.before', true],
];

describe('a settlement of a node that dies', () => {
  it.each(POINTS)('at %s is redeemed once, and told again under its key', async (point) => {
    await dieWhile('settle', point, 'order-7');
    const answer = await ask('settle', 'order-7');
    expect(answer).toMatchObject(succeeded);
    expect(await ask('settle', 'order-7')).toEqual(answer);
    expect(await ask('settle', 'order-8')).toMatchObject(duplicate);
    expect(await ask('settle')).toMatchObject(duplicate);
    await bob.stop();
    await bob.start();
    expect(await ask('settle', 'order-7')).toEqual(answer);
    expect(await ask('settle')).toMatchObject(duplicate);
    expect(bob.failures).toEqual([]);
  });

  it.each(POINTS)('at %s is redeemed or not, and then is so for all', async (point, isWritten) => {
    await dieWhile('settle', point);
    expect(await ask('settle')).toMatchObject(isWritten ? duplicate : succeeded);
    expect(await ask('settle')).toMatchObject(duplicate);
  });
});

describe('a release of a node that dies', () => {
  it.each(POINTS)(
    'at %s is made by asking again, and lets the payment be redeemed once',
    async (point) => {
      const { body } = await ask('settle');
      await dieWhile('release', point);
      const named = Object(body['extra']);
      expect(await ask('release', undefined, named)).toMatchObject(succeeded);
      expect(await ask('settle')).toMatchObject(succeeded);
      expect(await ask('release', undefined, named)).toMatchObject(succeeded);
      expect(await ask('settle')).toMatchObject(duplicate);
    },
  );
});
