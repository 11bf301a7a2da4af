/**
 * Strangers lock over bob for other strangers, who show the secrets; the payers withhold. Meanwhile a tip is said to be usual
 * that no block asks: bob's registrations must not go one by one for that.
 */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { startTheft } from '../support/gas-theft.ts';
import { balanceOf, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const PAIRS = 3;
const EACH = 75;
const AMOUNT = TOKENS / 4n;
/** More than twice what bob promises. */
const MUCH = 110_000_000n * GWEI;

let world: GasWorld;
afterEach(() => world.network.stop());

it.each([
  ['no tip is said to be usual', 0n],
  ['the tip that is said to be usual is 50 times the base fee', 50n],
  ['it is 150 times the base fee', 150n],
  ['it is 500 times the base fee', 500n],
] as const)(
  'bob registers in time all that it has promised when %s',
  async (_, tip) => {
    world = startGasWorld(SHORT);
    const { network } = world;
    const { simulated, token } = network;
    const theft = await startTheft(world);
    const { bob, line } = theft;
    await world.setMoney('bob', MUCH);
    const terms = { of: world.ordinary, count: PAIRS, settleTimeout: 400n };
    const payers = world
      .open(bob().ownAddress, { ...terms, deposit: 20n * TOKENS })
      .map((one) => world.speaker(one, 'bob'));
    const payees = world
      .open(bob().ownAddress, { ...terms, deposit: 1n, given: 20n * TOKENS })
      .map((one) => world.speaker(one, 'bob'));
    await network.mine(3n);
    await theft.knows(2 + 2 * PAIRS);
    for (const payee of payees) world.lock(payee, 'bob', { lifetime: 99n, isShown: false });
    await world.heard(payees, 1);
    await bob().checkNotifications();
    await line.agree();
    await world.stopMining();
    const expiration = world.head() + 90n;
    for (const [n, payer] of payers.entries()) {
      const over = payees[n]?.says.address ?? '0x';
      world.lock(payer, 'bob', {
        amount: AMOUNT,
        count: EACH,
        isShown: false,
        over,
        lifetime: 90n,
      });
    }
    await world.heard(payers, EACH);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    for (const [n, payer] of payers.entries())
      for (const secret of payer.secrets) payees[n]?.says.reveal(secret);
    const paid = () =>
      payees.reduce(
        (sum, { says }) => sum + 20n * TOKENS - balanceOf(bob().channel(token, says.address)),
        0n,
      );
    // Of each payer's locks the last few find no place.
    const most = BigInt(PAIRS * (EACH - 5)) * AMOUNT;
    await until(() => paid() >= most, 'the payees are paid');
    const promisedAt = simulated.head().baseFee;
    simulated.setWeather({ usualTip: tip * promisedAt });
    await world.mine(expiration - world.head() + 3n);
    expect(simulated.head().baseFee).toBeLessThan((promisedAt * 5n) / 4n);
    const sent = [];
    for (let at = 1n; at < expiration; at++) sent.push(...(simulated.block(at)?.receipts ?? []));
    const data = sent.map(({ transaction }) => transaction.data).join();
    const all = payers.flatMap(({ secrets }) => secrets);
    const registered = all.filter((secret) => data.includes(secret.slice(2))).length;
    expect(BigInt(registered) * AMOUNT).toBeGreaterThanOrEqual(paid());
  },
  120_000,
);
