/** Locks that nobody answers for any more: how a thief makes them, and what becomes of those that are there. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { emptyBatch } from '../../src/store/base/batch.ts';
import { registerSecrets } from '../support/cheating.ts';
import { type CheatingNode, startCheat, storedChannel } from '../support/cheating-node.ts';
import { DEPOSIT, type Line, startLine } from '../support/line.ts';
import { secretOf } from '../support/makers.ts';
import { good, startVirtualNetwork, TOKENS, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const PATH = ['alice', 'bob', 'carol'];
const FIRST = 1n * TOKENS;
const SECOND = 90n * TOKENS;
/** As much as one payer may have passed on in one channel. */
const PASSED_ON = 80n * TOKENS;
const SECRET = secretOf(1);
const SECRETHASH = secrethashOf(SECRET);

let network: VirtualNetwork;
let line: Line;
let cheats: CheatingNode[];

/** Alice and carol are one person, and bob passes her payments on. */
beforeEach(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  line = await startLine(network, PATH);
  cheats = [];
  for (const name of ['alice', 'carol']) await line.stop(name);
});
afterEach(async () => {
  for (const cheat of cheats) await cheat.stop();
  await network.stop();
});

async function cheat(name: string): Promise<CheatingNode> {
  const started = await startCheat(network, name);
  cheats.push(started);
  return started;
}

const bob = () => line.node('bob');
const bobsChannel = (partner: string) =>
  storedChannel(network.storeOf('bob'), network.addressOf(partner));

/**
 * Carol claims on chain all that she can, as a changed program does that does not ask how she got the secret.
 */
async function claimAll(carol: CheatingNode): Promise<void> {
  const channel = carol.channelWith('bob');
  await registerSecrets(network, [SECRET]);
  carol.tell(channel, { type: 'actor.secretRegistered', secrethash: SECRETHASH, secret: SECRET });
  carol.tell(channel, { type: 'cmd.close', requestId: 'nobody' });
  await network.whileMining(until(() => carol.channel('bob')?.dispute !== null, 'carol closes'));
}

/** Alice says that the lock has run out, and everything is settled. */
async function settleAll(alice: CheatingNode): Promise<void> {
  await network.mine(25n);
  await line.agree();
  alice.tell(alice.channelWith('bob'), { type: 'actor.expireLock', secrethash: SECRETHASH });
  const isJudged = () => {
    const { partnerEnd, registered } = bobsChannel('alice');
    return partnerEnd.locks.length === 0 || registered.includes(SECRETHASH);
  };
  await until(isJudged, 'bob knows what became of the lock');
  const closed = bob().close(network.token, network.addressOf('alice'));
  good(await network.whileMining(closed));
  await network.mine(45n);
  const isEmpty = async () => (await network.tokensInChannels()) === 0n;
  await network.whileMining(until(isEmpty, 'the contract is empty'));
}

describe('a secrethash that comes twice in one payload', () => {
  it('costs the mediator nothing: it passes on the first, and claims what it was given', async () => {
    const [alice, carol] = [await cheat('alice'), await cheat('carol')];
    const cheating = alice.lockTwice({
      partner: 'bob',
      path: PATH,
      secrethash: SECRETHASH,
      amount: SECOND,
      paymentId: 2n,
    });
    const payment = line.payment(PATH, { amount: FIRST, secret: SECRET, paymentId: 1n });
    good(await alice.pay(payment));
    await cheating;
    await until(() => bobsChannel('alice').partnerEnd.nonce === 3n, 'bob has both messages');
    const all = { token: network.token, partner: null };
    expect(good(bob().pendingTransfers(all))).toMatchObject([{ role: 'mediator', paymentId: 2n }]);
    expect(bobsChannel('carol').ownEnd.locks).toEqual([]);
    await line.stop('bob');
    await line.start('bob');
    await claimAll(carol);
    await settleAll(alice);
    // Alice signed the second lock, and published its secret in time.
    expect(await network.tokensOf('bob')).toBe(2n * DEPOSIT + SECOND);
    expect(bob().failures).toEqual([]);
  });
});

describe('locks whose mediator is not in the database', () => {
  const alerts = () =>
    bob()
      .notifications()
      .filter(({ id }) => id === 'unanswered_lock');

  /** What a version left that lost mediators. */
  async function forgetActor(name: string, lost: string): Promise<void> {
    const { store, connection } = await network.parts(name);
    const retired = store.loadActors().flatMap(({ id, kind }) => (kind === lost ? [id] : []));
    store.commit({ ...emptyBatch(), retired });
    store.close();
    connection.stop();
  }

  it('are protected from the next start on, and the operator is told once', async () => {
    const first = await startCheat(network, 'alice');
    const payment = line.payment(PATH, { amount: PASSED_ON, secret: SECRET, paymentId: 1n });
    const paying = first.pay(payment);
    await until(() => bobsChannel('carol').ownEnd.locks.length === 1, 'bob passes it on');
    await first.stop();
    expect(await paying).toMatchObject({ ok: false });
    await line.stop('bob');
    await forgetActor('alice', 'initiator');
    await forgetActor('bob', 'mediator');
    await line.start('bob');
    expect(alerts()).toMatchObject([{ urgency: 'high' }]);
    await line.stop('bob');
    await line.start('bob');
    expect(alerts()).toEqual([]);
    const [alice, carol] = [await cheat('alice'), await cheat('carol')];
    await until(() => carol.channel('bob')?.partnerEnd.locks.length === 1, 'carol has the lock');
    await claimAll(carol);
    await settleAll(alice);
    expect(await network.tokensOf('bob')).toBe(2n * DEPOSIT);
    expect(bob().failures).toEqual([]);
  });
});
