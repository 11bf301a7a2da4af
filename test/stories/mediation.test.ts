import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/partner/transport.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { type Line, startLine } from '../support/line.ts';
import { good, type Network, startVirtualNetwork, TOKENS } from '../support/network.ts';
import { overheard } from '../support/overheard.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const NAMES = ['alice', 'bob', 'carol', 'dave'] as const;
const AMOUNT = 3n * TOKENS;
/** Blocks that a lock lives: twice the reveal timeout of 10, less one. */
const LIFETIME = 19n;
/** Blocks before its end at which a secret has to go on chain: half of its life. */
const REVEAL = 10n;
/** What a mediator keeps that charges 1000 for each mediation. */
const FEE = 1000n;

let network: Network;
let line: Line;
/** How often dave has asked for a secret since he began. */
let asked = () => 0;

beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  line = await startLine(network, NAMES, (name) => (name === 'dave' ? { transport: heard() } : {}));
});
afterAll(() => network.stop());

/** Dave's transport, on which he is heard to ask for secrets. */
function heard(): Transport {
  const { transport, said } = overheard(
    network.bus.connect(network.addressOf('dave')),
    network.read,
  );
  asked = () => said.filter(({ message }) => message.type === 'SecretRequest').length;
  return transport;
}

/** What each node has received from the one before it. */
const received = () => NAMES.slice(1).map((name, n) => line.held(name, NAMES[n] ?? ''));
const arrived = (before: readonly bigint[], amounts: readonly bigint[]) =>
  until(
    () => received().every((now, n) => now - (before[n] ?? 0n) === amounts[n]),
    `${amounts} arrive`,
  );
const isRegistered = async (secret: `0x${string}`) => {
  const { reads, connection, store } = await network.parts('erin');
  const { secretRegistryAddress } = network.contracts;
  const block = good(await reads.isSecretRegistered(secretRegistryAddress, secrethashOf(secret)));
  connection.stop();
  store.close();
  return block > 0n;
};

describe('a payment over two mediators', () => {
  it('reaches its target, and every node has what it should have', async () => {
    const before = received();
    good(await line.node('alice').pay(line.payment(NAMES)));
    await arrived(before, [AMOUNT, AMOUNT, AMOUNT]);
    expect(asked()).toBeGreaterThan(0);
    await line.expectBooks();
  });

  it('comes with its secret once both ends know each other', async () => {
    const [before, earlier] = [received(), asked()];
    good(await line.node('alice').pay(line.payment(NAMES)));
    await arrived(before, [AMOUNT, AMOUNT, AMOUNT]);
    expect(asked()).toBe(earlier);
    await line.expectBooks();
  });

  it('leaves each mediator its fee, to the unit, and the margin to the target, on top of the amount or out of it', async () => {
    const fees = { byToken: new Map([[network.token, { ...FREE, flat: FEE }]]), others: FREE };
    for (const name of ['bob', 'carol']) {
      await line.stop(name);
      await line.start(name, { fees });
    }
    const before = received();
    good(await line.node('alice').pay(line.payment(NAMES, { fee: 2n * FEE })));
    const margin = (60n * 2n * FEE + AMOUNT + 1999n) / 2000n;
    const sent = AMOUNT + 2n * FEE + margin;
    await arrived(before, [sent, sent - FEE, sent - 2n * FEE]);
    await line.expectBooks();
    const history = { token: network.token, partner: null, offset: 0, limit: null };
    expect([...good(line.node('alice').payments(history))].flat().at(-1)).toMatchObject({
      amount: AMOUNT,
    });
    expect([...good(line.node('dave').payments(history))].flat().at(-1)).toMatchObject({
      amount: AMOUNT + margin,
    });
    expect([...good(line.node('bob').payments(history))].flat()).toEqual([]);
    const included = { fee: 2n * FEE, isFeeIncluded: true };
    const paid = good(await line.node('alice').pay(line.payment(NAMES, included)));
    expect(paid.amount).toBe(AMOUNT - 2n * FEE - margin);
    await arrived(before, [sent + AMOUNT, sent + AMOUNT - 2n * FEE, sent + AMOUNT - 4n * FEE]);
    await line.expectBooks();
    for (const name of ['bob', 'carol']) {
      await line.stop(name);
      await line.start(name);
    }
  });

  it('waits at the mediator that cannot pass it on, until it can', async () => {
    const rest = line.held('carol', 'dave') - AMOUNT + 1n;
    const before = received();
    good(await line.node('carol').pay(line.payment(['carol', 'dave'], { amount: rest })));
    const paying = line.node('alice').pay(line.payment(NAMES));
    await until(() => line.pending('carol').includes('mediator'), 'carol holds the payment');
    expect(line.pending('dave')).toEqual([]);
    good(await line.node('dave').pay(line.payment(['dave', 'carol'], { amount: AMOUNT })));
    expect(line.pending('dave')).toEqual([]);
    await line.mine(1n);
    good(await paying);
    await arrived(before, [AMOUNT, AMOUNT, rest]);
    good(await line.node('dave').pay(line.payment(['dave', 'carol'], { amount: rest })));
    await line.expectBooks();
  });
});

describe('a payment whose target is offline', () => {
  it('expires on every hop, and nobody has lost anything', async () => {
    await line.stop('dave');
    const before = received();
    const paying = line.node('alice').pay(line.payment(NAMES));
    const listed = (name: string, partner: string | null) => {
      const address = partner === null ? null : network.addressOf(partner);
      return good(line.node(name).pendingTransfers({ token: network.token, partner: address })).map(
        ({ role, channelId }) => [role, channelId],
      );
    };
    await until(() => listed('carol', 'dave').length === 1, 'the payment hangs at the last hop');
    // A mediator has it from alice and for carol: it is one transfer, but each partner has a lock of it.
    const channelWith = (partner: string) =>
      line.node('bob').channel(network.token, network.addressOf(partner))?.channelId;
    expect(listed('bob', null)).toEqual([['mediator', channelWith('alice')]]);
    expect(listed('bob', 'alice')).toEqual([['mediator', channelWith('alice')]]);
    expect(listed('bob', 'carol')).toEqual([['mediator', channelWith('carol')]]);
    expect(await network.whileMining(paying)).toMatchObject({ ok: false, code: 'lock_expired' });
    await line.start('dave');
    await line.expectBooks();
    expect(received()).toEqual(before);
  });
});

const isMinedAfter = async (confirmed: bigint) =>
  (await network.chain.client.getBlockNumber({ cacheTime: 0 })) >
  confirmed + network.settings.confirmations;

describe('a target that keeps the secret to itself', () => {
  /** A payment whose secret is known to alice and dave, and to nobody between them. */
  async function held(secret: `0x${string}`) {
    network.bus.cut(...line.between('alice', 'dave'));
    const block = await line.agree();
    // With another route to follow, the secret does not travel with the lock, and dave has to ask for it.
    const route = { route: NAMES.map(network.addressOf), fee: 0n };
    const paying = line.node('alice').pay(line.payment(NAMES, { secret, routes: [route, route] }));
    await until(() => line.pending('dave').length === 1, 'dave holds the payment');
    network.bus.cut(...line.between('carol', 'dave'));
    network.bus.heal(...line.between('alice', 'dave'));
    await until(async () => hasSecret('dave'), 'dave knows the secret');
    return { paying, expiration: block + LIFETIME, block };
  }
  const hasSecret = async (name: string) => {
    const { actors } = await line.node(name).stats();
    return actors.has('target revealed');
  };

  it('is paid off chain in the last safe block', async () => {
    const secret = `0x${'51'.repeat(32)}` as const;
    const before = received();
    const { paying, block, expiration } = await held(secret);
    await line.mine(expiration - REVEAL - 1n - block);
    network.bus.heal(...line.between('carol', 'dave'));
    good(await paying);
    await arrived(before, [AMOUNT, AMOUNT, AMOUNT]);
    expect(await isRegistered(secret)).toBe(false);
    await line.expectBooks();
  });

  it('that shows it one block later is paid only when the secret is on chain, and so is everybody', async () => {
    const secret = `0x${'52'.repeat(32)}` as const;
    const before = received();
    const { paying, block, expiration } = await held(secret);
    await line.mine(expiration - REVEAL - block);
    // The chain mines each transaction at once, so no block passes before the nodes had time to act.
    await until(() => isRegistered(secret), 'dave registers the secret');
    expect(received()).toEqual(before);
    network.bus.heal(...line.between('carol', 'dave'));
    await line.mine(1n);
    good(await paying);
    await arrived(before, [AMOUNT, AMOUNT, AMOUNT]);
    await line.expectBooks();
  });

  it('leaves its mediator to register the secret when the payer is gone, and everybody is paid', async () => {
    const secret = `0x${'53'.repeat(32)}` as const;
    const before = received();
    const { paying, block, expiration } = await held(secret);
    const lost = paying.catch(() => null);
    await line.stop('alice');
    network.bus.heal(...line.between('carol', 'dave'));
    const arrivedAt = (n: number) => (received()[n] ?? 0n) - (before[n] ?? 0n) === AMOUNT;
    await until(() => arrivedAt(1) && arrivedAt(2), 'carol and dave are paid');
    await line.mine(expiration - REVEAL - block);
    await until(() => isRegistered(secret), 'bob registers the secret');
    expect(arrivedAt(0)).toBe(false);
    await line.mine(1n);
    await line.start('alice');
    await lost;
    await arrived(before, [AMOUNT, AMOUNT, AMOUNT]);
    await line.expectBooks();
  });

  it('makes a mediator whose payer has closed register the secret, and be paid on chain', async () => {
    const secret = `0x${'54'.repeat(32)}` as const;
    const had = await network.tokensOf('carol');
    const share = line.held('carol', 'bob');
    const { paying, block, expiration } = await held(secret);
    const closing = line.node('bob').close(network.token, network.addressOf('carol'));
    await until(() => isMinedAfter(block), 'the close is mined');
    await line.mine(1n);
    good(await closing);
    network.bus.heal(...line.between('carol', 'dave'));
    await until(() => isRegistered(secret), 'carol registers the secret');
    expect(await line.agree()).toBeLessThan(expiration - REVEAL);
    await line.mine(1n);
    const hasAll = async () => (await network.tokensOf('carol')) - had === share + AMOUNT;
    await network.whileMining(until(hasAll, 'carol has settled and unlocked'));
    good(await paying);
    await line.expectBooks([
      ['alice', 'bob'],
      ['carol', 'dave'],
    ]);
  });
});
