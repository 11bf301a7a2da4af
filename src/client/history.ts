/** The history of payments, all pages of it. */
import { type Client, type ClientOptions, createClient } from './api.ts';

type Answer = Awaited<ReturnType<Client['payments']['$get']>>;
type History = Awaited<ReturnType<Extract<Answer, { status: 200 }>['json']>>;
/** A payment of the history: `event` says whether it was sent, failed or received. */
export type HistoryRecord = History[number];
export type HistoryOptions = ClientOptions & {
  /** Only payments with this identifier, those that failed, too. */
  identifier?: bigint;
  /** Records of one call. */
  pageSize?: number;
  /** Records that are passed over, from the oldest on. */
  offset?: number;
  /** Ends the reading. */
  signal?: AbortSignal;
};

const PAGE_SIZE = 500;

/**
 * `for await (const record of paymentHistory(url))`: all payments, the oldest first; a page is asked for when the one before
 * is read. What the node deletes meanwhile (`--keep-history`) makes it pass over as many. Throws when the node refuses.
 */
export async function* paymentHistory(
  url: string,
  { identifier, pageSize = PAGE_SIZE, offset = 0, signal, ...options }: HistoryOptions = {},
): AsyncGenerator<HistoryRecord> {
  const client = createClient(url, options);
  const tag = identifier === undefined ? {} : { identifier: `${identifier}` };
  const init = signal === undefined ? {} : { init: { signal } };
  for (let at = offset; ; at += pageSize) {
    const query = { limit: `${pageSize}`, offset: `${at}`, ...tag };
    const answer = await client.payments.$get({ query }, init);
    if (answer.status !== 200)
      throw new Error(`the node refuses its history (${answer.status}): ${await answer.text()}`);
    const page = await answer.json();
    yield* page;
    if (page.length < pageSize) return;
  }
}
