/** Strangers pay a mediator a little each, and close with an old state. */

import { describe, expect, it } from 'vitest';
import { ZERO_HASH } from '../../src/basics/hex.ts';
import { isRegistered } from '../support/cheating.ts';
import { SHORT, type Speaker, type Stranger } from '../support/gas-attack.ts';
import { SECRET, stealBy, type Theft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { TOKENS } from '../support/network.ts';

const SETTLE_TIMEOUT = 200n;

/** Each pays bob so much directly: locked and unlocked at once. Answers what they gave. */
async function payAll(theft: Theft, speakers: Speaker[], amount: bigint): Promise<void> {
  const { world } = theft;
  for (const speaker of speakers) {
    world.lock(speaker, 'bob', { amount, lifetime: 150n, isShown: true });
  }
  await world.heard(speakers, 1);
  for (const { says, secrets } of speakers) {
    const paymentId = BigInt(BASE + speakers.findIndex((one) => one.says === says));
    says.unlock({ paymentId, secret: secrets[0] ?? ZERO_HASH });
  }
  await world.heard(speakers, 2);
}
const BASE = 1;

function scheme(count: number, amount: bigint, isAfter: boolean, isDear = false) {
  let strangers: Stranger[] = [];
  let speakers: Speaker[] = [];
  return {
    prepare: async (theft: Theft) => {
      const { world, bob } = theft;
      strangers = world.open(bob().ownAddress, {
        of: world.ordinary,
        count,
        settleTimeout: SETTLE_TIMEOUT,
        deposit: amount,
      });
      await world.network.mine(3n);
      await theft.knows(2 + count);
      speakers = strangers.map((one) => world.speaker(one, 'bob'));
      if (!isAfter) await payAll(theft, speakers, amount);
    },
    meanwhile: async (theft: Theft) => {
      const { world, bob } = theft;
      if (isAfter) await payAll(theft, speakers, amount);
      if (isDear) await world.makeDearer(8n);
      world.close(strangers, bob().ownAddress);
      await world.mine(20n);
    },
  };
}

describe('a mediator that strangers pay a little each', () => {
  it.each([
    ['nobody pays it', 0, SHORT, false],
    ['200 strangers pay it a little and close with an old state', 200, SHORT, false],
    ['70 do so when gas is dear', 70, SHORT, true],
  ] as const)(
    'bob can claim what dave withholds when %s',
    async (_, count, timeouts, isDear) => {
      const amount = TOKENS / 6n;
      const one = scheme(count, amount, true, isDear);
      let isClaimed = false;
      const meanwhile = async (theft: Theft) => {
        await one.meanwhile(theft);
        const { tokensInTheEnd } = theft;
        theft.tokensInTheEnd = async () => {
          isClaimed = await isRegistered(theft.world.network, secretOf(SECRET));
          return tokensInTheEnd();
        };
      };
      await stealBy({ timeouts, prepare: one.prepare, meanwhile });
      expect(isClaimed).toBe(true);
    },
    120_000,
  );

  it('mediates when 40 strangers have paid it a little', async () => {
    const one = scheme(40, TOKENS / 6n, false);
    const prepare: typeof one.prepare = async (theft) => {
      await theft.bob().checkNotifications();
      await one.prepare(theft);
    };
    expect(await stealBy({ timeouts: SHORT, prepare })).toBeGreaterThanOrEqual(WHOLE);
  }, 120_000);
});
