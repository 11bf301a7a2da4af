/**
 * What x402 has a server send to its facilitator. Fields that the protocol may have besides are taken and not read. Unlike in
 * the API, an address may be written in any case, and a value out of range is a wrong shape.
 */

import * as v from 'valibot';
import { parseDecimal, parseUint256 } from '../../basics/amount.ts';
import { type Address, parseAddress } from '../../basics/hex.ts';
import { readBy } from '../../protocol/shapes.ts';
import { bytes32, integer, text } from './fields.ts';

const MOST_IDENTIFIER = 2n ** 63n - 1n;
/** The year 285428751: as milliseconds it is still an exact number. */
const MOST_SECONDS = BigInt(Math.floor(Number.MAX_SAFE_INTEGER / 1_000));
const ADDRESS = 'Must be a 0x address.';
const AMOUNT = 'Must be a decimal string from 1 to 2^256 - 1.';
const IDENTIFIER = 'Must be a decimal string from 1 to 2^63 - 1.';

const anyAddress = v.pipe(
  v.string(ADDRESS),
  v.metadata({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  readBy<string, Address>(parseAddress, ADDRESS),
);

function decimalText(message: string, parse: (text: string) => bigint | null) {
  return v.pipe(
    v.string(message),
    v.metadata({ pattern: '^[1-9][0-9]*$', description: message }),
    readBy((digits: string) => {
      const value = parse(digits);
      return value !== null && value > 0n ? value : null;
    }, message),
  );
}

const amount = decimalText(AMOUNT, parseUint256);
const identifier = decimalText(IDENTIFIER, (digits) => {
  const value = parseDecimal(digits, 19);
  return value === null || value > MOST_IDENTIFIER ? null : value;
});
const seconds = v.pipe(
  integer,
  v.check((value) => value >= 0n && value <= MOST_SECONDS, 'Is out of range.'),
);
const version = v.pipe(
  integer,
  v.check((value) => value === 2n, 'Must be 2.'),
);

const demand = {
  scheme: text,
  network: text,
  amount,
  asset: anyAddress,
  payTo: anyAddress,
  maxTimeoutSeconds: seconds,
};
const accepted = v.pipe(
  v.object({
    ...demand,
    extra: v.object({ paymentId: identifier, expires: seconds, tag: bytes32 }),
  }),
  v.transform(({ extra: { paymentId, expires }, ...rest }) => ({ ...rest, paymentId, expires })),
);
const payload = v.object({ payer: anyAddress, paymentId: identifier, secret: bytes32 });
const body = {
  x402Version: version,
  paymentPayload: v.object({ x402Version: version, accepted, payload }),
  paymentRequirements: v.object(demand),
};

/** What the server asks for, and what the buyer shows. */
export const proof = v.pipe(
  v.object(body),
  v.transform(({ paymentPayload, paymentRequirements: demanded }) => ({
    demanded,
    accepted: paymentPayload.accepted,
    ...paymentPayload.payload,
  })),
);

/** `redemption`: only this one is taken back. */
export const releaseOrder = v.pipe(
  v.object({ ...body, redemption: v.nullish(text, null) }),
  v.transform(({ paymentPayload, paymentRequirements: demanded, redemption }) => ({
    proof: { demanded, accepted: paymentPayload.accepted, ...paymentPayload.payload },
    redemption,
  })),
);
