/** A server sells for payments to its node, and is lied to: each payment is redeemed once, for what it was. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Secret, toHex } from '../../src/basics/hex.ts';
import { createApp } from '../../src/http/app.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import { type Line, startLine } from '../support/line.ts';
import { good, type Network, startVirtualNetwork } from '../support/network.ts';
import { tampered } from '../support/tampered.ts';
import { until } from '../support/until.ts';
import {
  type Answer,
  askX402,
  bodyOf,
  type Changes,
  demanding,
  type Offer,
} from '../support/x402.ts';

const WAY = ['alice', 'bob', 'carol'];
const AMOUNT = 1_000n;
const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };

let network: Network;
let line: Line;
let isLost: (message: Message) => boolean;
let drawn = 0;

beforeEach(async () => {
  isLost = () => false;
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  const wireOf = (name: string) => {
    const bare = network.bus.connect(network.addressOf(name));
    const parts = { network, signer: network.signerAt(network.addressOf(name)) };
    return tampered(bare, parts, (message) => name !== 'carol' && isLost(message)).transport;
  };
  line = await startLine(network, WAY, (name) => ({ transport: wireOf(name) }));
});
afterEach(() => network.stop());

const now = () => Math.floor(network.clock.now() / 1_000);
const newSecret = (): Secret => {
  drawn += 1;
  return toHex(new Uint8Array(32).fill(drawn));
};
const isUnlock = (message: Message) =>
  message.type === 'Update' && message.changes.some(({ type }) => type === 'unlock');

function offerOf(parts: Partial<Offer> = {}): Offer {
  return {
    asset: network.token,
    payTo: network.addressOf('carol'),
    payer: network.addressOf('alice'),
    secret: newSecret(),
    paymentId: 77n,
    amount: AMOUNT,
    expires: now() + 60,
    chainId: network.chain.chainId,
    ...parts,
  };
}

async function pay(offer: Offer, path: readonly string[] = WAY): Promise<Offer> {
  const { secret, paymentId } = offer;
  const [from = ''] = path;
  good(
    await line.node(from).pay(line.payment(path, { amount: offer.amount, paymentId, secret }), {
      keyed: null,
      begun: null,
    }),
  );
  return offer;
}
const settle = (offer: Offer, changes: Changes = {}, key?: string): Promise<Answer> =>
  askX402(line.node('carol'), 'settle', bodyOf(offer, changes), key);
const verify = (offer: Offer, changes: Changes = {}) =>
  askX402(line.node('carol'), 'verify', bodyOf(offer, changes));
const release = (offer: Offer, changes: Changes = {}, key?: string) =>
  askX402(line.node('carol'), 'release', bodyOf(offer, changes), key);
const because = (errorReason: string) => ({
  status: 200,
  body: { success: false, errorReason, transaction: '' },
});
const settled = { status: 200, body: { success: true } };

describe('a payment that was received', () => {
  it('is redeemed once, with what the protocol wants to hear', async () => {
    const offer = await pay(offerOf());
    expect(await verify(offer)).toEqual({
      status: 200,
      body: { isValid: true, payer: offer.payer },
    });
    const transaction = secrethashOf(offer.secret);
    expect(await settle(offer)).toEqual({
      status: 200,
      body: {
        success: true,
        transaction,
        network: `eip155:${offer.chainId}`,
        payer: offer.payer,
        amount: String(AMOUNT),
        extra: { redemption: expect.any(String) },
      },
    });
    expect(await settle(offer)).toMatchObject(because('duplicate_settlement'));
    expect(await verify(offer)).toMatchObject({
      body: { isValid: false, invalidReason: 'duplicate_settlement' },
    });
  });

  it('is redeemed by one of fifty who ask at once', async () => {
    const offer = await pay(offerOf());
    const answers = await Promise.all(Array.from({ length: 50 }, () => settle(offer)));
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1);
    expect(
      answers.filter(({ body }) => body['errorReason'] === 'duplicate_settlement'),
    ).toHaveLength(49);
  });

  it('is redeemed once by fifty who ask at once of a node that handles all of them at a time', async () => {
    const offer = await pay(offerOf());
    const app = createApp({ node: line.node('carol'), options: { apiConcurrency: 64 } });
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(offer)),
    };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => app.request('/x402/settle', request)),
    );
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(bodies.filter((body) => Object(body)['success'] === true)).toHaveLength(1);
  });

  it('is still redeemed after a restart, and can be when nobody had before it', async () => {
    const [first, second] = [await pay(offerOf()), await pay(offerOf({ paymentId: 78n }))];
    expect(await settle(first)).toMatchObject(settled);
    await line.stop('carol');
    await line.start('carol');
    expect(await settle(first)).toMatchObject(because('duplicate_settlement'));
    expect(await settle(second)).toMatchObject(settled);
  });

  it('is redeemed for a payer that writes addresses in small letters', async () => {
    const offer = await pay(offerOf());
    const asset = offer.asset.toLowerCase();
    expect(
      await settle(offer, {
        ...demanding({ asset }),
        payload: { payer: offer.payer.toLowerCase() },
      }),
    ).toMatchObject(settled);
  });

  it('buys as well what costs less than was paid', async () => {
    const offer = await pay(offerOf());
    expect(await settle(offer, demanding({ amount: '999' }))).toMatchObject({
      body: { success: true, amount: '1000' },
    });
  });
});

describe('a proof that is not good', () => {
  it.each<[string, string, (offer: Offer) => Changes]>([
    ['of another scheme', 'unsupported_scheme', () => demanding({ scheme: 'exact' })],
    ['for less than is demanded', 'requirements_mismatch', () => ({ accepted: { amount: '1' } })],
    [
      'for another token than is demanded',
      'requirements_mismatch',
      ({ payTo }) => ({ accepted: { asset: payTo } }),
    ],
    [
      'for another node than is demanded',
      'requirements_mismatch',
      ({ payer }) => ({ accepted: { payTo: payer } }),
    ],
    [
      'for another chain than is demanded',
      'requirements_mismatch',
      () => ({ accepted: { network: 'eip155:1' } }),
    ],
    ['with other terms', 'requirements_mismatch', () => ({ accepted: { maxTimeoutSeconds: 61 } })],
    ['of another chain', 'network_mismatch', () => demanding({ network: 'eip155:1' })],
    [
      'of a payment to another node',
      'recipient_mismatch',
      ({ payer }) => demanding({ payTo: payer }),
    ],
    ['with another identifier', 'identifier_mismatch', () => ({ payload: { paymentId: '78' } })],
    [
      'of an offer with another identifier',
      'identifier_mismatch',
      () => ({ extra: { paymentId: '78' }, payload: { paymentId: '78' } }),
    ],
    ['of another token', 'asset_mismatch', ({ payTo }) => demanding({ asset: payTo })],
    ['of more than was paid', 'insufficient_amount', () => demanding({ amount: '1001' })],
    ['of very much', 'insufficient_amount', () => demanding({ amount: String(2n ** 256n - 1n) })],
    ['of another payer', 'payer_mismatch', ({ payTo }) => ({ payload: { payer: payTo } })],
    [
      'with another secret',
      'payment_not_found',
      () => ({ payload: { secret: `0x${'ee'.repeat(32)}` } }),
    ],
    [
      'with another secret, when the offer is over',
      'expired',
      ({ expires }) => ({
        payload: { secret: `0x${'ee'.repeat(32)}` },
        extra: { expires: expires - 120 },
      }),
    ],
  ])('%s is refused: %s', async (_, reason, changesOf) => {
    const offer = await pay(offerOf());
    const changes = changesOf(offer);
    expect(await settle(offer, changes)).toMatchObject(because(reason));
    expect(await verify(offer, changes)).toMatchObject({
      status: 200,
      body: { isValid: false, invalidReason: reason },
    });
    expect(await settle(offer)).toMatchObject(settled);
  });

  it.each<[string, Changes]>([
    ['a secret that is too short', { payload: { secret: `0x${'11'.repeat(31)}` } }],
    ['a secret that is too long', { payload: { secret: `0x${'11'.repeat(33)}` } }],
    ['a secret that is none', { payload: { secret: 7 } }],
    ['an identifier above 2^63 - 1', { payload: { paymentId: String(2n ** 63n) } }],
    ['an identifier of 0', { extra: { paymentId: '0' } }],
    ['an identifier as a number', { payload: { paymentId: 77 } }],
    ['a negative amount', demanding({ amount: '-1' })],
    ['no amount', demanding({ amount: '0' })],
    ['an amount of 2^256', demanding({ amount: String(2n ** 256n) })],
    ['an amount with thousands of digits', demanding({ amount: '9'.repeat(5_000) })],
    ['an end that no clock shows', { extra: { expires: 1e300 } }],
    ['an end in a fraction', { extra: { expires: 1.5 } }],
    ['a negative end', { extra: { expires: -1 } }],
    ['no tag', { extra: { tag: '0x' } }],
    ['an address that is none', { payload: { payer: '0x12' } }],
    ['another version', { x402Version: 1 }],
    ['no payload', { paymentPayload: null }],
  ])('is answered 400 with %s', async (_, changes) => {
    const offer = offerOf();
    for (const ask of [settle, verify, release])
      expect(await ask(offer, changes)).toMatchObject({
        status: 400,
        body: { code: 'invalid_shape', errors: expect.any(Object), outcome: 'not_begun' },
      });
  });

  it('is that of a payment which the node only passed on', async () => {
    const offer = await pay(offerOf());
    const payTo = network.addressOf('bob');
    const asked = bodyOf({ ...offer, payTo });
    expect(await askX402(line.node('bob'), 'settle', asked)).toMatchObject(
      because('payment_not_found'),
    );
    const ownAsPayer = bodyOf({ ...offer, payTo, payer: payTo });
    expect(await askX402(line.node('bob'), 'settle', ownAsPayer)).toMatchObject(
      because('payment_not_found'),
    );
  });

  it('is that of a payment which the node sent', async () => {
    const offer = await pay(offerOf());
    const payTo = network.addressOf('alice');
    for (const payer of [payTo, offer.payTo])
      expect(
        await askX402(line.node('alice'), 'settle', bodyOf({ ...offer, payTo, payer })),
      ).toMatchObject(because('payment_not_found'));
  });
});

describe('a payment that is under way', () => {
  it('is waited for, and redeemed when its last message comes', async () => {
    isLost = isUnlock;
    const offer = await pay(offerOf());
    expect(await verify(offer)).toMatchObject({ body: { invalidReason: 'payment_pending' } });
    const answer = settle(offer);
    setTimeout(() => {
      isLost = () => false;
    }, 500);
    expect(await answer).toMatchObject(settled);
    expect(await settle(offer)).toMatchObject(because('duplicate_settlement'));
  });

  it('is not waited for longer than 5 s, without holding up anybody else', async () => {
    isLost = isUnlock;
    const offer = await pay(offerOf());
    const app = createApp({ node: line.node('carol') });
    const begun = network.clock.now();
    const answers = Array.from({ length: 20 }, () =>
      app.request('/x402/settle', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(offer)),
      }),
    );
    // The node handles one call at a time: those that wait do not count.
    expect((await app.request('/api/v1/address')).status).toBe(200);
    expect(network.clock.now() - begun).toBeLessThan(4_000);
    for (const answer of await Promise.all(answers))
      expect(await answer.json()).toMatchObject({ errorReason: 'payment_pending' });
    const waited = network.clock.now() - begun;
    expect(waited).toBeGreaterThanOrEqual(5_000);
    expect(waited).toBeLessThan(8_000);
    isLost = () => false;
    await until(async () => (await verify(offer)).body['isValid'] === true, 'the payment comes');
    expect(await settle(offer)).toMatchObject(settled);
  });

  it('is no reason to wait when it is somebody else’s', async () => {
    isLost = isUnlock;
    const offer = await pay(offerOf());
    const begun = network.clock.now();
    const payer = offer.payTo;
    expect(await settle(offer, { payload: { payer } })).toMatchObject(because('payment_not_found'));
    expect(network.clock.now() - begun).toBeLessThan(4_000);
  });
});

/** Whoever passes a payment on decides when its lock comes and when that is paid: an hour after the offer, or never. */
describe('a payment that is paid after the end of its offer', () => {
  const untilOver = ({ expires }: Offer) => until(() => now() > expires, 'the offer is over');
  async function payHeldBack(): Promise<Offer> {
    isLost = isUnlock;
    const offer = await pay(offerOf({ expires: now() + 20 }));
    expect(await settle(offer)).toMatchObject(because('payment_pending'));
    await untilOver(offer);
    return offer;
  }
  async function unlock(offer: Offer): Promise<void> {
    isLost = () => false;
    await until(async () => (await verify(offer)).body['isValid'] === true, 'the payment comes');
  }

  it('is under way until then, and redeemed once', async () => {
    const offer = await payHeldBack();
    expect(await settle(offer)).toMatchObject(because('payment_pending'));
    await unlock(offer);
    expect(await settle(offer)).toMatchObject(settled);
    expect(await settle(offer)).toMatchObject(because('duplicate_settlement'));
  });

  it('is so though the seller was away in between', async () => {
    const offer = await payHeldBack();
    await line.stop('carol');
    await line.start('carol');
    expect(await settle(offer)).toMatchObject(because('payment_pending'));
    await unlock(offer);
    await line.stop('carol');
    await line.start('carol');
    expect(await settle(offer)).toMatchObject(settled);
  });

  it('is under way as long as its lock can be paid, on chain at last', async () => {
    const offer = await payHeldBack();
    const isRegistered = async () =>
      [...(await line.node('carol').stats()).actors.keys()].some((state) =>
        /registered$/.test(state),
      );
    await until(async () => {
      await line.mine(1n);
      return isRegistered();
    }, 'the seller has its secret on chain');
    expect(await settle(offer)).toMatchObject(because('payment_pending'));
    await unlock(offer);
    expect(await settle(offer)).toMatchObject(settled);
  }, 60_000);

  it('is redeemed when its mediator has kept the lock until the end, too', async () => {
    isLost = isUnlock;
    const offer = offerOf({ expires: now() + 1 });
    await untilOver(offer);
    await pay(offer);
    expect(await settle(offer)).toMatchObject(because('payment_pending'));
    await unlock(offer);
    expect(await settle(offer)).toMatchObject(settled);
  });
});

describe('a redemption that is taken back', () => {
  it('can be made again, once', async () => {
    const offer = await pay(offerOf());
    expect(await settle(offer)).toMatchObject(settled);
    const transaction = secrethashOf(offer.secret);
    for (const _ of ['once', 'twice'])
      expect(await release(offer)).toMatchObject({ body: { success: true, transaction } });
    expect(await settle(offer)).toMatchObject(settled);
    expect(await settle(offer)).toMatchObject(because('duplicate_settlement'));
  });

  it('is the one that is named, however late that is said', async () => {
    const offer = await pay(offerOf());
    const first = Object((await settle(offer)).body['extra']);
    expect(await release(offer, first)).toMatchObject(settled);
    const second = Object((await settle(offer)).body['extra']);
    expect(second).not.toEqual(first);
    expect(await release(offer, first)).toMatchObject(settled);
    expect(await settle(offer)).toMatchObject(because('duplicate_settlement'));
    expect(await release(offer, second)).toMatchObject(settled);
    expect(await settle(offer)).toMatchObject(settled);
  });

  it('is not told a second time under its key', async () => {
    const offer = await pay(offerOf());
    const made = await settle(offer, {}, 'first');
    expect(await settle(offer, {}, 'first')).toEqual(made);
    expect(await release(offer)).toMatchObject(settled);
    expect(await settle(offer, {}, 'first')).toMatchObject(because('released'));
    expect(await settle(offer, {}, 'second')).toMatchObject(settled);
    expect(await settle(offer, {}, 'first')).toMatchObject(because('released'));
    expect(await settle(offer, {}, 'second')).toMatchObject(settled);
    expect(await settle(offer, {}, 'third')).toMatchObject(because('duplicate_settlement'));
  });

  it('is that of a payment that was received, and of no other', async () => {
    const offer = await pay(offerOf());
    expect(await settle(offer)).toMatchObject(settled);
    const secret = newSecret();
    expect(await release(offer, { payload: { secret } })).toMatchObject(
      because('payment_not_found'),
    );
    expect(await release(offer, demanding({ network: 'eip155:1' }))).toMatchObject(
      because('network_mismatch'),
    );
    expect(await settle(offer)).toMatchObject(because('duplicate_settlement'));
  });
});
