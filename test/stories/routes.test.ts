import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentRequest } from '../../src/node/routing/usable-routes.ts';
import {
  balanceOf,
  good,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
  type VirtualNetwork,
} from '../support/network.ts';
import { found, info, startScripted } from '../support/scripted-service.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const DEPOSIT = 100n * TOKENS;
const AMOUNT = 3n * TOKENS;
/** Blocks after which a lock of the default timeout is gone for everybody. */
const LIFETIME = 30n;
const SECRET = `0x${'5e'.repeat(32)}` as const;

let network: VirtualNetwork;
let alice: TestNode;
let bob: TestNode;
let carol: TestNode;
let dave: TestNode;

/** Two ways from alice to dave: over bob, and over carol with longer settle timeouts. */
beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  for (const name of ['alice', 'bob', 'carol', 'dave']) await network.fund(name, 1_000n * TOKENS);
  alice = await network.start('alice');
  bob = await network.start('bob');
  carol = await network.start('carol');
  dave = await network.start('dave');
  await Promise.all([open(alice, bob, 40n), open(carol, dave, 100n)]);
  await Promise.all([open(alice, carol, 100n), open(bob, dave, 40n)]);
});
afterAll(() => network.stop());
// What bob passes on does not arrive.
beforeEach(() => network.bus.cut(bob.ownAddress, dave.ownAddress));

async function open(from: TestNode, to: TestNode, settleTimeout: bigint): Promise<void> {
  const facts = { token: network.token, partner: to.ownAddress, totalDeposit: DEPOSIT };
  const opened = from.openChannel({ ...facts, settleTimeout, revealTimeout: null });
  good(await network.whileMining(opened));
  const known = () => to.channel(network.token, from.ownAddress) !== null;
  await until(known, 'the channel is known to both');
}

const overBob = () => [alice, bob, dave].map(({ ownAddress }) => ownAddress);
const overCarol = () => [alice, carol, dave].map(({ ownAddress }) => ownAddress);
const toDave = (parts: Partial<PaymentRequest> = {}): PaymentRequest => ({
  token: network.token,
  target: dave.ownAddress,
  amount: AMOUNT,
  paymentId: null,
  secret: null,
  secrethash: null,
  lockTimeout: null,
  routes: [overBob(), overCarol()].map((route) => ({ route, fee: 0n })),
  ...parts,
});

const spent = (partner: TestNode) =>
  DEPOSIT - balanceOf(alice.channel(network.token, partner.ownAddress));
const hasLock = (partner: TestNode) =>
  good(alice.pendingTransfers({ token: network.token, partner: partner.ownAddress })).length > 0;
async function historyOf(node: TestNode) {
  const query = { token: network.token, partner: null, offset: 0, limit: null };
  return [...good(node.payments(query))].flat();
}

/** The lock of the way over bob stands until it has run out. */
async function letFirstWayFail(): Promise<void> {
  await until(() => hasLock(bob), 'the first way is tried');
  expect(hasLock(carol)).toBe(false);
  await network.mine(LIFETIME);
}

/** What this payment changed: nothing on the first way, and the amount once on the second. */
async function expectOnePayment(before: { carol: bigint; sent: number; got: number }) {
  await until(() => spent(bob) === 0n, 'the lock of the first way is gone');
  expect(spent(carol) - before.carol).toBe(AMOUNT);
  const sent = (await historyOf(alice)).slice(before.sent);
  expect(sent).toMatchObject([{ event: 'EventPaymentSentSuccess', amount: AMOUNT }]);
  const got = async () => (await historyOf(dave)).slice(before.got);
  await until(async () => (await got()).length > 0, 'dave is paid');
  expect(await got()).toMatchObject([{ event: 'EventPaymentReceivedSuccess', amount: AMOUNT }]);
  const nodes = [alice, bob, carol, dave];
  expect(nodes.flatMap(({ failures }) => failures)).toEqual([]);
}
const standing = async () => ({
  carol: spent(carol),
  sent: (await historyOf(alice)).length,
  got: (await historyOf(dave)).length,
});

describe('a payment whose first route fails', () => {
  it('arrives over the second route of the service, which is told how both did', async () => {
    const chain_id = network.chain.chainId;
    const token_network_registry_address = network.contracts.tokenNetworkRegistryAddress;
    const script = {
      info: () => info(0n, { chain_id, token_network_registry_address }),
      paths: () => found([overBob(), 0n], [overCarol(), 0n]),
    };
    const service = await startScripted(script, network.serve);
    await alice.stop();
    const settings = { routingMode: 'pfs', pathfindingServiceAddress: service.url } as const;
    alice = await network.start('alice', { settings });
    const before = await standing();
    const paid = alice.pay(toDave({ routes: null }));
    await letFirstWayFail();
    expect(await paid).toMatchObject({ ok: true, value: { amount: AMOUNT } });
    await expectOnePayment(before);
    await until(() => service.of('/feedback').length === 2, 'the service hears of both');
    expect(service.of('/feedback').map(({ body }) => body)).toMatchObject([
      { path: overBob(), success: false },
      { path: overCarol(), success: true },
    ]);
  });

  it('arrives over the second route after a restart, and answers a caller who repeats the request', async () => {
    const before = await standing();
    const request = toDave({ paymentId: 77n });
    const first = alice.pay(request);
    await until(() => hasLock(bob), 'the first way is tried');
    await alice.stop();
    expect(await first).toMatchObject({ ok: false, code: 'shutting_down' });
    alice = await network.start('alice');
    const second = alice.pay(request);
    const other = await alice.pay({ ...request, amount: 1n });
    expect(other).toMatchObject({ code: 'identifier_used' });
    await letFirstWayFail();
    expect(await second).toMatchObject({ ok: true, value: { amount: AMOUNT, paymentId: 77n } });
    await expectOnePayment(before);
  });

  it('takes the second route at once, with the chosen secret, when its own channel refuses the lock', async () => {
    const before = await standing();
    // Above the settle timeout of the channel with bob.
    const request = toDave({ lockTimeout: 41n, secret: SECRET });
    expect(await alice.pay(request)).toMatchObject({ ok: true, value: { secret: SECRET } });
    await expectOnePayment(before);
  });

  it('fails for good when its secret was chosen, since that is good for one lock', async () => {
    const paid = alice.pay(toDave({ secret: `0x${'5f'.repeat(32)}` }));
    await letFirstWayFail();
    expect(await paid).toMatchObject({ ok: false, code: 'lock_expired' });
    expect(hasLock(carol)).toBe(false);
  });
});
