/** The typed client of the REST API, for programs and pages: nothing here needs Node. This is what the package exports. */

import { fromUnits } from '../basics/digits.ts';
import type { Event } from '../http/shapes/answers.ts';
import { type Client, type ClientOptions, createClient } from './api.ts';
import { type HistoryOptions, type HistoryRecord, paymentHistory } from './history.ts';
import { type Paid, type PayOptions, type PayOrder, pay, type Unpaid } from './pay.ts';
import { type PaymentRequest, parsePaymentLink, paymentLink } from './payment-link.ts';
import { decimalsOf, toUnits } from './units.ts';
import { type WatchOptions, watchEvents } from './watch.ts';

/** `Event`: of a node, as its stream and its webhooks send it. */
export type {
  Client,
  ClientOptions,
  Event,
  HistoryOptions,
  HistoryRecord,
  Paid,
  PaymentRequest,
  PayOptions,
  PayOrder,
  Unpaid,
  WatchOptions,
};
export {
  createClient,
  decimalsOf,
  fromUnits,
  parsePaymentLink,
  pay,
  paymentHistory,
  paymentLink,
  toUnits,
  watchEvents,
};
