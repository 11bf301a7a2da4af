import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeSettings } from '../../src/node/runtime/parts.ts';
import { type FeeTerms, scheduleOf } from '../../src/protocol/fees/fee-terms.ts';
import { amountToSend, estimatePath } from '../../src/protocol/fees/fees.ts';
import { decodeServiceMessages } from '../../src/protocol/services/service-messages.ts';
import {
  balanceOf,
  good,
  type Network,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { startScripted } from '../support/scripted-service.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 10n * TOKENS;
const AMOUNT = TOKENS;
const TERMS: FeeTerms = { flat: 7n, proportional: 10_000n, imbalance: 0n, capFees: true };

let network: Network;
let alice: TestNode;
let bob: TestNode;
let carol: TestNode;
let dave: TestNode;
/**
 * The capacities that were announced since somebody asked, as channel and participant; null: nobody has asked.
 */
let said: Set<string> | null = null;

async function open(from: TestNode, to: TestNode) {
  const opened = from.openChannel({
    token: network.token,
    partner: to.ownAddress,
    totalDeposit: DEPOSIT,
    settleTimeout: null,
    revealTimeout: null,
  });
  good(await network.whileMining(opened));
  await until(
    () => to.channel(network.token, from.ownAddress)?.state === 'opened',
    'the channel is known to both',
  );
}

const hasSaid = (from: TestNode, channelId: bigint) =>
  said?.has(`${from.ownAddress} ${channelId}`) === true;

/** A node that comes later than `channels` has to ask for what both sides of each have said. */
async function startAlice(channels: number, settings: Partial<NodeSettings> = {}) {
  said = null;
  const started = await network.start('alice', { settings });
  const names = ['alice', 'bob', 'carol', 'dave'];
  const wanted = [bob, carol, dave].flatMap((from) =>
    names
      .map((name) => from.channel(network.token, network.addressOf(name)))
      .filter((view) => view !== null)
      .map(({ channelId }) => ({ from, channelId })),
  );
  expect(wanted).toHaveLength(2 * channels - started.channels({ token: null }).length);
  await until(
    () => wanted.every(({ from, channelId }) => hasSaid(from, channelId)),
    'all have said again what they can send',
  );
  return started;
}

beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: TERMS } } });
  for (const name of ['alice', 'bob', 'carol', 'dave']) await network.fund(name, 100n * TOKENS);
  const settings = { routingMode: 'pfs' } as const;
  bob = await network.start('bob', { settings });
  carol = await network.start('carol', { settings });
  dave = await network.start('dave', { settings });
  await open(bob, carol);
  await open(carol, dave);
  // All listeners hear a broadcast in the same step, and a node that asks listens already.
  const listener = network.bus.connect(network.addressOf('erin'));
  listener.onBroadcast('hello', () => {
    said = new Set();
  });
  listener.onBroadcast('pathfinding', (payload) => {
    for (const { message } of decodeServiceMessages(payload).messages) {
      if (message.type === 'PFSFeeUpdate')
        said?.add(`${message.updatingParticipant} ${message.channelId}`);
    }
  });
  alice = await startAlice(2);
  await open(alice, bob);
  const { channelId } = bob.channel(network.token, alice.ownAddress) ?? { channelId: 0n };
  await until(() => hasSaid(bob, channelId), 'bob has said what it takes from alice');
});
afterAll(() => network.stop());

const payDave = () =>
  alice.pay({
    token: network.token,
    target: dave.ownAddress,
    amount: AMOUNT,
    paymentId: null,
    secret: null,
    secrethash: null,
    lockTimeout: null,
    routes: null,
  });
/** Alice hears what was said a moment after it was said. */
const paysDave = () => until(async () => (await payDave()).ok, 'alice finds the way');
const davesBalance = () => balanceOf(dave.channel(network.token, carol.ownAddress));

describe('a node that routes for itself', () => {
  it('finds the way to a target far off, with the fees of both mediators', async () => {
    const schedule = scheduleOf(TERMS, DEPOSIT);
    const schedules = { scheduleIn: schedule, scheduleOut: schedule };
    const mediator = { ...schedules, balanceIn: 0n, receivable: DEPOSIT, balanceOut: DEPOSIT };
    const fee = estimatePath(AMOUNT, [mediator, mediator])?.estimatedFee ?? 0n;
    expect(fee).toBeGreaterThan(0n);

    await paysDave();
    expect(balanceOf(alice.channel(network.token, bob.ownAddress))).toBe(
      DEPOSIT - amountToSend(AMOUNT, fee),
    );
    await until(() => davesBalance() >= AMOUNT, 'dave is paid');
  });

  it('finds it again after a restart, from the chain and what other nodes announce', async () => {
    await alice.stop();
    const before = davesBalance();
    alice = await startAlice(3);
    await paysDave();
    await until(() => davesBalance() >= before + AMOUNT, 'dave is paid');
    expect([alice, bob, carol, dave].flatMap(({ failures }) => failures)).toEqual([]);
  });
});

describe('a node whose path-finding service hangs up', () => {
  const pfs = { routingMode: 'pfs' } as const;
  const silent = () => startScripted({ info: () => null });

  it('finds the way itself, says so, and does not make each payment wait for the service', async () => {
    const service = await silent();
    await alice.stop();
    alice = await startAlice(3, { ...pfs, pathfindingServiceAddress: service.url });
    const before = davesBalance();
    await paysDave();
    await until(() => davesBalance() >= before + AMOUNT, 'dave is paid');
    const { length: asked } = service.of('/info');
    good(await payDave());
    expect(service.of('/info')).toHaveLength(asked);

    const warning = 'The path-finding service does not answer as it should.';
    await alice.checkNotifications();
    expect(alice.status()).toEqual({ status: 'ready' });
    expect(alice.health().find(({ id }) => id === 'routing_unavailable')?.isGood).toBe(false);
    const [told] = alice.notifications().filter(({ id }) => id === 'routing_unavailable');
    expect(told?.body).toContain(`${warning}\nCheck the address`);
  });

  it('finds no way when it is told not to look itself', async () => {
    const { url } = await silent();
    await alice.stop();
    const settings = { ...pfs, pathfindingServiceAddress: url, hasRoutingFallback: false };
    alice = await network.start('alice', { settings });
    await until(() => alice.status().status === 'ready', 'alice is ready');
    expect(await payDave()).toMatchObject({ ok: false, code: 'no_route' });
  });
});
