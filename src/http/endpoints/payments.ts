/** Payments: their history, and a new one. */

import * as schemas from '../shapes/answers.ts';
import { historyPage, newPayment } from '../shapes/requests.ts';
import { endpoint } from './endpoint.ts';

const history = {
  method: 'GET',
  tag: 'Payments',
  description:
    'Oldest first; with `identifier` only those of payments that have it, failed ones too. `offset` records are left out, ' +
    'then at most `limit` are shown.',
  scope: 'read',
  query: historyPage,
  status: 200,
  answer: schemas.history,
} as const;

export const getPayments = endpoint({
  ...history,
  path: '/payments',
  summary: 'All payments, sent, failed and received',
  refusals: ['invalid_identifier'],
});

export const getPaymentsOfToken = endpoint({
  ...history,
  path: '/payments/:token',
  summary: 'The payments of a token',
  refusals: ['token_not_registered', 'invalid_identifier'],
});

export const getPaymentsWithPartner = endpoint({
  ...history,
  path: '/payments/:token/:partner',
  summary: 'The payments of a token with one other node',
  description: `${history.description} The partner is the other end of the payment.`,
  refusals: ['token_not_registered', 'invalid_identifier'],
});

export const pay = endpoint({
  method: 'POST',
  path: '/payments/:token/:partner',
  tag: 'Payments',
  summary: 'Pay',
  description:
    'The partner is the target. Answers when the payment succeeded or failed. The same identifier, ' +
    'target, token and amount while such a payment is in flight: both calls get its result. `paths` are ' +
    'the only ways then, tried in their order, three at most; `fee` is what the mediators of one take, ' +
    'and without it the default fees are assumed. With `fee_included` the fees come out of the amount instead of on top: ' +
    'one route is tried, and the answer says what the target got at least.',
  scope: 'pay',
  body: newPayment,
  status: 200,
  answer: schemas.payment,
  refusals: [
    'conflicting_fields',
    'invalid_token',
    'invalid_partner',
    'invalid_amount',
    'invalid_identifier',
    'invalid_timeout',
    'unsafe_timeouts',
    'invalid_secret',
    'token_not_registered',
    'no_route',
    'secret_used',
    'identifier_used',
    'lock_expired',
    'partner_silent',
    'partner_unreachable',
    'channel_closed',
    'channel_not_open',
    'too_many_locks',
    'disk_full',
    'broker_unavailable',
    'insufficient_balance',
    'above_cap',
  ],
});
