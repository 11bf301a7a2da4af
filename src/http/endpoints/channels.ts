/** Channels, what happened in them, and what is pending in them. */

import * as schemas from '../shapes/answers.ts';
import { channelChange, eventsQuery, newChannel, waitingOrder } from '../shapes/requests.ts';
import { endpoint } from './endpoint.ts';

const reading = { method: 'GET', scope: 'read', status: 200 } as const;

export const getChannels = endpoint({
  ...reading,
  path: '/channels',
  tag: 'Channels',
  summary: 'All channels that are not settled',
  answer: schemas.channels,
  refusals: [],
});

export const getChannelsOfToken = endpoint({
  ...reading,
  path: '/channels/:token',
  tag: 'Channels',
  summary: 'The channels of a token',
  answer: schemas.channels,
  refusals: [],
});

export const getChannel = endpoint({
  ...reading,
  path: '/channels/:token/:partner',
  tag: 'Channels',
  summary: 'One channel',
  answer: schemas.channel,
  refusals: ['unknown_channel'],
});

export const openChannel = endpoint({
  method: 'PUT',
  path: '/channels',
  tag: 'Channels',
  summary: 'Open a channel',
  description:
    'Also makes the deposit. Without timeouts the defaults of the node are taken. The settle timeout ' +
    'must be at least twice the reveal timeout.',
  scope: 'admin',
  body: newChannel,
  status: 201,
  answer: schemas.channel,
  refusals: [
    'invalid_token',
    'invalid_partner',
    'invalid_amount',
    'invalid_timeout',
    'token_not_registered',
    'channel_exists',
    'busy',
    'above_limit',
    'insufficient_balance',
    'insufficient_gas',
    'transaction_failed',
  ],
});

export const changeChannel = endpoint({
  method: 'PATCH',
  path: '/channels/:token/:partner',
  tag: 'Channels',
  summary: 'Close a channel, deposit, withdraw, or change its reveal timeout',
  description:
    'Exactly one of the four fields. `total_deposit` and `total_withdraw` are the new totals, not the ' +
    'difference: the same request a second time has no further effect. A withdrawal needs the partner.',
  scope: 'admin',
  body: channelChange,
  hasOneField: true,
  status: 200,
  answer: schemas.channel,
  refusals: [
    'conflicting_fields',
    'unknown_channel',
    'channel_not_open',
    'busy',
    'invalid_amount',
    'invalid_timeout',
    'unsafe_timeouts',
    'total_not_higher',
    'above_limit',
    'above_balance',
    'partner_silent',
    'channel_closed',
    'insufficient_balance',
    'insufficient_gas',
    'transaction_failed',
  ],
});

export const getChannelEvents = endpoint({
  ...reading,
  path: '/events/channels/:token/:partner',
  tag: 'Channels',
  summary: 'What happened in a channel',
  description:
    'Its events on chain and its payments, ascending by block, from `from_block` on; without it from ' +
    'the opening of the newest channel with the partner.',
  query: eventsQuery,
  answer: schemas.channelEvents,
  refusals: ['unknown_channel', 'unknown_token', 'invalid_block'],
});

export const getPendingChannels = endpoint({
  ...reading,
  path: '/pending_channels',
  tag: 'Channels',
  summary: 'The channels that the node is opening',
  description:
    'Each is listed from the order on until its block is confirmed; then it is among the channels, or its opening has ' +
    'failed. Answered at once, also while the call that opens one keeps others waiting.',
  answer: schemas.pendingChannels,
  refusals: [],
  atOnce: true,
});

export const getPendingTransfers = endpoint({
  ...reading,
  path: '/pending_transfers',
  tag: 'Pending transfers',
  summary: 'All transfers that are not complete yet',
  description: 'What this node mediates is listed once, with the channel to its payer.',
  answer: schemas.pendingTransfers,
  refusals: [],
});

export const getPendingTransfersOfToken = endpoint({
  ...reading,
  path: '/pending_transfers/:token',
  tag: 'Pending transfers',
  summary: 'The pending transfers of a token',
  answer: schemas.pendingTransfers,
  refusals: ['unknown_token'],
});

export const getPendingTransfersOfChannel = endpoint({
  ...reading,
  path: '/pending_transfers/:token/:partner',
  tag: 'Pending transfers',
  summary: 'The pending transfers of a channel',
  answer: schemas.pendingTransfers,
  refusals: ['unknown_token', 'unknown_channel'],
});

export const getWaitingTransactions = endpoint({
  ...reading,
  path: '/waiting_transactions',
  tag: 'Channels',
  summary: 'Transactions that the node does not send now',
  description:
    'The node may send them and need not: they are not worth their gas now, a budget is spent, or the money for gas is ' +
    'set aside for promises. They are weighed again at each block. Oldest first, at most 1,000.',
  answer: schemas.waitingTransactions,
  refusals: [],
});

export const orderWaitingTransactions = endpoint({
  method: 'POST',
  path: '/waiting_transactions',
  tag: 'Channels',
  summary: 'Send what waits in the channels with a partner',
  description:
    'Whatever it is worth, but from money for gas that is not set aside: it is refused with what is missing, if there is ' +
    'too little. Answers what is sent now; what was not signed when the node ends waits again after the next start.',
  scope: 'admin',
  body: waitingOrder,
  status: 200,
  answer: schemas.waitingTransactions,
  refusals: ['nothing_waits', 'insufficient_gas'],
});
