import { describe, expect, it } from 'vitest';
import { type Address, type Hex, toHex } from '../../../src/basics/hex.ts';
import { createTokenBucket } from '../../../src/basics/token-bucket.ts';
import { createReplayWindow } from '../../../src/node/messaging/replay-window.ts';
import type { Sealing } from '../../../src/node/messaging/sealing.ts';
import { splitSealed } from '../../../src/protocol/wire/envelope.ts';
import { createSigner, type Signer } from '../../../src/signer/signer.ts';
import { hashOf, NETWORK, secretOf, TOKEN } from '../../support/makers.ts';
import { sealingOf } from '../../support/sealed.ts';

const signer = (n: number) => {
  const key = new Uint8Array(32).fill(7);
  key[31] = n % 256;
  key[30] = n >> 8;
  return createSigner(key);
};
const [alice, bob, carol] = [signer(1), signer(2), signer(3)];
const place = { chainId: 31337n, tokenNetworkRegistry: NETWORK };
type Parts = Parameters<typeof sealingOf>[2];

/** Alice and bob, who know each other's keys. */
function pair(parts: { alice?: Parts; bob?: Parts } = {}) {
  const [a, b] = [sealingOf(alice, place, parts.alice), sealingOf(bob, place, parts.bob)];
  a.learn(bob.address, bob.publicKey);
  b.learn(alice.address, alice.publicKey);
  return { a, b };
}

function sealed(sealing: Sealing, to: Signer, text = 'hello'): Uint8Array {
  sealing.learn(to.address, to.publicKey);
  const payload = sealing.seal(to.address, Buffer.from(text));
  if (payload === null) throw new Error('the key is known');
  return payload;
}

function opened(sealing: Sealing, payload: Uint8Array): string {
  const result = sealing.open(payload);
  return result.ok ? `${result.sender} ${Buffer.from(result.text)}` : result.reason;
}
const hello = (from: Signer) => `${from.address} hello`;
const DOES_NOT_OPEN = 'the seal does not open';

describe('what is sealed for a node', () => {
  it('opens there, and shows who sealed it', () => {
    const { a, b } = pair();
    expect(opened(b, sealed(a, bob))).toBe(hello(alice));
    expect(opened(a, sealed(b, alice))).toBe(hello(bob));
  });

  it('cannot be sealed before the key is known, which it is from the first payload', () => {
    const [a, b] = [sealingOf(alice, place), sealingOf(bob, place)];
    expect([b.knows(alice.address), b.seal(alice.address, Buffer.from('x'))]).toEqual([
      false,
      null,
    ]);
    expect(opened(b, sealed(a, bob))).toBe(hello(alice));
    expect(b.knows(alice.address)).toBe(true);
    expect(opened(a, sealed(b, alice))).toBe(hello(bob));
  });

  it('is remembered as opened when its memory is used for something else', () => {
    const { a, b } = pair();
    const payload = Buffer.from(sealed(a, bob));
    const copy = Uint8Array.from(payload);
    expect(opened(b, payload)).toBe(hello(alice));
    payload.fill(0);
    expect(opened(b, copy)).toBe('a replay');
  });

  it('takes no key for an address whose own it is not', () => {
    const met: Address[] = [];
    const a = sealingOf(alice, place, { onMet: (address) => met.push(address) });
    for (const wrong of [carol.publicKey, bob.publicKey.subarray(1), new Uint8Array(65)])
      a.learn(bob.address, wrong);
    a.learn(alice.address, alice.publicKey);
    expect([a.knows(bob.address), met]).toEqual([false, []]);
    a.learn(bob.address, bob.publicKey);
    a.learn(bob.address, bob.publicKey);
    expect([a.knows(bob.address), met]).toEqual([true, [bob.address]]);
  });

  it('does not open for anybody else, nor for its sender when it is sent back', () => {
    const { a, b } = pair();
    const payload = sealed(a, bob);
    const c = sealingOf(carol, place);
    c.learn(alice.address, alice.publicKey);
    expect(opened(c, payload)).toBe(DOES_NOT_OPEN);
    expect(opened(a, payload)).toBe('sealed by this node itself');
    // The payload is sent back with the partner's key in its header, as if the partner had sent it.
    const back = Uint8Array.from(payload);
    back.set(sealed(b, alice).subarray(1, 34), 1);
    expect(opened(a, back)).toBe(DOES_NOT_OPEN);
    expect(opened(b, payload)).toBe(hello(alice));
  });

  it.each([
    ['another chain', { chainId: 1n }],
    ['other contracts', { tokenNetworkRegistry: TOKEN }],
  ])('does not open on %s', (_, other) => {
    const { a } = pair();
    const elsewhere = sealingOf(bob, { ...place, ...other });
    expect(opened(elsewhere, sealed(a, bob))).toBe(DOES_NOT_OPEN);
  });

  it('does not open with any byte of it changed', () => {
    const { a, b } = pair();
    const payload = sealed(a, bob);
    for (let at = 0; at < payload.length; at++) {
      const changed = Uint8Array.from(payload);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(b.open(changed).ok, `byte ${at}`).toBe(false);
    }
    expect(opened(b, payload)).toBe(hello(alice));
  });

  it('opens once, in whichever order it comes', () => {
    const { a, b } = pair();
    const payloads = [1, 2, 3, 4].map(() => sealed(a, bob));
    const [first, second, third, fourth] = payloads;
    for (const payload of [second, first, fourth, third])
      expect(b.open(payload ?? new Uint8Array()).ok).toBe(true);
    for (const payload of payloads) expect(opened(b, payload)).toBe('a replay');
  });

  it('still opens after a forged payload with its counter', () => {
    const { a, b } = pair();
    const payload = sealed(a, bob);
    const forged = Uint8Array.from(payload);
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
    expect(opened(b, forged)).toBe(DOES_NOT_OPEN);
    expect(opened(b, payload)).toBe(hello(alice));
  });

  it('opens again after the receiver has started anew: what comes twice must be harmless', () => {
    const { a, b } = pair();
    const payload = sealed(a, bob);
    expect(opened(b, payload)).toBe(hello(alice));
    expect(opened(pair().b, payload)).toBe(hello(alice));
  });

  it('goes on after the sender has started anew, or has drawn a new salt', () => {
    const { a, b } = pair();
    const saltOf = (payload: Uint8Array) => {
      const split = splitSealed(payload);
      return split.ok ? `${toHex(split.value.salt)} ${split.value.counter}` : split.reason;
    };
    const payloads = [sealed(a, bob), sealed(a, bob)];
    a.renew();
    payloads.push(sealed(a, bob), sealed(pair().a, bob));
    for (const payload of payloads) expect(opened(b, payload)).toBe(hello(alice));
    const [first, second, third, fourth] = payloads.map((payload) => saltOf(payload).split(' '));
    expect(first?.[0]).toBe(second?.[0]);
    expect([first?.[1], second?.[1], third?.[1], fourth?.[1]]).toEqual(['1', '2', '1', '1']);
    expect(new Set([first?.[0], third?.[0], fourth?.[0]]).size).toBe(3);
  });

  it('has a new salt before its counter grows too large', () => {
    const { a, b } = pair({ alice: { limits: { payloads: 2 } } });
    const payloads = Array.from({ length: 5 }, () => sealed(a, bob));
    const salts = payloads.map((payload) => toHex(payload.subarray(34, 50)));
    expect(new Set(salts).size).toBe(3);
    for (const payload of payloads) expect(opened(b, payload)).toBe(hello(alice));
  });

  it('is neither made nor opened after the node has stopped', () => {
    const { a, b } = pair();
    const payload = sealed(a, bob);
    b.end();
    expect(opened(b, payload)).toBe('the node has stopped');
    expect(b.seal(alice.address, Buffer.from('x'))).toBeNull();
  });
});

describe('what strangers may cost', () => {
  const strangers = Array.from({ length: 40 }, (_, n) => signer(100 + n));

  it('is bounded when too many come at once, while nodes whose key is known are heard', () => {
    let time = 0;
    let shared = 0;
    const limits = { firstWords: { most: 5, perSecond: 10 } };
    const sharedSecret = (key: Uint8Array) => {
      shared += 1;
      return bob.sharedSecret(key);
    };
    const b = sealingOf(bob, place, { now: () => time, limits, sharedSecret });
    b.learn(alice.address, alice.publicKey);
    const words = strangers.map((stranger) => sealed(sealingOf(stranger, place), bob));
    const taken = () => words.filter((payload) => b.open(payload).ok).length;
    expect([taken(), shared]).toEqual([5, 5]);
    expect(opened(b, sealed(sealingOf(alice, place), bob))).toBe(hello(alice));
    time = 1_000;
    expect(taken()).toBe(5);
  });

  it('is bounded when too many salts are tried in the name of a partner, who is heard all the same', () => {
    let time = 0;
    const limits = { newSalts: { most: 3, perSecond: 1 } };
    const { a, b } = pair({ bob: { now: () => time, limits } });
    expect(opened(b, sealed(a, bob))).toBe(hello(alice));
    const tried = (count: number) =>
      Array.from({ length: count }, () => {
        const salts = sealingOf(alice, place);
        const payload = sealed(salts, bob);
        payload.set([1, 2, 3], payload.length - 3);
        return opened(b, payload);
      });
    const tooMany = 'too many salts under one name';
    expect(tried(4)).toEqual([DOES_NOT_OPEN, DOES_NOT_OPEN, tooMany, tooMany]);
    expect(opened(b, sealed(a, bob))).toBe(hello(alice));
    a.renew();
    expect(opened(b, sealed(a, bob))).toBe(tooMany);
    time = 1_000;
    expect(opened(b, sealed(a, bob))).toBe(hello(alice));
    expect(opened(b, sealed(sealingOf(carol, place), bob))).toBe(hello(carol));
  });

  it('is bounded for a while when too much is forged under the salt of a partner', () => {
    let time = 0;
    const limits = { forged: { most: 2, perSecond: 1 } };
    const { a, b } = pair({ bob: { now: () => time, limits } });
    expect(opened(b, sealed(a, bob))).toBe(hello(alice));
    const forged = () => {
      const payload = sealed(a, bob);
      payload[70] = (payload[70] ?? 0) ^ 1;
      return opened(b, payload);
    };
    const tooMuch = 'too much that is forged under one name';
    expect([forged(), forged(), forged()]).toEqual([DOES_NOT_OPEN, DOES_NOT_OPEN, tooMuch]);
    time = 1_000;
    expect(opened(b, sealed(a, bob))).toBe(hello(alice));
  });

  it('is no arithmetic for a malformed payload, and no memory for one that does not open', () => {
    let asked = 0;
    const b = sealingOf(bob, place, {
      addressOf: () => {
        asked += 1;
        return carol.address;
      },
    });
    for (const size of [0, 1, 84, 100_000]) b.open(new Uint8Array(size));
    expect(asked).toBe(0);
    const payload = sealed(sealingOf(carol, place), bob);
    payload[70] = (payload[70] ?? 0) ^ 1;
    expect([opened(b, payload), asked]).toEqual([DOES_NOT_OPEN, 1]);
    expect(b.knows(carol.address)).toBe(false);
  });

  it('takes no key that is no point of the curve', () => {
    const b = sealingOf(bob, place);
    const payload = sealed(sealingOf(carol, place), bob);
    const offCurve = [2, ...new Uint8Array(31), 5];
    payload.set(offCurve, 1);
    expect(opened(b, payload)).toBe('not a public key');
  });

  it('is a place in memory that pushes out other strangers, and never a partner', () => {
    const isPartner = (address: Address) => address === alice.address;
    const limits = { strangers: 3 };
    const b = sealingOf(bob, place, { isPartner, limits });
    for (const one of [alice, ...strangers])
      expect(b.open(sealed(sealingOf(one, place), bob)).ok).toBe(true);
    const known = [alice, ...strangers].filter(({ address }) => b.knows(address));
    expect(known).toEqual([alice, ...strangers.slice(-3)]);
  });

  it('is no place in memory of somebody who has become a partner meanwhile', () => {
    const partners = new Set<Address>();
    const limits = { strangers: 3 };
    const b = sealingOf(bob, place, { isPartner: (address) => partners.has(address), limits });
    b.learn(alice.address, alice.publicKey);
    partners.add(alice.address);
    expect(b.knows(alice.address)).toBe(true);
    for (const { address, publicKey } of strangers) b.learn(address, publicKey);
    expect(b.knows(alice.address)).toBe(true);
  });
});

describe('a replay window', () => {
  it('takes each counter once, and none that is older than it remembers', () => {
    const window = createReplayWindow();
    const take = (counter: number) => {
      const isFresh = window.isFresh(counter);
      if (isFresh) window.note(counter);
      return isFresh;
    };
    expect([0, 1, 1, 3, 2, 2, 3].map(take)).toEqual([false, true, false, true, true, false, false]);
    expect([1024, 4, 1027, 3, 4, 5, 1026].map(take)).toEqual([
      true,
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
    expect([2 ** 40, 1026, 2 ** 40 - 1023, 2 ** 40 - 1024, 2 ** 40].map(take)).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  it('agrees with a set of all that it took', () => {
    const window = createReplayWindow();
    const seen = new Set<number>();
    let highest = 0;
    let state = 7;
    for (let turn = 0; turn < 20_000; turn++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const counter = Math.max(1, highest - 1_500 + ((state >>> 8) % 1_700));
      const isFresh = !seen.has(counter) && counter > highest - 1_024;
      expect(window.isFresh(counter)).toBe(isFresh);
      if (!isFresh) continue;
      window.note(counter);
      seen.add(counter);
      highest = Math.max(highest, counter);
    }
  });
});

describe('a token bucket', () => {
  it('gives what it has at once, and then so much each second', () => {
    let time = 0;
    const bucket = createTokenBucket({ most: 3, perSecond: 2, now: () => time });
    const taken = () => [1, 2, 3, 4, 5].filter(() => bucket.take()).length;
    expect(taken()).toBe(3);
    time = 500;
    expect(taken()).toBe(1);
    time = 60_000;
    expect(taken()).toBe(3);
    time = 0;
    expect(taken()).toBe(0);
  });
});

describe('a secret that is sealed for the target of a payment', () => {
  const payment = { secrethash: hashOf(1), paymentId: 7n, token: TOKEN };
  const promised = { secret: secretOf(1), amount: 10n };
  const sealedBy = (a: Sealing, amount = 10n): Hex => {
    const sealed = a.sealSecret(bob.address, payment, { ...promised, amount });
    if (sealed === null) throw new Error('the key is known');
    return sealed;
  };

  it('opens at the target alone, and does not show the secret', () => {
    const { a, b } = pair();
    const sealed = sealedBy(a);
    expect(b.openSecret(alice.address, payment, 10n, sealed)).toBe(secretOf(1));
    expect(sealed).not.toContain(secretOf(1).slice(2));
    const c = sealingOf(carol, place);
    c.learn(alice.address, alice.publicKey);
    expect(c.openSecret(alice.address, payment, 10n, sealed)).toBeNull();
    // Sent back by the target as if it were the initiator of such a payment.
    expect(a.openSecret(bob.address, payment, 10n, sealed)).toBeNull();
  });

  it.each([
    ['another identifier', { ...payment, paymentId: 8n }],
    ['another secrethash', { ...payment, secrethash: hashOf(2) }],
    ['another token', { ...payment, token: carol.address }],
  ])('does not open for %s', (_, other) => {
    const { a, b } = pair();
    expect(b.openSecret(alice.address, other, 10n, sealedBy(a))).toBeNull();
  });

  it('does not open when a bit of it is changed, nor on another network', () => {
    const { a, b } = pair();
    const sealed = sealedBy(a);
    const changed: Hex = `0x${sealed.slice(2, -1)}${sealed.endsWith('0') ? '1' : '0'}`;
    expect(b.openSecret(alice.address, payment, 10n, changed)).toBeNull();
    const elsewhere = sealingOf(bob, { ...place, chainId: 1n });
    elsewhere.learn(alice.address, alice.publicKey);
    expect(elsewhere.openSecret(alice.address, payment, 10n, sealed)).toBeNull();
  });

  it('opens for a payment to oneself, and for no other key', () => {
    const { a, b } = pair();
    const own = a.sealSecret(alice.address, payment, promised) ?? '0x';
    expect(a.openSecret(alice.address, payment, 10n, own)).toBe(secretOf(1));
    expect(b.openSecret(alice.address, payment, 10n, own)).toBeNull();
    // Nobody else can seal one in its name.
    expect(a.openSecret(alice.address, payment, 10n, sealedBy(a))).toBeNull();
    a.end();
    expect(a.sealSecret(alice.address, payment, promised)).toBeNull();
  });

  it('counts only when it is the secret of the lock', () => {
    const { a, b } = pair();
    const wrong = { ...promised, secret: secretOf(2) };
    const other = a.sealSecret(bob.address, payment, wrong) ?? '0x';
    expect(b.openSecret(alice.address, payment, 10n, other)).toBeNull();
  });

  it.each([
    [9n, null],
    [10n, secretOf(1)],
    [11n, secretOf(1)],
  ])('counts with a lock of %d, of which 10 were promised, or not', (lockAmount, secret) => {
    const { a, b } = pair();
    expect(b.openSecret(alice.address, payment, lockAmount, sealedBy(a))).toBe(secret);
  });

  it('never has the nonce of another promise for the same payment', () => {
    const { a } = pair();
    const nonces = [10n, 11n].map((amount) => sealedBy(a, amount).slice(2, 26));
    expect(new Set(nonces).size).toBe(2);
  });

  it('is the same each time, so that a repeated transfer has the same hash', () => {
    const { a } = pair();
    expect(sealedBy(a)).toBe(sealedBy(a));
  });

  it('cannot be sealed for a node whose key is unknown, nor after the end', () => {
    const a = sealingOf(alice, place);
    expect(a.sealSecret(bob.address, payment, promised)).toBeNull();
    a.learn(bob.address, bob.publicKey);
    a.end();
    expect(a.sealSecret(bob.address, payment, promised)).toBeNull();
  });
});
