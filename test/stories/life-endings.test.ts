/** The ways in which a channel can end, on chain and to the unit. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MortalPair, type Name, startMortalPair } from '../support/mortal-pair.ts';
import { good, startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const SETTLE_TIMEOUT = 40n;
const REVEAL_TIMEOUT = 10n;

let network: VirtualNetwork;
let pair: MortalPair;
/** Events of the token network before the test. */
let before = 0;

beforeEach(async () => {
  network = startVirtualNetwork();
  pair = await startMortalPair(network, 1_000n);
  await pair.open();
  before = (await pair.events()).length;
});
/** Whatever the way: nothing is left in the contract, and each holds what the histories say. */
afterEach(async () => {
  await pair.expectTokens();
  await network.stop();
});

async function eventNames(): Promise<string[]> {
  return (await pair.events()).slice(before).map(({ eventName }) => eventName);
}

async function pay(from: Name, amount: bigint): Promise<void> {
  good(await pair.pay(from, amount));
  await until(pair.isQuiet, 'the payment is over');
}

/** Alice dies with a lock for bob pending, whose secret he knows. */
async function leaveSecretWithBob(amount: bigint): Promise<void> {
  await pay('alice', 1n);
  pair.nodes.alice.dieAt('receive.before', 2);
  void pair.pay('alice', amount);
  await until(pair.nodes.alice.isOver, 'alice dies');
}

describe('a channel', () => {
  it('that carried no payment gives the deposits back', async () => {
    expect((await pair.close('alice')).state).toBe('closed');
    await pair.settle('alice', 'bob');
    expect(await eventNames()).toEqual(['ChannelClosed', 'ChannelSettled']);
  });

  it('can be closed by the side that did not open it', async () => {
    await pay('alice', 300n);
    await pay('bob', 120n);
    expect((await pair.close('bob')).state).toBe('closed');
    await pair.settle('alice', 'bob');
    expect(await eventNames()).toEqual([
      'ChannelClosed',
      'NonClosingBalanceProofUpdated',
      'ChannelSettled',
    ]);
  });

  it('closed by the payer alone still pays the payee that comes online late', async () => {
    await pay('alice', 300n);
    pair.nodes.bob.kill();
    await pair.close('alice');
    await network.mine(SETTLE_TIMEOUT - 10n);
    await pair.nodes.bob.start();
    await pair.settle('alice', 'bob');
    expect(await eventNames()).toEqual([
      'ChannelClosed',
      'NonClosingBalanceProofUpdated',
      'ChannelSettled',
    ]);
  });

  it('is settled by its closer when the other never comes back in time', async () => {
    await pay('bob', 200n);
    pair.nodes.bob.kill();
    await pair.close('alice');
    await pair.settle('alice');
    await pair.nodes.bob.start();
    await pair.settle('bob');
    expect(await eventNames()).toEqual(['ChannelClosed', 'ChannelSettled']);
  });

  it('pays the payee on chain when the payer falls silent and the payee closes', async () => {
    await pay('alice', 50n);
    await leaveSecretWithBob(70n);
    await pair.close('bob');
    await pair.settle('bob');
    expect(await eventNames()).toEqual(['ChannelClosed', 'ChannelSettled', 'ChannelUnlocked']);
    await pair.nodes.alice.start();
    await pair.settle('alice');
    expect(pair.historyOf('alice').at(-1)).toMatchObject({
      event: 'EventPaymentSentSuccess',
      amount: 70n,
    });
  });

  it('pays the payee on chain when the payer closes with the lock pending', async () => {
    await leaveSecretWithBob(80n);
    pair.nodes.bob.kill();
    await pair.nodes.alice.start();
    await pair.close('alice');
    await pair.nodes.bob.start();
    await pair.settle('alice', 'bob');
    expect(await eventNames()).toEqual(
      expect.arrayContaining(['NonClosingBalanceProofUpdated', 'ChannelUnlocked']),
    );
  });

  it('gives a lock back to the payer whose payee never got the secret', async () => {
    await pay('alice', 1n);
    pair.nodes.bob.dieAt('receive.before', 2);
    const answer = pair.pay('alice', 90n, { isAsked: true });
    await until(pair.nodes.bob.isOver, 'bob dies as the secret comes');
    await pair.close('alice');
    await pair.nodes.bob.start();
    await pair.settle('alice', 'bob');
    expect((await answer).ok).toBe(false);
    expect(await eventNames()).toEqual([
      'ChannelClosed',
      'NonClosingBalanceProofUpdated',
      'ChannelSettled',
      'ChannelUnlocked',
    ]);
  });

  it('goes on when the secret reached the chain in time, though the payer was silent', async () => {
    await leaveSecretWithBob(60n);
    await network.mine(REVEAL_TIMEOUT);
    const isShown = async () => (await pair.secrets()).length > 0;
    await network.whileMining(until(isShown, 'bob registers the secret'));
    // The lock has run out; a reveal timeout later bob would close the channel.
    await network.mine(REVEAL_TIMEOUT);
    await pair.nodes.alice.start();
    await until(pair.isQuiet, 'alice pays after all');
    expect(pair.channelOf('bob').balance).toBe(1_061n);
    expect(await eventNames()).toEqual([]);
    await pair.close('alice');
    await pair.settle('alice', 'bob');
  });
});
