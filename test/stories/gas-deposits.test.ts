/** Anybody may deposit for anybody: what others put on a node's side says nothing of what it values. */
import { afterEach, describe, expect, it } from 'vitest';
import { secrethashOf } from '../../src/protocol/hash.ts';
import {
  type GasWorld,
  SHORT,
  type Speaker,
  startGasWorld,
  type Token,
  USUAL,
} from '../support/gas-attack.ts';
import { startTheft, stealBy, type Theft, WHOLE } from '../support/gas-theft.ts';

const SETTLE_TIMEOUT = SHORT.settleTimeout;
/** The locks that a channel takes. */
const FULL = 160;
/** As many registrations as all strangers together may force on a node with locks that mean little. */
const OF_STRANGERS = 400;

/** Strangers that lock what they have for bob; `given`: what they have put on its side. */
async function lockFor(
  { world, bob, knows }: Theft,
  { of, count, given, amount }: { of: Token; count: number; given: bigint; amount: bigint },
  locks: { count: number; lifetime: bigint; isShown: boolean },
): Promise<Speaker[]> {
  const deposit = amount * BigInt(locks.count);
  const terms = { of, count, settleTimeout: SETTLE_TIMEOUT, deposit, given };
  const strangers = world.open(bob().ownAddress, terms);
  await world.network.mine(3n);
  await knows(count + (of.token === world.ordinary.token ? 2 : 0), of.token);
  const speakers = strangers.map((stranger) => world.speaker(stranger, 'bob'));
  for (const speaker of speakers) world.lock(speaker, 'bob', { amount, ...locks });
  await world.heard(speakers, locks.count);
  return speakers;
}

describe('a unit that a stranger has put on a node’s side', () => {
  let world: GasWorld | null = null;
  afterEach(() => world?.network.stop());

  it.each([
    ['nothing', 0n],
    ['one unit', 1n],
  ])(
    'buys no registrations: strangers force no more with %s there',
    async (_, given) => {
      world = startGasWorld(SHORT);
      const theft = await startTheft(world);
      const terms = { of: world.ordinary, count: 4, given, amount: 1n };
      const lifetime = SHORT.revealTimeout + 12n;
      const speakers = await lockFor(theft, terms, { count: FULL, lifetime, isShown: true });
      await world.stopMining();
      await world.mine(lifetime);
      const { simulated } = world.network;
      const registered = speakers
        .flatMap(({ secrets }) => secrets)
        .filter((secret) => simulated.secretBlock(secrethashOf(secret)) !== null);
      expect(registered.length).toBeLessThanOrEqual(OF_STRANGERS);
    },
    60_000,
  );

  it.each([
    ['short', SHORT],
    ['default', USUAL],
  ])(
    'makes no money of the token: locks in it keep no payment of others from being passed on, at %s timeouts',
    async (_, timeouts) => {
      const prepare = async (theft: Theft) => {
        const of = await theft.createJunk(0);
        const terms = { of, count: 1, given: 1n, amount: 10n ** 18n };
        await lockFor(theft, terms, { count: 100, lifetime: 98n, isShown: false });
      };
      expect(await stealBy({ timeouts, prepare })).toBeGreaterThanOrEqual(WHOLE);
    },
    60_000,
  );

  it('makes no money of the token: channels in it keep no payment of others from being passed on', async () => {
    const prepare = async (theft: Theft) => {
      const of = await theft.createJunk(0);
      const terms = { of, count: 12, given: 10n ** 18n, settleTimeout: SETTLE_TIMEOUT };
      theft.world.open(theft.bob().ownAddress, terms);
      await theft.world.network.mine(3n);
      await theft.knows(12, of.token);
    };
    expect(await stealBy({ timeouts: SHORT, prepare })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);

  it('buys nothing in the token that the node uses, either: many channels with a unit keep no payment away', async () => {
    const prepare = async (theft: Theft) => {
      const terms = { of: theft.world.ordinary, count: 30, given: 1n };
      const open = { ...terms, settleTimeout: SETTLE_TIMEOUT };
      theft.world.open(theft.bob().ownAddress, open);
      await theft.world.network.mine(3n);
      await theft.knows(32);
    };
    expect(await stealBy({ timeouts: SHORT, prepare })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);
});
