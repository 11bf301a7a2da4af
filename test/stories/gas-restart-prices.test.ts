/**
 * A stranger's promises were given when gas was cheap. One more is given when gas is dear, and bob starts again: what is set
 * aside for the others must be what it was, or dave's lack money that strangers' have too much of.
 */
import { expect, it } from 'vitest';
import { GWEI, USUAL } from '../support/gas-attack.ts';
import { openPayerAndPayee, stealBy, WHOLE } from '../support/gas-theft.ts';

const MUCH = 10n ** 22n;
const LOCKS = 40;

it.each([
  ['bob starts again', false, true],
  ['a stranger locks once more when gas is dear', true, false],
  ['a stranger locks once more when gas is dear, and bob starts again', true, true],
])(
  'bob can claim what dave withholds when %s',
  async (_, isDear, isRestarted) => {
    let pair: Awaited<ReturnType<typeof openPayerAndPayee>>;
    const left = await stealBy({
      timeouts: USUAL,
      async prepare(theft) {
        await theft.world.setMoney('bob', MUCH);
        pair = await openPayerAndPayee(theft);
        await theft.world.setMoney('bob', 18_000_000n * GWEI);
        await theft.agree();
        await pair.lock(230n, LOCKS);
      },
      async meanwhile(theft) {
        const { world, line, bob } = theft;
        await world.makeDearer(17n);
        await theft.agree();
        if (isDear) await pair.lock(200n);
        world.network.simulated.setWeather({ others: { gas: 0n, tip: 0n } });
        await world.mine(14n);
        world.network.simulated.setWeather({ others: { gas: 15_000_000n, tip: 0n } });
        if (!isRestarted) return;
        await line.stop('bob');
        await line.start('bob');
        await bob().checkNotifications();
      },
    });
    expect(left).toBe(WHOLE);
  },
  90_000,
);
