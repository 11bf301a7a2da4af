/** Tokens that a node has not chosen, and dust of the one that it has: they make it pay no more gas than their owners. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import {
  type GasWorld,
  SHORT,
  type Stranger,
  startGasWorld,
  type Token,
  USUAL,
} from '../support/gas-attack.ts';
import { startTheft, type Theft } from '../support/gas-theft.ts';

const LIFETIME = 60n;
const COUNT = 20;
/** Blocks in which a node would do all that it ever does. */
const LONG = 60n;

let world: GasWorld;
afterEach(() => world.network.stop());

async function openChannels({ bob, knows }: Theft, of: Token): Promise<Stranger[]> {
  const { settleTimeout } = world.timeouts;
  const terms = { of, count: COUNT, settleTimeout };
  const strangers = world.open(bob().ownAddress, terms);
  await world.network.mine(3n);
  await knows(COUNT + (of.token === world.ordinary.token ? 2 : 0), of.token);
  return strangers;
}

/** What bob and all others have paid for since the block, in gas. */
function gasSince(block: bigint, bob: Address): { bobs: bigint; others: bigint } {
  const isBob = (from: Address) => from === bob;
  return {
    bobs: world.gasSince(block, isBob),
    others: world.gasSince(block, (from) => !isBob(from)),
  };
}

/** Each stranger closes its channel, in which bob has nothing. */
async function closeEmpty(theft: Theft, of: Token): Promise<void> {
  const strangers = await openChannels(theft, of);
  world.close(strangers, theft.bob().ownAddress);
  await world.network.mine(world.timeouts.settleTimeout);
  await world.mine(LONG);
}

/** Each locks one unit for bob under the same secret, which stands on chain then, and pays nothing. */
async function lockDust(theft: Theft, of: Token): Promise<void> {
  await world.owe(await openChannels(theft, of), 'bob', LIFETIME);
  await world.network.mine(LIFETIME + world.timeouts.revealTimeout + 2n);
  await world.mine(10n);
  await world.network.mine(world.timeouts.settleTimeout);
  await world.mine(LONG);
}

describe('a mediator', () => {
  it.each([
    ['settles no channels of strangers', 'short', SHORT, closeEmpty],
    ['claims no units of strangers', 'short', SHORT, lockDust],
    ['settles no channels of strangers', 'default', USUAL, closeEmpty],
    ['claims no units of strangers', 'default', USUAL, lockDust],
  ] as const)(
    '%s for more gas than they paid, in a token that burns gas, at %s timeouts',
    async (_title, _timeouts, timeouts, attack) => {
      world = startGasWorld(timeouts);
      const theft = await startTheft(world);
      const junk = await theft.createJunk(800_000);
      const block = world.head();
      await attack(theft, junk);
      const { bobs, others } = gasSince(block + 1n, theft.bob().ownAddress);
      expect(bobs).toBeLessThan(others);
    },
    60_000,
  );

  it.each([
    ['settles no channels of strangers', closeEmpty],
    ['claims no units of strangers', lockDust],
  ])(
    '%s for more gas than they paid, in the token that it has put into channels',
    async (_, attack) => {
      world = startGasWorld(SHORT);
      const theft = await startTheft(world);
      const block = world.head();
      await attack(theft, world.ordinary);
      const { bobs, others } = gasSince(block + 1n, theft.bob().ownAddress);
      expect(bobs).toBeLessThan(others);
    },
    60_000,
  );

  it('claims no units of strangers for more gas than they paid when its operator has said what tokens are worth', async () => {
    const tokenValues = new Map<Address, bigint>();
    world = startGasWorld(SHORT, { tokenValues });
    tokenValues.set(world.network.token, 10n ** 15n);
    const theft = await startTheft(world);
    const junk = await theft.createJunk(800_000);
    const block = world.head();
    await lockDust(theft, junk);
    const { bobs, others } = gasSince(block + 1n, theft.bob().ownAddress);
    expect(bobs).toBeLessThan(others);
  }, 60_000);

  it('settles no channels of strangers for more gas in a day than they paid, in a token that is dear in blocks alone', async () => {
    world = startGasWorld(SHORT);
    const theft = await startTheft(world);
    const junk = await theft.createJunk(900_000, { isHidden: true });
    const block = world.head();
    await closeEmpty(theft, junk);
    // A settlement that was mined in vain is tried again later and later.
    for (const pause of [80n, 640n, 5_120n]) {
      await world.network.mine(pause);
      await world.mine(12n);
    }
    const { bobs, others } = gasSince(block + 1n, theft.bob().ownAddress);
    expect(bobs).toBeLessThan(others);
  }, 60_000);
});
