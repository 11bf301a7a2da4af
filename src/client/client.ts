/** The typed client of the REST API, for programs and pages: nothing here needs Node. This is what the package exports. */

/** An event of a node, as its stream and its webhooks send it. */
export type { Event } from '../http/response-schemas.ts';
export { type Client, type ClientOptions, createClient } from './api.ts';
export { type HistoryOptions, type HistoryRecord, paymentHistory } from './history.ts';
export { type Paid, type PayOptions, type PayOrder, pay, type Unpaid } from './pay.ts';
export { decimalsOf, fromUnits, toUnits } from './units.ts';
export { type WatchOptions, watchEvents } from './watch.ts';
