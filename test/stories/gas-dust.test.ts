/** Strangers pay each other next to nothing over a mediator, and never unlock. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { createShop, FEE } from '../support/gas-shop.ts';

const TERMS = { flat: FEE, proportional: 0n, imbalance: 0n, capFees: true };
/** Of each of three payers. */
const LOCKS = [48, 48, 48];
const LIFETIME = 70n;
/** What a node registers for strangers' small amounts at most: 400 secrets, in transactions of a hundred. */
const ALLOWED = 400n * 24_900n;

let world: GasWorld;
afterEach(() => world.network.stop());

describe('a mediator', () => {
  it.each([
    ['what it allows strangers', false, ALLOWED],
    ['nothing, when its operator has said what the token is worth', true, 0n],
  ])(
    'registers secrets of next to nothing for %s',
    async (_, isNamed, most) => {
      const tokenValues = new Map<Address, bigint>();
      world = startGasWorld(SHORT, { fees: { byToken: new Map(), others: TERMS }, tokenValues });
      if (isNamed) tokenValues.set(world.network.token, 10n ** 15n);
      const { start, open, hold, addAccomplices } = createShop(world);
      const bob = await start('bob');
      const seller = await start('erin');
      await open(bob, seller);
      const block = world.head();
      const accomplices = await addAccomplices(bob, 2);
      const held = { locks: LOCKS, settleTimeout: 100n, lifetime: LIFETIME, amount: FEE + 1n };
      const payees = accomplices.map(({ stranger }) => stranger.signer.address);
      const payers = await hold(bob, held, payees);
      const before = world.gasSince(block + 1n, (from) => from === bob.ownAddress);
      await world.stopMining();
      await world.mine(2n);
      const secrets = payers.flatMap((payer) => payer.secrets);
      // Each of them shows all secrets: bob takes those of the locks that it has given.
      for (const { says } of accomplices) for (const secret of secrets) says.reveal(secret);
      await world.mine(LIFETIME);
      const registering = world.gasSince(block + 1n, (from) => from === bob.ownAddress) - before;
      expect(registering).toBeLessThanOrEqual(most);
    },
    60_000,
  );
});
