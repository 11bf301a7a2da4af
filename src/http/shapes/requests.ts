/**
 * The shapes of requests: the only place where the API document's names become ours. A value of the right shape that is
 * not acceptable (zero, negative, too large) passes here; the routes refuse it.
 */
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { MAX_UINT256 } from '../../basics/amount.ts';
import { ZERO_ADDRESS } from '../../basics/hex.ts';
import { address } from '../../protocol/text-shapes.ts';
import { parseJson } from '../answers/json.ts';
import { bytes32, integer, object, optional, text } from './fields.ts';

const BOTH = {
  token_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  partner_address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
};

/** Null fields take the node's defaults. */
export const newChannel = v.pipe(
  object({
    token_address: address,
    partner_address: address,
    total_deposit: optional(integer),
    settle_timeout: optional(integer),
    reveal_timeout: optional(integer),
  }),
  v.metadata({ examples: [{ ...BOTH, total_deposit: '1000', settle_timeout: '500' }] }),
  v.transform((body) => ({
    token: body.token_address,
    partner: body.partner_address,
    totalDeposit: body.total_deposit ?? 0n,
    settleTimeout: body.settle_timeout,
    revealTimeout: body.reveal_timeout,
  })),
);

/** Whose transactions are to be sent that wait. */
export const waitingOrder = v.pipe(
  object({ token_address: address, partner_address: address }),
  v.metadata({ examples: [BOTH] }),
  v.transform((body) => ({ token: body.token_address, partner: body.partner_address })),
);

/** The route checks that exactly one field is given. */
export const channelChange = v.pipe(
  object({
    state: optional(v.literal('closed', 'Must be "closed".')),
    total_deposit: optional(integer),
    total_withdraw: optional(integer),
    reveal_timeout: optional(integer),
  }),
  v.metadata({ examples: [{ total_deposit: '2000' }] }),
  v.transform((body) => ({
    state: body.state,
    totalDeposit: body.total_deposit,
    totalWithdraw: body.total_withdraw,
    revealTimeout: body.reveal_timeout,
  })),
);

const routeObject = object({
  route: v.array(address, 'Must be a list of addresses.'),
  // Only other transports need it; it is checked and not used.
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
  v.array(routeObject, 'Must be a list of route schemas.'),
  v.transform((routes) => routes.map(({ route, fee }) => ({ route, fee }))),
);
const routesOrText = v.pipe(
  v.custom<string | v.InferInput<typeof routeList>>(() => true),
  v.metadata({
    description: 'Route objects, or their JSON text.',
    anyOf: [
      toJsonSchema(routeList, { typeMode: 'input', errorMode: 'ignore' }),
      { type: 'string' },
    ],
  }),
  v.transform((value) => fromJsonText(value)),
  v.pipe(v.unknown(), routeList),
);

/** `path` is the older name of `paths`; the route refuses a request with both. */
export const newPayment = v.pipe(
  object({
    amount: integer,
    identifier: optional(integer),
    lock_timeout: optional(integer),
    secret: optional(bytes32),
    secret_hash: optional(bytes32),
    paths: optional(routesOrText),
    path: optional(routesOrText),
    fee_included: optional(v.boolean()),
  }),
  v.metadata({ examples: [{ amount: '25', identifier: '42' }] }),
  v.transform((body) => ({
    amount: body.amount,
    paymentId: body.identifier,
    lockTimeout: body.lock_timeout,
    secret: body.secret,
    secrethash: body.secret_hash,
    paths: body.paths,
    path: body.path,
    isFeeIncluded: body.fee_included ?? false,
  })),
);

/** The route checks that exactly one field is given. */
export const userDepositOrder = v.pipe(
  object({
    total_deposit: optional(integer),
    planned_withdraw_amount: optional(integer),
    withdraw_amount: optional(integer),
  }),
  v.metadata({ examples: [{ total_deposit: '5000' }] }),
  v.transform((body) => ({
    totalDeposit: body.total_deposit,
    plannedAmount: body.planned_withdraw_amount,
    withdrawAmount: body.withdraw_amount,
  })),
);

/** `funds`: the amount to spread over the new channels. */
export const joinOrder = v.pipe(
  object({ funds: integer }),
  v.metadata({ examples: [{ funds: '10000' }] }),
);

/** Unlike elsewhere, a value out of range is a wrong shape (decisions page, mint). */
export const mintOrder = object({
  to: v.pipe(
    address,
    v.check((to) => to !== ZERO_ADDRESS, 'Must not be the zero address.'),
  ),
  value: v.pipe(
    integer,
    v.check((value) => value > 0n && value <= MAX_UINT256, 'Must be from 1 to 2^256 - 1.'),
  ),
});

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

const count = v.pipe(
  integer,
  v.check((value) => value >= 0n, 'Must not be negative.'),
  v.transform((value) => Number(value > MOST ? MOST : value)),
);

/** Query of the payment history; the route judges the range of the identifier. */
export const historyPage = v.pipe(
  object({
    limit: v.optional(count),
    offset: v.optional(count),
    identifier: v.optional(integer),
  }),
  v.transform(({ limit, offset, identifier }) => {
    return { limit: limit ?? null, offset: offset ?? 0, paymentId: identifier ?? null };
  }),
);

/** Query of the channel events; the route judges the range of the block. */
export const eventsQuery = v.pipe(
  object({ from_block: v.optional(integer) }),
  v.transform(({ from_block }) => ({ fromBlock: from_block ?? null })),
);

/** Parses JSON text; anything else stays as it is, for the next schema to judge. */
function fromJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const parsed = parseJson(value);
  return parsed.ok ? parsed.value : value;
}
