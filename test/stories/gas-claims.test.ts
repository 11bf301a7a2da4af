/** Strangers make a mediator claim dust on chain, while a payer withholds what it owes: what is promised stays paid for. */
import { describe, expect, it } from 'vitest';
import { newKey, SHORT, type Speaker, USUAL } from '../support/gas-attack.ts';
import { MONEY, stealBy, type Theft, WHOLE } from '../support/gas-theft.ts';

const SETTLE_TIMEOUT = 100n;
const BURNS = 850_000;
const RICH = 10n ** 22n;
/** The reveal timeout, and twice the confirmations. */
const GRACE = SHORT.revealTimeout + 2n;

/** Strangers with channels in which each has locked one unit for bob. */
async function lockDust(
  theft: Theft,
  count: number,
  { of = theft.world.ordinary, lifetime = 200n, isShown = true },
): Promise<Speaker[]> {
  const { world, bob } = theft;
  const strangers = world.open(bob().ownAddress, { of, count, settleTimeout: SETTLE_TIMEOUT });
  await world.network.mine(3n);
  await theft.knows(count + (of.token === world.ordinary.token ? 2 : 0), of.token);
  const speakers = strangers.map((stranger) => world.speaker(stranger, 'bob'));
  for (const speaker of speakers) world.lock(speaker, 'bob', { lifetime, isShown });
  await world.heard(speakers, 1);
  return speakers;
}
const strangersOf = (speakers: readonly Speaker[]) => speakers.map(({ stranger }) => stranger);
const secretsOf = (speakers: readonly Speaker[]) => speakers.flatMap(({ secrets }) => secrets);

describe('a mediator whose payer withholds the unlock', () => {
  it.each([
    ['short', SHORT],
    ['default', USUAL],
  ])(
    'ends with all its tokens when strangers close over locks of one unit, whose secrets nobody shows, at %s timeouts',
    async (_, timeouts) => {
      let speakers: Speaker[] = [];
      const prepare = async (theft: Theft) => {
        speakers = await lockDust(theft, 200, { isShown: false });
      };
      const meanwhile = async ({ world, bob }: Theft) =>
        world.close(strangersOf(speakers), bob().ownAddress);
      expect(await stealBy({ timeouts, prepare, meanwhile })).toBeGreaterThanOrEqual(WHOLE);
    },
    60_000,
  );

  it('ends with all its tokens when it could close channels of strangers for one unit each', async () => {
    const prepare = async (theft: Theft) => {
      const { world } = theft;
      const speakers = await lockDust(theft, 200, { lifetime: 60n });
      world.register(newKey(), secretsOf(speakers));
      await world.network.mine(60n + GRACE - 3n);
    };
    expect(await stealBy({ timeouts: SHORT, prepare })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);

  it('ends with all its tokens when it could unlock one unit of a token that burns gas in each of many channels', async () => {
    let speakers: Speaker[] = [];
    const prepare = async (theft: Theft) => {
      const { world, bob } = theft;
      await world.setMoney('bob', RICH);
      const of = await theft.createJunk(BURNS);
      await world.stopMining();
      speakers = [...(await lockDust(theft, 20, { of })), ...(await lockDust(theft, 60, {}))];
      world.register(newKey(), secretsOf(speakers));
      await world.network.mine(2n);
      world.close(strangersOf(speakers), bob().ownAddress);
      await world.mine(SETTLE_TIMEOUT - 1n);
      await world.setMoney('bob', MONEY);
    };
    const meanwhile = async ({ world, bob }: Theft) => {
      const of = new Map(speakers.map(({ stranger, says }) => [stranger, says]));
      await world.mine(2n);
      world.settle(strangersOf(speakers), bob().ownAddress, (one) => {
        const says = of.get(one);
        if (says === undefined) throw new Error('nobody');
        return says.envelope();
      });
    };
    expect(await stealBy({ timeouts: SHORT, prepare, meanwhile })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);
});
