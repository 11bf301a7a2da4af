import { afterAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/basics/environment.ts';
import { startSafeMode } from '../../src/node/safe-mode.ts';
import { good, startVirtualNetwork, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const network = startVirtualNetwork();
afterAll(() => network.stop());

describe('a node that met an internal failure', () => {
  it('stays while a channel is open, and settles a channel that its partner closed with an old proof', async () => {
    await network.fund('alice', 100n * TOKENS);
    const alice = await network.start('alice');
    const bob = await network.start('bob');
    const opening = {
      token: network.token,
      partner: bob.ownAddress,
      totalDeposit: 10n * TOKENS,
      settleTimeout: null,
      revealTimeout: null,
    };
    good(await network.whileMining(alice.openChannel(opening)));
    const bobs = () => bob.channel(network.token, alice.ownAddress);
    await until(() => bobs() !== null, 'bob sees the channel');
    const payment = {
      token: network.token,
      target: bob.ownAddress,
      amount: 4n * TOKENS,
      paymentId: null,
      secret: null,
      secrethash: null,
      lockTimeout: null,
      routes: null,
    };
    good(await alice.pay(payment));
    await until(() => bobs()?.balance === 4n * TOKENS, 'bob is paid');

    await bob.stop();
    const parts = await network.parts('bob');
    let looks = 0;
    const clock: Clock = {
      ...parts.clock,
      every: (ms, work) =>
        parts.clock.every(ms, () => {
          work();
          if (ms === 1_000) looks += 1;
        }),
    };
    const guard = startSafeMode(network.settings, { ...parts, clock });
    let isDone = false;
    const done = guard.done.then(() => {
      isDone = true;
    });
    await network.whileMining(until(() => looks > 2, 'bob has looked whether he may end'));
    expect([isDone, guard.channels()]).toEqual([false, 1]);
    // Alice holds no proof of Bob, so her close says that she has paid nothing.
    good(await network.whileMining(alice.close(network.token, bob.ownAddress)));
    await network.whileMining(done);
    expect(guard.channels()).toBe(0);
    await guard.stop();
    expect(await network.tokensOf('bob')).toBe(4n * TOKENS);
    expect(await network.tokensOf('alice')).toBe(96n * TOKENS);
  });
});
