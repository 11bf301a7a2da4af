/**
 * What requests must look like: the only place where the document's names become ours. A value of the
 * right shape that cannot be taken (zero, negative, too large) passes here; the routes refuse it.
 */
import * as v from 'valibot';
import type { Result } from '../protocol/codes.ts';
import { type Address, fromHex, type Hex, isChecksummed, isHexOf, toHex } from '../protocol/hex.ts';
import { type FieldErrors, failure, type Refusal } from './answers.ts';
import { parseInteger, parseJson, readJson } from './json.ts';

const integer = v.pipe(
  v.unknown(),
  v.rawTransform<unknown, bigint>(({ dataset, addIssue, NEVER }) => {
    const value = parseInteger(dataset.value);
    if (value !== null) return value;
    addIssue({ message: 'Must be a whole decimal number, as a string or a JSON integer.' });
    return NEVER;
  }),
);
const address = v.custom<Address>(isChecksummed, 'Must be a 0x address in EIP-55 form.');
const bytes32 = v.pipe(
  v.custom<Hex>((value) => isHexOf(value, 32), 'Must be 0x and 64 hex digits.'),
  v.transform((hex) => toHex(fromHex(hex))),
);
const text = v.string('Must be a string.');

/** A field that may be absent or null; both read as null. */
function optional<T extends v.GenericSchema>(schema: T) {
  return v.nullish(schema, null);
}

function object<T extends v.ObjectEntries>(entries: T) {
  return v.strictObject(entries, ({ expected, received }) => {
    if (expected === 'never') return 'Unknown field.';
    return received === 'undefined' ? 'Missing.' : 'Must be an object.';
  });
}

/** Body of PUT channels. Null fields take the node's defaults. */
export const newChannel = v.pipe(
  object({
    token_address: address,
    partner_address: address,
    total_deposit: optional(integer),
    settle_timeout: optional(integer),
    reveal_timeout: optional(integer),
  }),
  v.transform((body) => ({
    token: body.token_address,
    partner: body.partner_address,
    totalDeposit: body.total_deposit ?? 0n,
    settleTimeout: body.settle_timeout,
    revealTimeout: body.reveal_timeout,
  })),
);

/** Body of PATCH channel; whether exactly one field is given is for the route to say. */
export const channelChange = v.pipe(
  object({
    state: optional(v.literal('closed', 'Must be "closed".')),
    total_deposit: optional(integer),
    total_withdraw: optional(integer),
    reveal_timeout: optional(integer),
  }),
  v.transform((body) => ({
    state: body.state,
    totalDeposit: body.total_deposit,
    totalWithdraw: body.total_withdraw,
    revealTimeout: body.reveal_timeout,
  })),
);

const routeObject = object({
  route: v.array(address, 'Must be a list of addresses.'),
  // Needed by other transports only; checked, and not used.
  address_metadata: v.record(
    address,
    object({
      user_id: optional(text),
      capabilities: optional(text),
      displayname: optional(text),
    }),
    'Must be an object.',
  ),
  fee: optional(integer),
});
const routeList = v.pipe(
  v.array(routeObject, 'Must be a list of route objects.'),
  v.transform((routes) => routes.map(({ route }) => route)),
);
const routesOrText = v.pipe(v.unknown(), v.transform(fromJsonText), routeList);

/** Body of POST payments. `path` is the older name of `paths`; both given is for the route to refuse. */
export const newPayment = v.pipe(
  object({
    amount: integer,
    identifier: optional(integer),
    lock_timeout: optional(integer),
    secret: optional(bytes32),
    secret_hash: optional(bytes32),
    paths: optional(routesOrText),
    path: optional(routesOrText),
  }),
  v.transform((body) => ({
    amount: body.amount,
    paymentId: body.identifier,
    lockTimeout: body.lock_timeout,
    secret: body.secret,
    secrethash: body.secret_hash,
    paths: body.paths,
    path: body.path,
  })),
);

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

const count = v.pipe(
  integer,
  v.check((value) => value >= 0n, 'Must not be negative.'),
  v.transform((value) => Number(value > MOST ? MOST : value)),
);

/** Query of the payment history. */
export const historyPage = v.pipe(
  object({ limit: optional(count), offset: optional(count) }),
  v.transform(({ limit, offset }) => ({ limit, offset: offset ?? 0 })),
);

/** The request's body in our types. Failures: those of readJson, and invalid_shape with its fields. */
export async function readBody<T>(
  request: Request,
  schema: v.GenericSchema<unknown, T>,
): Promise<{ ok: true; value: T } | Refusal> {
  const body: Result<unknown> = await readJson(request);
  if (!body.ok) return body;
  if (typeof body.value !== 'object' || body.value === null || Array.isArray(body.value)) {
    return failure('invalid_shape', 'A JSON object is expected as the body.');
  }
  return check(body.value, schema);
}

/** The query of the URL in our types; of a name given twice the last counts. */
export function readQuery<T>(
  url: string,
  schema: v.GenericSchema<unknown, T>,
): { ok: true; value: T } | Refusal {
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
  return check(Object.fromEntries(query), schema);
}

function check<T>(
  value: unknown,
  schema: v.GenericSchema<unknown, T>,
): { ok: true; value: T } | Refusal {
  // The library's own messages repeat the value, which may be a secret.
  const parsed = v.safeParse(schema, value, { message: 'Wrong type.' });
  if (parsed.success) return { ok: true, value: parsed.output };
  return { ...failure('invalid_shape'), fields: fieldErrors(parsed.issues) };
}

function fieldErrors(issues: readonly v.BaseIssue<unknown>[]): FieldErrors {
  const fields = new Map<string, string[]>();
  for (const issue of issues.slice(0, 20)) {
    const [field = '', ...inner] = (issue.path ?? []).map(({ key }) => String(key));
    const message = inner.length === 0 ? issue.message : `${inner.join('.')}: ${issue.message}`;
    fields.set(field, [...(fields.get(field) ?? []), message]);
  }
  return Object.fromEntries(fields);
}

/** The value of JSON text; what is not such text stays as it is and fails the schema that follows. */
function fromJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const parsed = parseJson(value);
  return parsed.ok ? parsed.value : value;
}
