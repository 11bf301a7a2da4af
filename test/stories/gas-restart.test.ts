/** A mediator starts again, whom strangers have paid one unit each. */
import { afterEach, expect, it } from 'vitest';
import { type Address, ZERO_HASH } from '../../src/basics/hex.ts';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { MONEY, startTheft } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { TOKENS } from '../support/network.ts';

let world: GasWorld;
afterEach(() => world.network.stop());

it.each([
  ['as before', false],
  ['when it starts again', true],
])(
  'mediates %s, whatever strangers have paid it, where the operator has said what tokens are worth',
  async (_, isRestarted) => {
    const tokenValues = new Map<Address, bigint>();
    world = startGasWorld(SHORT, { tokenValues });
    // A token is worth a thousandth of an ether.
    tokenValues.set(world.network.token, 10n ** 15n);
    const theft = await startTheft(world);
    const { line, bob } = theft;
    await world.setMoney('bob', MONEY);
    const strangers = world.open(bob().ownAddress, {
      of: world.ordinary,
      count: 40,
      settleTimeout: 100n,
    });
    await world.network.mine(3n);
    await theft.knows(42);
    const speakers = strangers.map((one) => world.speaker(one, 'bob'));
    for (const speaker of speakers) world.lock(speaker, 'bob', { lifetime: 90n, isShown: true });
    await world.heard(speakers, 1);
    for (const [n, { says, secrets }] of speakers.entries())
      says.unlock({ paymentId: BigInt(n + 1) + base, secret: secrets[0] ?? ZERO_HASH });
    base += 40n;
    await world.heard(speakers, 2);
    await bob().checkNotifications();
    if (isRestarted) {
      await line.stop('bob');
      await line.start('bob');
      await bob().checkNotifications();
    }
    await line.agree();
    const paid = await Promise.race([
      line
        .node('dave')
        .pay(line.payment(['dave', 'bob', 'erin'], { amount: 90n * TOKENS, secret: secretOf(7) })),
      new Promise((resolve) => setTimeout(() => resolve('no answer'), 20_000)),
    ]);
    expect(paid).toMatchObject({ ok: true });
  },
  60_000,
);
let base = 0n;
