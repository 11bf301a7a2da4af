import { describe, expect, it } from 'vitest';
import { createGasCheck } from '../../../../src/services/base/gas.ts';
import { PARTNER } from '../../../support/makers.ts';

const GWEI = 10n ** 9n;
/** Wei for one claim at this price: three times 130,000 units of gas. */
const ONE = 390_000n * GWEI;
const done = () => new Promise<void>((resolve) => void setImmediate(resolve));

function checked(held: bigint, { work = 0, isRenewed = false } = {}) {
  const world = { held, work, price: GWEI, now: 0 };
  const gas = createGasCheck({
    client: {
      getBalance: async () => world.held,
      getGasPrice: async () => world.price,
    },
    account: PARTNER,
    work: () => world.work,
    calls: ['claimIou'],
    isRenewed,
    keeps: 'claims',
    clock: { elapsed: () => world.now },
  });
  return {
    world,
    async trouble() {
      world.now += 60_000;
      gas.look();
      await done();
      return gas.check.look()?.body ?? null;
    },
  };
}

describe('the gas of a service', () => {
  it('suffices for one work at least, and for all that is taken on', async () => {
    const { world, trouble } = checked(ONE);
    expect(await trouble()).toBeNull();
    world.work = 2;
    expect(await trouble()).toContain(`may cost ${2n * ONE} wei`);
  });

  it('is not wanted for any number of works that strangers begin', async () => {
    const { trouble } = checked(20n * ONE, { work: 100_000 });
    expect(await trouble()).toBeNull();
  });

  it('is wanted for a renewal, too', async () => {
    expect(await checked(ONE, { isRenewed: true }).trouble()).not.toBeNull();
    expect(await checked(ONE + 3n * 760_000n * GWEI, { isRenewed: true }).trouble()).toBeNull();
  });

  it('is too little until there is a little more than enough, as its price goes up and down', async () => {
    const { world, trouble } = checked(ONE);
    world.price = GWEI + 1n;
    expect(await trouble()).not.toBeNull();
    world.price = GWEI;
    expect(await trouble()).not.toBeNull();
    world.held = (ONE * 5n) / 4n;
    expect(await trouble()).toBeNull();
  });
});
