/**
 * What the API document says its answers look like, written down here once more: not taken from the code
 * that is tested. Unknown and missing fields fail.
 */
import * as v from 'valibot';
import { type Address, isChecksummed } from '../../src/basics/hex.ts';
import { CODES, OUTCOMES } from '../../src/protocol/codes.ts';

const digits = /^(0|[1-9]\d*)$/;

export const address = v.custom<Address>(isChecksummed);
const nullableAddress = v.nullable(address);
const amount = v.pipe(v.string(), v.regex(digits));
const intString = amount;
const hash = v.pipe(v.string(), v.regex(/^0x[0-9a-f]{64}$/));
const sentence = v.pipe(v.string(), v.regex(/^\S.*[^\s]$/));
const logTime = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/));

export const channel = v.strictObject({
  channel_identifier: intString,
  token_network_address: address,
  partner_address: address,
  token_address: address,
  balance: amount,
  total_deposit: amount,
  total_withdraw: amount,
  state: v.picklist(['opened', 'closed', 'settled']),
  settle_timeout: intString,
  reveal_timeout: intString,
  network_state: v.picklist(['unknown', 'reachable', 'unreachable']),
});
export const channels = v.array(channel);

export const link = v.strictObject({
  partner_address: address,
  channel: v.pipe(
    v.string(),
    v.regex(/^\/api\/v1\/channels\/0x[0-9a-fA-F]{40}\/0x[0-9a-fA-F]{40}$/),
  ),
});

const common = { log_time: logTime, token_address: address };
const payment = v.variant('event', [
  v.strictObject({
    event: v.literal('EventPaymentSentSuccess'),
    amount,
    target: address,
    identifier: intString,
    ...common,
  }),
  v.strictObject({
    event: v.literal('EventPaymentSentFailed'),
    target: address,
    reason: sentence,
    ...common,
  }),
  v.strictObject({
    event: v.literal('EventPaymentReceivedSuccess'),
    amount,
    initiator: address,
    identifier: intString,
    ...common,
  }),
]);
export const payments = v.array(payment);

export const paymentResult = v.strictObject({
  initiator_address: address,
  target_address: address,
  token_address: address,
  amount,
  identifier: intString,
  secret: hash,
  secret_hash: hash,
});

export const pendingTransfers = v.array(
  v.strictObject({
    channel_identifier: intString,
    initiator: address,
    target: address,
    locked_amount: amount,
    transferred_amount: amount,
    payment_identifier: intString,
    role: v.picklist(['initiator', 'mediator', 'target']),
    token_address: address,
    token_network_address: address,
  }),
);

export const connections = v.record(
  address,
  v.strictObject({ sum_deposits: amount, channels: intString }),
);

export const health = v.pipe(
  v.array(
    v.strictObject({
      check: v.pipe(v.string(), v.nonEmpty()),
      keeps: sentence,
      state: v.picklist(['good', 'bad', 'unknown']),
      since: logTime,
      urgency: v.picklist(['normal', 'high']),
      stops_calls: v.boolean(),
      summary: v.nullable(sentence),
      body: v.nullable(v.pipe(v.string(), v.nonEmpty())),
    }),
  ),
  v.nonEmpty(),
);

export const notifications = v.array(
  v.strictObject({
    id: v.picklist([
      'low_rdn',
      'version_outdated',
      'missing_gas_reserve',
      'unsafe_timeouts',
      'version_security_warning',
      'unanswered_lock',
      'chain_unavailable',
      'routing_unavailable',
      'disk_full',
      'database_lost',
      'file_missing',
      'broker_unavailable',
      'chain_replaced',
      'transactions_failing',
    ]),
    summary: sentence,
    body: v.pipe(v.string(), v.nonEmpty()),
    urgency: v.pipe(v.string(), v.nonEmpty()),
  }),
);

/** "At least" these fields, so that others may come with them. */
export const channelEvents = v.array(
  v.looseObject({ event: v.pipe(v.string(), v.nonEmpty()), block_number: v.unknown() }),
);

export const contracts = v.strictObject({
  contracts_version: v.pipe(v.string(), v.nonEmpty()),
  monitoring_service_address: nullableAddress,
  one_to_n_address: nullableAddress,
  secret_registry_address: address,
  service_registry_address: nullableAddress,
  token_network_registry_address: address,
  user_deposit_address: nullableAddress,
});

export const status = v.variant('status', [
  v.strictObject({ status: v.literal('ready') }),
  v.strictObject({
    status: v.literal('syncing'),
    blocks_to_sync: v.pipe(v.string(), v.regex(/^[1-9]\d*$/)),
  }),
  v.strictObject({ status: v.literal('unavailable') }),
]);
/** The document announces more settings. */
export const settings = v.looseObject({ pathfinding_service_address: v.nullable(v.string()) });

export const ourAddress = v.strictObject({ our_address: address });
export const version = v.strictObject({ version: v.pipe(v.string(), v.nonEmpty()) });
export const shutdown = v.strictObject({ status: v.literal('shutdown') });
export const tokenNetwork = v.strictObject({ token_network_address: address });
export const transaction = v.strictObject({ transaction_hash: hash });
export const plan = v.strictObject({
  planned_withdraw_block_number: v.pipe(v.number(), v.integer()),
  transaction_hash: hash,
});

/** The form of most refusals. */
const code = v.picklist(CODES);
/** What is said of a call that could have changed something. */
const told = {
  outcome: v.exactOptional(v.picklist(OUTCOMES)),
  identifier: v.exactOptional(v.pipe(v.string(), v.regex(/^[1-9]\d*$/))),
};
export const refused = v.strictObject({ errors: sentence, code, ...told });
const byField = new Set<unknown>();
/** The form of a refused shape: exactly these fields of the request, each with what is wrong. */
export function wrongFields(...names: string[]) {
  const sentences = v.pipe(v.array(sentence), v.minLength(1));
  const fields = v.strictObject(Object.fromEntries(names.map((name) => [name, sentences])));
  const form = v.strictObject({ errors: fields, code: v.literal('invalid_shape'), ...told });
  byField.add(form);
  return form;
}
export const isByField = (form: unknown) => byField.has(form);
/** The form of 500, which is no JSON. */
export const internalError = v.literal('Internal server error');
export const anything = v.unknown();
/** A response to HEAD. */
export const nothing = v.literal('');
