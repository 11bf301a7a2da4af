/** An operator orders more than is free while a payer withholds what it owes: what is promised stays paid for. */
import { describe, expect, it } from 'vitest';
import { newKey, SHORT, type Stranger } from '../support/gas-attack.ts';
import { stealBy, type Theft, WHOLE } from '../support/gas-theft.ts';

/** More than the account can pay for. */
const ORDERS = 320;
const TIMEOUTS = { settleTimeout: null, revealTimeout: null };

type Answer = Awaited<ReturnType<ReturnType<Theft['bob']>['close']>>;

/** Some were carried out; the others were refused, with what is missing. */
function expectRefusals(answers: readonly Answer[]): void {
  const refused = answers.flatMap((answer) => (answer.ok ? [] : [answer]));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.filter(({ code }) => code !== 'insufficient_gas')).toEqual([]);
  expect(refused.filter(({ detail }) => !/\d/.test(detail ?? ''))).toEqual([]);
}

describe('a mediator whose payer withholds the unlock', () => {
  it('ends with all its tokens when its operator orders to close more channels than can be paid for', async () => {
    let strangers: Stranger[] = [];
    const answers: Answer[] = [];
    const prepare = async (theft: Theft) => {
      const { world, bob } = theft;
      const terms = { count: ORDERS, settleTimeout: 200n };
      strangers = world.open(bob().ownAddress, { of: world.ordinary, ...terms });
      await world.network.mine(3n);
      await theft.knows(2 + ORDERS);
    };
    const meanwhile = async ({ world, bob }: Theft) => {
      for (const { signer } of strangers)
        void bob()
          .close(world.network.token, signer.address)
          .then((answer) => answers.push(answer));
    };
    expect(await stealBy({ timeouts: SHORT, prepare, meanwhile })).toBeGreaterThanOrEqual(WHOLE);
    expectRefusals(answers);
  }, 60_000);

  it('ends with all its tokens when its operator orders to open more channels than can be paid for', async () => {
    const answers: Answer[] = [];
    const meanwhile = async ({ world, bob }: Theft) => {
      for (let n = 0; n < ORDERS; n++) {
        const request = { token: world.network.token, partner: newKey().address, totalDeposit: 0n };
        void bob()
          .openChannel({ ...request, ...TIMEOUTS })
          .then((answer) => answers.push(answer));
      }
    };
    const nothing = async () => {};
    const ending = await stealBy({ timeouts: SHORT, prepare: nothing, meanwhile });
    expect(ending).toBeGreaterThanOrEqual(WHOLE);
    expectRefusals(answers);
  }, 60_000);
});
