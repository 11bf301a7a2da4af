/** The ways in which a channel can end, on chain and to the unit. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Name, type Pair, startPair } from '../support/pair.ts';
import { REVEAL_TIMEOUT, SETTLE_TIMEOUT, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;
/** Events of the token network before the test. */
let before = 0;

beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, 1_000n);
});
afterAll(() => world?.stop());

beforeEach(async () => {
  await pair.open();
  await pair.meet();
  before = (await world.events()).length;
});
/** Whatever the way: nothing is left in the contract, and each holds what the histories say. */
afterEach(() => pair.expectTokens());

async function eventNames(): Promise<string[]> {
  return (await world.events()).slice(before).map(({ eventName }) => eventName);
}

async function pay(from: Name, amount: bigint): Promise<void> {
  expect((await pair.pay(from, amount)).status).toBe(200);
  await until(pair.isQuiet, 'the payment is over');
}

const hasNewSecret = (known: number) => async () => (await world.secrets()).length > known;

/** Alice dies with a lock for bob pending, whose secret he knows. */
async function leaveSecretWithBob(amount: bigint): Promise<void> {
  await pay('alice', 1n);
  pair.nodes.alice.dieAt('receive.before:2');
  await expect(pair.pay('alice', amount)).rejects.toThrow();
  await pair.nodes.alice.ended;
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
    await pair.nodes.bob.kill();
    await pair.close('alice');
    await world.mine(SETTLE_TIMEOUT - 10n);
    await pair.restart('bob');
    await pair.settle('alice', 'bob');
    expect(await eventNames()).toEqual([
      'ChannelClosed',
      'NonClosingBalanceProofUpdated',
      'ChannelSettled',
    ]);
  });

  it('is settled by its closer when the other never comes back in time', async () => {
    await pay('bob', 200n);
    await pair.nodes.bob.kill();
    await pair.close('alice');
    await pair.settle('alice');
    await pair.restart('bob');
    await pair.settle('bob');
    expect(await eventNames()).toEqual(['ChannelClosed', 'ChannelSettled']);
  });

  it('pays the payee on chain when the payer falls silent and the payee closes', async () => {
    await pay('alice', 50n);
    await leaveSecretWithBob(70n);
    await pair.close('bob');
    await pair.settle('bob');
    expect(await eventNames()).toEqual(['ChannelClosed', 'ChannelSettled', 'ChannelUnlocked']);
    await pair.restart('alice');
    await pair.settle('alice');
    expect((await pair.nodes.alice.api.history()).at(-1)).toMatchObject({
      event: 'EventPaymentSentSuccess',
      amount: 70n,
    });
  });

  it('pays the payee on chain when the payer closes with the lock pending', async () => {
    await leaveSecretWithBob(80n);
    await pair.nodes.bob.kill();
    await pair.restart('alice');
    await pair.close('alice');
    await pair.restart('bob');
    await pair.settle('alice', 'bob');
    expect(await eventNames()).toEqual(
      expect.arrayContaining(['NonClosingBalanceProofUpdated', 'ChannelUnlocked']),
    );
  });

  it('gives a lock back to the payer whose payee never got the secret', async () => {
    await pay('alice', 1n);
    pair.nodes.bob.dieAt('receive.before:2');
    // With another route to follow, the secret does not travel with the lock: bob asks for it, and dies as it comes.
    const answer = pair.pay('alice', 90n, pair.twice());
    await pair.nodes.bob.ended;
    await pair.close('alice');
    await pair.restart('bob');
    await pair.settle('alice', 'bob');
    expect((await answer).status).toBe(409);
    expect(await eventNames()).toEqual([
      'ChannelClosed',
      'NonClosingBalanceProofUpdated',
      'ChannelSettled',
      'ChannelUnlocked',
    ]);
  });

  it('goes on when the secret reached the chain in time, though the payer was silent', async () => {
    const known = (await world.secrets()).length;
    await leaveSecretWithBob(60n);
    await world.mine(REVEAL_TIMEOUT);
    await world.whileMining(until(hasNewSecret(known), 'bob registers the secret'));
    // The lock has run out; a reveal timeout later bob would close the channel.
    await world.mine(REVEAL_TIMEOUT);
    await pair.restart('alice');
    await until(pair.isQuiet, 'alice pays after all');
    expect((await pair.channelOf('bob')).balance).toBe(1_061n);
    expect(await eventNames()).toEqual([]);
    await pair.close('alice');
    await pair.settle('alice', 'bob');
  });
});
