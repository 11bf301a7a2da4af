/** The shapes of requests: the only place where the protocol's names become ours. Unknown fields are ignored. */

import { parse } from 'lossless-json';
import * as v from 'valibot';
import { MAX_UINT256, parseUint256 } from '../../basics/amount.ts';
import {
  type Address,
  fromHex,
  isHexOf,
  parseAddress,
  type Signature,
  toHex,
} from '../../basics/hex.ts';
import { isTimestamp } from '../../basics/timestamp.ts';
import { readBy } from '../../protocol/shapes.ts';

/** An address in EIP-55 form or in lower case; null for any other mix of cases, which is a typing mistake. */
export function addressIn(text: unknown): Address | null {
  const address = parseAddress(text);
  return text === address || text === address?.toLowerCase() ? address : null;
}

/** Parses JSON text; a whole number becomes a bigint at full precision. Null when it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return parse(text, undefined, {
      parseNumber: (digits) => (/^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits)),
      onDuplicateKey: ({ newValue }) => newValue,
    });
  } catch {
    return null;
  }
}

function read<T>(convert: (value: unknown) => T | null, message: string) {
  return v.pipe(v.unknown(), readBy(convert, message));
}

const address = read(addressIn, 'must be an address, in EIP-55 form or in lower case');
/** A JSON integer, or its decimal text. */
const amount = read((value) => {
  const number = typeof value === 'bigint' ? value : parseUint256(value);
  return number !== null && number >= 0n && number <= MAX_UINT256 ? number : null;
}, 'must be an integer from 0 to 2^256 - 1');
const penalty = read((value) => {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= 1e9 ? number : null;
}, 'must be a number from 0 to 10^9');
const signature = read(
  (value): Signature | null => (isHexOf(value, 65) ? toHex(fromHex(value)) : null),
  'must be 65 bytes of hex',
);
const timestamp = read(
  (value) => (isTimestamp(value) ? value : null),
  'must be a time in UTC such as 2021-05-18T14:23:14.803447',
);

const MOST_PATHS = 25n;
const PATHS = 5n;

/** The `iou` field is only passed on: the finder and the cashier judge it. */
export const pathsRequest = v.pipe(
  v.object({
    from: address,
    to: address,
    value: v.pipe(amount, v.minValue(1n, 'must be 1 or more')),
    max_paths: v.optional(
      v.pipe(
        amount,
        v.minValue(1n, 'must be 1 or more'),
        v.maxValue(MOST_PATHS, 'must be 25 or less'),
      ),
      PATHS,
    ),
    diversity_penalty: v.nullish(penalty),
    fee_penalty: v.nullish(penalty),
    iou: v.nullish(v.unknown()),
  }),
  v.transform((body) => ({
    from: body.from,
    to: body.to,
    value: body.value,
    maxPaths: Number(body.max_paths),
    ...(body.diversity_penalty == null ? {} : { diversityPenalty: body.diversity_penalty }),
    ...(body.fee_penalty == null ? {} : { feePenalty: body.fee_penalty }),
    iou: body.iou ?? null,
  })),
);

/** The expiration has two names: that of this generation of contracts, and that of the next. */
export const iouRequest = v.pipe(
  v.object({
    sender: address,
    receiver: address,
    amount,
    expiration_block: v.nullish(amount),
    claimable_until: v.nullish(amount),
    one_to_n_address: address,
    chain_id: amount,
    signature,
  }),
  v.check(
    ({ expiration_block, claimable_until }) => (expiration_block ?? claimable_until) != null,
    'expiration_block is missing',
  ),
  v.transform((iou) => ({
    sender: iou.sender,
    receiver: iou.receiver,
    amount: iou.amount,
    claimableUntil: iou.expiration_block ?? iou.claimable_until ?? 0n,
    oneToN: iou.one_to_n_address,
    chainId: iou.chain_id,
    signature: iou.signature,
  })),
);

export const iouQuery = v.object({ sender: address, receiver: address, timestamp, signature });

const TOKEN = /^[0-9a-f]{32}$/i;

export const feedbackRequest = v.pipe(
  v.object({
    token: v.pipe(
      v.string('must be text'),
      v.regex(TOKEN, 'must be 32 hex digits'),
      v.toLowerCase(),
    ),
    path: v.pipe(v.array(address, 'must be a list of addresses'), v.maxLength(100, 'is too long')),
    success: v.boolean('must be true or false'),
  }),
  v.transform(({ token, path, success }) => ({ token, path, isGood: success })),
);

/** The value in our types, or what is wrong with which field. */
export function checkedBy<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
): { ok: true; value: T } | { ok: false; fields: Record<string, string> } {
  // Replaces the library's own messages, because they repeat the value.
  const parsed = v.safeParse(schema, value, { message: 'is missing or malformed' });
  if (parsed.success) return { ok: true, value: parsed.output };
  const fields = parsed.issues.map((issue) => [v.getDotPath(issue) ?? 'body', issue.message]);
  return { ok: false, fields: Object.fromEntries(fields.slice(0, 20)) };
}
