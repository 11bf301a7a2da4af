import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/inspector/replay/redact.ts';
import { encode } from '../../../src/store/base/codec.ts';
import { hashOf, PARTNER, SIGNATURE, secretOf, TOKEN } from '../../support/makers.ts';

const SECRET = { $redacted: 'secret' };
const redact = (value: unknown, name?: string) => createRedactor().redact(value, name);

describe('what is shown', () => {
  it('has no secret, signature or key under its name, whatever it looks like', () => {
    expect(
      redact({
        secret: 'short',
        order: { secret: secretOf(1), paymentSecret: 5n },
        proof: { signature: SIGNATURE, partnerSignature: '0x' },
        privateKey: { d: 'x' },
        none: { secret: null },
      }),
    ).toEqual({
      secret: SECRET,
      order: { secret: SECRET, paymentSecret: SECRET },
      proof: {
        signature: { $redacted: 'signature' },
        partnerSignature: { $redacted: 'signature' },
      },
      privateKey: { $redacted: 'key' },
      none: { secret: null },
    });
  });

  it('has its amounts, addresses, hashes and texts as they are', () => {
    const open = {
      amount: 2n ** 255n,
      token: TOKEN,
      route: [TOKEN, PARTNER],
      secrethash: hashOf(1),
      registered: [hashOf(2)],
      at: { transactionHash: hashOf(3) },
      locksroot: hashOf(4),
      balanceHash: hashOf(5),
      change: { lock: `0x${'ab'.repeat(96)}` },
      key: `reveal:target:${hashOf(1)}`,
      id: `initiator:${hashOf(6)}`,
      detail: `The fees would be ${2n ** 255n}.`,
      isOpen: true,
      jobs: 3,
      nothing: null,
    };
    expect(redact(open)).toEqual(open);
  });

  it('has no 32 bytes in a field that nobody has said to be public', () => {
    expect(redact({ novelty: hashOf(1), token: hashOf(2) })).toEqual({
      novelty: SECRET,
      token: SECRET,
    });
  });

  it('has no 65 bytes, even in a public field', () => {
    expect(redact({ balanceHash: SIGNATURE })).toEqual({ balanceHash: { $redacted: 'signature' } });
  });

  it('has no secret of a secrethash that it names, in whatever field and order', () => {
    expect(redact({ transactionHash: secretOf(1), secrethash: hashOf(1) })).toEqual({
      transactionHash: SECRET,
      secrethash: hashOf(1),
    });
    const redactor = createRedactor();
    redactor.redact({ secret: secretOf(2) });
    expect(redactor.redact({ id: `target:${secretOf(2)}`, locksroot: secretOf(2) })).toEqual({
      id: 'target:[32 bytes]',
      locksroot: SECRET,
    });
  });

  it('keeps a secrethash that somebody claims to be a secret', () => {
    const redactor = createRedactor();
    redactor.redact({ secrethash: hashOf(1) });
    redactor.redact({ message: { secret: hashOf(1) } });
    expect(redactor.redact({ secrethash: hashOf(1) })).toEqual({ secrethash: hashOf(1) });
  });

  it('has no long bytes within a text or a name', () => {
    const metadata = `{"routes":[],"secret":"${secretOf(1)}","s":"${SIGNATURE.slice(2)}"}`;
    expect(redact({ metadata, [secretOf(1)]: 1 })).toEqual({
      metadata: '{"routes":[],"secret":"[32 bytes]","s":"[65 bytes]"}',
      '[32 bytes]': 1,
    });
  });

  it('is treated in a list, and in a patch, as the field that it belongs to', () => {
    expect(redact([secretOf(1)], 'secret')).toEqual(SECRET);
    expect(redact(secretOf(1), 'secret')).toEqual(SECRET);
    expect(redact(hashOf(1), 'secrethash')).toBe(hashOf(1));
  });

  it('never has a secret or a signature, wherever they are put', () => {
    const bytes = (length: number) =>
      fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((b) => Buffer.from(b).toString('hex'));
    const names = fc.constantFrom(
      'secret',
      'secrethash',
      'metadata',
      'detail',
      'list',
      'transactionHash',
    );
    const holder = (leaf: fc.Arbitrary<unknown>) =>
      fc.letrec((tie) => ({
        any: fc.oneof(
          { maxDepth: 3 },
          leaf,
          fc.array(tie('any'), { maxLength: 3 }),
          fc.dictionary(names, tie('any'), { maxKeys: 3, noNullPrototype: true }),
        ),
      })).any;
    const forms = (hex: string) =>
      fc.constantFrom(`0x${hex}`, `0x${hex.toUpperCase()}`, `see 0x${hex}, please`, hex);
    const canary = fc
      .tuple(bytes(32), bytes(65))
      .chain(([secret, signature]) =>
        fc.tuple(
          fc.constant([secret, signature]),
          holder(fc.oneof(forms(secret), forms(signature), fc.constant('text'))),
        ),
      );
    fc.assert(
      fc.property(canary, ([hidden, value]) => {
        const redactor = createRedactor();
        redactor.redact({ secret: `0x${hidden[0]}` });
        const text = encode({ shown: redactor.redact(value) }).toLowerCase();
        for (const hex of hidden) expect(text).not.toContain(hex);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['HTTP request failed: https://eth.example/v2/key-0123 (429)', '[URL] (429)'],
    ['ws://u:pw@10.0.0.1', '[URL]'],
  ])('has no address of an endpoint in it: %s', (detail, shown) => {
    const text = JSON.stringify(createRedactor().redact({ detail }));
    expect(text).toContain(shown);
    expect(text).not.toMatch(/key-0123|pw/);
  });
});
