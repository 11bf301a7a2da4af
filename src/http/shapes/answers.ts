/** The shapes of answers: the objects of the API document, field by field. */
import * as v from 'valibot';
import { channelLogAnswers } from '../../contracts/channel-events.ts';
import { CODES, OUTCOMES } from '../../protocol/codes.ts';
import { NOTIFICATION_IDS } from '../../protocol/notification-ids.ts';
import { address, decimal, hash } from '../../protocol/text-shapes.ts';
import { text } from './fields.ts';

/** The answer of every endpoint to a refused call: why it was refused. */
export const errors = v.pipe(
  v.strictObject({
    errors: v.union([v.string(), v.record(v.string(), v.array(v.string()))]),
    code: v.picklist(CODES),
    outcome: v.exactOptional(v.picklist(OUTCOMES)),
    identifier: v.exactOptional(decimal),
  }),
  v.metadata({
    ref: 'Errors',
    description:
      '`errors` is for people: a sentence, or for a wrong shape an object from field to sentences. ' +
      '`code` is for programs: its meaning never changes, and versions to come may know further ones. ' +
      '`outcome` is in each answer to a call that could have changed something: whether anything may still happen. ' +
      '`identifier` is that of the payment which the call has begun.',
  }),
);

export const ownAddress = v.strictObject({ our_address: address });
export const version = v.strictObject({ version: text });
export const status = v.strictObject({
  status: v.picklist(['ready', 'syncing', 'unavailable']),
  blocks_to_sync: v.exactOptional(decimal),
});
export const settings = v.strictObject({ pathfinding_service_address: v.nullable(text) });
export const contracts = v.strictObject({
  contracts_version: text,
  token_network_registry_address: address,
  secret_registry_address: address,
  service_registry_address: v.nullable(address),
  user_deposit_address: v.nullable(address),
  monitoring_service_address: v.nullable(address),
  one_to_n_address: v.nullable(address),
});
export const shutdown = v.strictObject({ status: v.literal('shutdown') });

export const tokens = v.array(address);
export const tokenNetwork = address;
export const newNetwork = v.strictObject({ token_network_address: address });
export const partners = v.array(
  v.strictObject({
    partner_address: address,
    channel: v.pipe(text, v.metadata({ description: 'The path of the channel.' })),
  }),
);

export const channel = v.pipe(
  v.strictObject({
    channel_identifier: decimal,
    token_network_address: address,
    partner_address: address,
    token_address: address,
    balance: decimal,
    total_deposit: decimal,
    total_withdraw: decimal,
    state: v.picklist(['opened', 'closed', 'settled']),
    settle_timeout: decimal,
    reveal_timeout: decimal,
    network_state: v.picklist(['unknown', 'reachable', 'unreachable']),
  }),
  v.metadata({ ref: 'Channel' }),
);
export const channels = v.array(channel);

export const payment = v.pipe(
  v.strictObject({
    initiator_address: address,
    target_address: address,
    token_address: address,
    amount: decimal,
    identifier: decimal,
    secret: hash,
    secret_hash: hash,
  }),
  v.metadata({ ref: 'Payment' }),
);

const logTime = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/),
  v.metadata({ description: 'UTC, without a zone.', examples: ['2026-01-31T09:08:07.120'] }),
);
const ofRecord = { log_time: logTime, token_address: address };
const sent = {
  event: v.literal('EventPaymentSentSuccess'),
  amount: decimal,
  target: address,
  identifier: decimal,
  ...ofRecord,
};
const failed = {
  event: v.literal('EventPaymentSentFailed'),
  target: address,
  reason: text,
  ...ofRecord,
};
const received = {
  event: v.literal('EventPaymentReceivedSuccess'),
  amount: decimal,
  initiator: address,
  identifier: decimal,
  ...ofRecord,
};
const record = v.pipe(
  v.variant('event', [v.strictObject(sent), v.strictObject(failed), v.strictObject(received)]),
  v.metadata({ ref: 'PaymentEvent' }),
);
export const history = v.array(record);
/** As the stream and webhooks tell it: a failure with its identifier, too. */
const toldRecord = v.variant('event', [
  v.strictObject(sent),
  v.strictObject({ ...failed, identifier: decimal }),
  v.strictObject(received),
]);

export const transaction = v.strictObject({ transaction_hash: hash });
/** Only the order to plan a withdrawal is answered with a block. */
export const userDeposit = v.strictObject({
  transaction_hash: hash,
  planned_withdraw_block_number: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
});

export const connections = v.record(
  address,
  v.strictObject({ sum_deposits: decimal, channels: decimal }),
);

export const pendingChannels = v.array(
  v.pipe(
    v.strictObject({
      token_address: address,
      partner_address: address,
      total_deposit: decimal,
      reveal_timeout: decimal,
    }),
    v.metadata({ ref: 'PendingChannel' }),
  ),
);

export const pendingTransfers = v.array(
  v.pipe(
    v.strictObject({
      channel_identifier: decimal,
      initiator: address,
      target: address,
      locked_amount: decimal,
      transferred_amount: decimal,
      payment_identifier: decimal,
      role: v.picklist(['initiator', 'mediator', 'target']),
      token_address: address,
      token_network_address: address,
    }),
    v.metadata({ ref: 'PendingTransfer' }),
  ),
);

export const waitingTransactions = v.array(
  v.pipe(
    v.strictObject({
      transaction: v.pipe(
        text,
        v.metadata({ description: 'Its kind, as the metric `pcn_tx_total` names it.' }),
      ),
      token_address: address,
      partner_address: address,
      channel_identifier: decimal,
      reason: v.picklist([
        'not worth its gas',
        'budget spent',
        'no free gas money',
        'takes too much gas',
      ]),
    }),
    v.metadata({ ref: 'WaitingTransaction' }),
  ),
);

const channelEvent = v.pipe(
  v.variant('event', [
    v.strictObject({ ...sent, block_number: decimal }),
    v.strictObject({ ...failed, block_number: decimal }),
    v.strictObject({ ...received, block_number: decimal }),
    ...channelLogAnswers,
  ]),
  v.metadata({ ref: 'ChannelEvent' }),
);
export const channelEvents = v.array(channelEvent);

const notification = v.pipe(
  v.strictObject({
    id: v.picklist(NOTIFICATION_IDS),
    summary: text,
    body: text,
    urgency: v.picklist(['normal', 'high']),
  }),
  v.metadata({ ref: 'Notification' }),
);
export const notifications = v.array(notification);

export const health = v.array(
  v.pipe(
    v.strictObject({
      check: v.picklist(NOTIFICATION_IDS),
      keeps: text,
      state: v.picklist(['good', 'bad', 'unknown']),
      since: logTime,
      urgency: v.picklist(['normal', 'high']),
      stops_calls: v.boolean(),
      summary: v.nullable(text),
      body: v.nullable(text),
    }),
    v.metadata({ ref: 'HealthCheck' }),
  ),
);

const told = { seq: decimal, log_time: logTime };
/** One event of the stream and of webhooks. */
export const event = v.pipe(
  v.variant('type', [
    v.strictObject({ type: v.literal('payment'), ...told, payment: toldRecord }),
    v.strictObject({
      type: v.literal('channel'),
      ...told,
      token_address: address,
      partner_address: address,
      channel_event: channelEvent,
    }),
    v.strictObject({ type: v.literal('notification'), ...told, notification }),
    v.strictObject({ type: v.literal('gap'), from: decimal, to: decimal }),
  ]),
  v.metadata({
    ref: 'Event',
    description:
      'What happened, with its number; a `gap` stands for the events from `from` to `to`, which are not kept ' +
      'any more.',
  }),
);
export type Event = v.InferOutput<typeof event>;
