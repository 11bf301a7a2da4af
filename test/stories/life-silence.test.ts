/** A partner that falls silent during a payment: it comes back in time, or only when it is too late. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MortalPair, startMortalPair } from '../support/mortal-pair.ts';
import { good, startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const REVEAL_TIMEOUT = 10n;
/** Where a process is for the n-th time. */
type Moment = readonly [point: string, nth: number];

let network: VirtualNetwork;
let pair: MortalPair;

beforeEach(async () => {
  network = startVirtualNetwork();
  pair = await startMortalPair(network, 1_000n);
  await pair.open();
  good(await pair.pay('alice', 1n));
  await pair.expectAgreement();
});
/** Whatever came of it keeps no other payment from being made. */
afterEach(async () => {
  good(await pair.pay('alice', 1n));
  good(await pair.pay('bob', 1n));
  await pair.expectAgreement();
  await network.stop();
});

/** Alice begins a payment to bob, who sleeps. */
async function payInVain() {
  pair.nodes.bob.pause();
  const answer = pair.pay('alice', 1n);
  const isOnItsWay = () => pair.nodes.alice.ledger().payments.length === 1;
  await until(isOnItsWay, 'the payment is on its way');
  return { answer };
}

/** Alice begins a payment to bob, who dies at the moment. */
async function payAndBobDiesAt([point, nth]: Moment, isAsked = false) {
  const { bob } = pair.nodes;
  bob.dieAt(point, nth);
  const answer = pair.pay('alice', 1n, { isAsked });
  await until(bob.isOver, `bob dies at ${point}`);
  return { answer };
}

/** Lets the lock run out, and the confirmations pass that make it certain. */
const expire = () => network.mine(2n * REVEAL_TIMEOUT + 3n);

describe('a payment to a partner that falls silent', () => {
  it('ends well when the partner goes on before the lock has run out', async () => {
    const { answer } = await payInVain();
    expect(pair.channelOf('alice').balance).toBe(998n);
    pair.nodes.bob.resume();
    good(await answer);
  });

  it.each<Moment>([
    ['receive.before', 1],
    ['commit.after', 1],
    ['receive.before', 2],
    ['commit.after', 2],
  ])('ends well when the partner dies at %s %i and is started again in time', async (...moment) => {
    const { answer } = await payAndBobDiesAt(moment);
    await network.mine(REVEAL_TIMEOUT / 2n);
    await pair.nodes.bob.start();
    good(await answer);
  });

  it('fails when the partner is silent until the lock has run out, and keeps no other from being made', async () => {
    const { bob } = pair.nodes;
    const { answer } = await payInVain();
    await expire();
    expect(await answer).toMatchObject({ ok: false, code: 'lock_expired' });
    bob.resume();
    await pair.expectAgreement();
    const failed = { event: 'EventPaymentSentFailed', target: bob.address };
    expect(pair.historyOf('alice').slice(1)).toMatchObject([failed]);
  });

  // At the last one the partner knows the secret; only the chain could have saved its claim.
  it.each<Moment>([
    ['receive.before', 1],
    ['commit.after', 1],
    ['publish.before', 1],
  ])('fails when the partner dies at %s %i and comes back too late', (...moment) =>
    expectFailure(moment, false),
  );

  it.each<Moment>([
    ['receive.before', 2],
    ['commit.after', 2],
    ['publish.before', 2],
  ])(
    'fails when the partner dies at %s %i, after it asked for the secret, and comes back too late',
    (...moment) => expectFailure(moment, true),
  );

  async function expectFailure(moment: Moment, isAsked: boolean): Promise<void> {
    const { answer } = await payAndBobDiesAt(moment, isAsked);
    const { balance } = pair.channelOf('alice');
    await expire();
    expect((await answer).ok).toBe(false);
    expect(pair.channelOf('alice').balance).toBe(balance + 1n);
    await pair.nodes.bob.start();
    await pair.expectAgreement();
  }
});
