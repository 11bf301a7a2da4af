import fc from 'fast-check';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { parsePaymentLink, paymentLink } from '../../src/client/payment-link.ts';

const TARGET: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TOKEN: Address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const LINK = `sluice:${TARGET}?token=${TOKEN}&amount=1500000000000000000&identifier=42&chain=1&expires=1800000000`;

const address = fc
  .array(fc.nat(15), { minLength: 40, maxLength: 40 })
  .map((digits) => getAddress(`0x${digits.map((digit) => digit.toString(16)).join('')}`));
const some = (bits: number) => fc.option(fc.bigInt(1n, 2n ** BigInt(bits) - 1n));

describe('a payment link', () => {
  it('says target, token, amount, identifier, chain and end', () => {
    const value = {
      ...{ target: TARGET, token: TOKEN },
      ...{ amount: 15n * 10n ** 17n, identifier: 42n, chainId: 1n, expires: 1_800_000_000n },
    };
    expect(paymentLink(value)).toBe(LINK);
    expect(parsePaymentLink(LINK)).toEqual({ ok: true, value });
  });

  it('is read as it was written, whatever it asks for', () => {
    fc.assert(
      fc.property(
        fc.record({
          ...{ target: address, token: address },
          ...{ amount: some(256), identifier: some(64), chainId: some(64), expires: some(42) },
        }),
        (value) => {
          expect(parsePaymentLink(paymentLink(value))).toEqual({ ok: true, value });
        },
      ),
    );
  });

  it('may leave out what the payer chooses, stand in spaces, and say more than is known', () => {
    const parsed = parsePaymentLink(` SLUICE:${TARGET}?memo=a%20coffee&token=${TOKEN}\n`);
    const nothing = { amount: null, identifier: null, chainId: null, expires: null };
    expect(parsed).toEqual({ ok: true, value: { target: TARGET, token: TOKEN, ...nothing } });
  });

  it.each([
    ['another scheme', LINK.replace('sluice', 'ethereum')],
    ['no target', LINK.replace(TARGET, '')],
    ['a target with a wrong digit', LINK.replace('5aAeb6', '5aAeb7')],
    ['a target without its checksum', LINK.replace(TARGET, TARGET.toLowerCase())],
    ['a target with slashes before it', LINK.replace(':', '://')],
    ['no token', LINK.replace(/token=\w+&/, '')],
    ['a token without its checksum', LINK.replace(TOKEN, TOKEN.toLowerCase())],
    ['an amount with a point', LINK.replace('amount=1500000000000000000', 'amount=1.5')],
    ['an amount of nothing', LINK.replace('amount=1500000000000000000', 'amount=0')],
    ['an amount below nothing', LINK.replace('amount=1500000000000000000', 'amount=-5')],
    ['an amount in powers', LINK.replace('amount=1500000000000000000', 'amount=1e18')],
    ['an empty amount', LINK.replace('amount=1500000000000000000', 'amount=')],
    ['an amount above 256 bits', LINK.replace(/amount=\d+/, `amount=${2n ** 256n}`)],
    ['an identifier above 64 bits', LINK.replace('identifier=42', `identifier=${2n ** 64n}`)],
    ['an end after all dates', LINK.replace('1800000000', '8640000000001')],
    ['an end in words', LINK.replace('1800000000', 'tomorrow')],
    ['two amounts', `${LINK}&amount=1`],
    ['what must be understood and is not', `${LINK}&req-until=4711`],
    ['a second question mark', `${LINK}?amount=1`],
    ['more than a link is long', `${LINK}&memo=${'a'.repeat(1_000)}`],
  ])('is refused with %s', (_, link) => {
    expect(parsePaymentLink(link)).toMatchObject({ ok: false, message: /\w/ });
  });
});
