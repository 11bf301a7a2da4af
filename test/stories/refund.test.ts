import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/partner/transport.ts';
import { locksroot } from '../../src/protocol/channel/lock.ts';
import type { LockChange } from '../../src/protocol/messages/changes.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import {
  balanceOf,
  good,
  type Network,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { signerOf } from '../support/pathfinding.ts';
import { linesOf, sentBy } from '../support/sealed.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const DEPOSIT = 10n * TOKENS;
const AMOUNT = 3n * TOKENS;

let network: Network;
let alice: TestNode;
let bob: TestNode;
let carol: TestNode;
let dave: TestNode;
/** What bob was given to pass on. */
const refused: LockChange[] = [];

/** Two ways from alice to dave. On one of them bob, an old node, gives back what it should pass on. */
beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  for (const name of ['alice', 'bob', 'carol']) await network.fund(name, 100n * TOKENS);
  alice = await network.start('alice');
  bob = await network.start('bob', { transport: refunding(network.bus.connect(addressOfBob())) });
  carol = await network.start('carol');
  dave = await network.start('dave');
  await open(alice, bob);
  await open(alice, carol);
  await open(carol, dave);
  // The refund is a lock of its own, of money that bob must have.
  const back = { partner: alice.ownAddress, total: DEPOSIT };
  good(await network.whileMining(bob.deposit(network.token, back.partner, back.total)));
});
afterAll(() => network.stop());

const addressOfBob = () => network.addressOf('bob');
const bobsKey = signerOf(2);

async function open(from: TestNode, to: TestNode): Promise<void> {
  const facts = { token: network.token, partner: to.ownAddress, totalDeposit: DEPOSIT };
  const timeouts = { settleTimeout: null, revealTimeout: null };
  good(await network.whileMining(from.openChannel({ ...facts, ...timeouts })));
  const known = () => to.channel(network.token, from.ownAddress) !== null;
  await until(known, 'the channel is known to both');
}

/** Bob's node hears of no transfer: it is given back before, with bob's signature. */
function refunding(inner: Transport): Transport {
  const sayAsBob = network.speaker(bobsKey);
  return {
    ...inner,
    onMessage: (handler, publicKey) =>
      inner.onMessage((payload) => {
        for (const { message } of network.read(bobsKey.address, payload)) {
          const [change] = message.type === 'Update' ? message.changes : [];
          if (message.type !== 'Update' || change?.type !== 'lock') continue;
          refused.push(change);
          const refund = refundOf(message, change);
          const initiator = network.signerAt(change.initiator);
          const lines = linesOf([sentBy(bobsKey, refund)]);
          return inner.publish(initiator.address, sayAsBob(initiator, lines));
        }
        handler(payload);
      }, publicKey),
  };
}

function refundOf(update: Update, transfer: LockChange): Update {
  const { lock, initiator } = transfer;
  const amounts = {
    transferredAmount: 0n,
    lockedAmount: lock.amount,
    locksroot: locksroot([lock]),
  };
  const change = { ...transfer, type: 'refund', recipient: initiator } as const;
  return { ...update, nonce: 1n, ...amounts, changes: [change] };
}

const payDave = (...hops: TestNode[]) => {
  const routes = hops.map((hop) => ({
    route: [alice.ownAddress, hop.ownAddress, dave.ownAddress],
    fee: 0n,
  }));
  return alice.pay({
    token: network.token,
    target: dave.ownAddress,
    amount: AMOUNT,
    paymentId: 7n,
    secret: null,
    secrethash: null,
    lockTimeout: null,
    routes,
  });
};

describe('a payment that its first hop gives back', () => {
  it('arrives over the next route at once, with another secret', async () => {
    const paid = good(await payDave(bob, carol));
    expect(refused[0]?.lock.secrethash).not.toBe(paid.secrethash);
    const daves = () => balanceOf(dave.channel(network.token, carol.ownAddress));
    await until(() => daves() === AMOUNT, 'dave is paid');
    const query = { token: network.token, partner: null, offset: 0, limit: null };
    expect([...good(alice.payments(query))].flat()).toMatchObject([
      { event: 'EventPaymentSentSuccess', amount: AMOUNT },
    ]);
  });

  it('is over: the same payment may be made again, also after a restart', async () => {
    await alice.stop();
    alice = await network.start('alice');
    expect(await payDave(carol)).toMatchObject({ ok: true });
  });

  it('costs nothing on the first route, once its lock has run out', async () => {
    const left = () => balanceOf(alice.channel(network.token, bob.ownAddress));
    expect(left()).toBe(DEPOSIT - AMOUNT);
    await network.mine(30n);
    await until(() => left() === DEPOSIT, 'the lock is gone');
    const query = { token: network.token, partner: null, offset: 0, limit: null };
    expect([...good(alice.payments(query))].flat()).toHaveLength(2);
    expect(alice.failures).toEqual([]);
  });
});
