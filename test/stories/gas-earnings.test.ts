/** A seller that has put nothing in gets what it has earned, whatever its customer does and strangers do meanwhile. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { createShop } from '../support/gas-shop.ts';
import { good, type TestNode, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const EARNED = (9n * TOKENS) / 10n;
/** What an account is filled with too late. */
const RICH = 10n ** 22n;
/** Enough for what one channel takes, and not for what the strangers want. */
const LITTLE = 3_000_000n * GWEI;

let world: GasWorld;
afterEach(() => world.network.stop());

function pay(from: TestNode, to: TestNode, amount: bigint) {
  const request = { token: world.network.token, target: to.ownAddress, amount, lockTimeout: null };
  const chosen = { paymentId: null, secret: null, secrethash: null, routes: null };
  return world.network.whileMining(from.pay({ ...request, ...chosen }));
}

describe('a seller that has put nothing in', () => {
  it.each([
    ['its operator has said what the token is worth', true, 0],
    ['it has paid in the token itself', false, 0],
    ['its operator has said what the token is worth, and strangers close their channels', true, 90],
    ['it has paid in the token itself, and strangers close their channels', false, 90],
  ])(
    'gets what it has earned from who closes as if it had paid nothing, when %s',
    async (_, isNamed, others) => {
      const tokenValues = new Map<Address, bigint>();
      world = startGasWorld(SHORT, { tokenValues });
      const { network } = world;
      if (isNamed) tokenValues.set(network.token, 10n ** 16n);
      const { start, open } = createShop(world);
      const [seller, customer] = [await start('erin'), await start('alice')];
      await open(customer, seller);
      good(await pay(customer, seller, EARNED + 1n));
      const balance = () => seller.channel(network.token, customer.ownAddress)?.balance ?? 0n;
      // The payer's caller is answered before the payee has the unlock.
      await until(() => balance() > EARNED, 'the seller is paid');
      if (!isNamed) good(await pay(seller, customer, 1n));
      await world.setMoney('erin', LITTLE);
      const terms = { of: world.ordinary, count: others, settleTimeout: 20n };
      const strangers = world.open(seller.ownAddress, terms);
      await network.mine(3n);
      world.close(strangers, seller.ownAddress);
      await world.stopMining();
      await world.mine(45n);
      await world.makeDearer(6n);
      const channelId = seller.channel(network.token, customer.ownAddress)?.channelId ?? 0n;
      const signer = network.signerOf('alice');
      const closer = { signer, channelId, of: world.ordinary };
      world.close([closer], seller.ownAddress);
      const had = await network.tokensOf('erin');
      await world.mine(SHORT.settleTimeout + 1n);
      world.settle([closer], seller.ownAddress);
      await world.mine(3n);
      await world.setMoney('erin', RICH);
      const isGone = () => seller.channel(network.token, customer.ownAddress) === null;
      await network.whileMining(until(isGone, 'the channel is settled'));
      expect((await network.tokensOf('erin')) - had).toBeGreaterThanOrEqual(EARNED);
    },
    60_000,
  );
});
