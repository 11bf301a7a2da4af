/** Calls the API of a node over real HTTP, and reads its answers in our own types. */
import * as v from 'valibot';
import { type Address, isChecksummed } from '../../src/basics/hex.ts';
import { createClient } from '../../src/client/client.ts';

export type Answer = { status: number; body: unknown; headers: Headers };
export type Request = {
  method?: string;
  /** Below `/api/v1`. */
  path: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, with the content type of JSON unless headers say otherwise. */
  raw?: string;
  headers?: Record<string, string>;
};
export type Api = ReturnType<typeof apiAt>;
export type Channel = v.InferOutput<typeof channelShape>;
export type PaymentEvent = v.InferOutput<typeof eventShape>;

const address = v.custom<Address>(isChecksummed);
const amount = v.pipe(
  v.string(),
  v.regex(/^\d+$/),
  v.transform((digits) => BigInt(digits)),
);

const channelShape = v.strictObject({
  channel_identifier: amount,
  token_network_address: address,
  partner_address: address,
  token_address: address,
  balance: amount,
  total_deposit: amount,
  total_withdraw: amount,
  state: v.picklist(['opened', 'closed', 'settled']),
  settle_timeout: amount,
  reveal_timeout: amount,
  network_state: v.picklist(['unknown', 'reachable', 'unreachable']),
});
const common = { log_time: v.string(), token_address: address };
const eventShape = v.variant('event', [
  v.strictObject({
    event: v.literal('EventPaymentSentSuccess'),
    amount,
    target: address,
    identifier: amount,
    ...common,
  }),
  v.strictObject({
    event: v.literal('EventPaymentSentFailed'),
    target: address,
    reason: v.string(),
    ...common,
  }),
  v.strictObject({
    event: v.literal('EventPaymentReceivedSuccess'),
    amount,
    initiator: address,
    identifier: amount,
    ...common,
  }),
]);

/** `url` without a slash at the end. */
export function apiAt(url: string) {
  async function ask(request: Request): Promise<Answer> {
    const { method = 'GET', path, json, raw, headers = {} } = request;
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
    const type: Record<string, string> =
      body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const { status } = response;
    return {
      status,
      body: isJson && text !== '' ? JSON.parse(text) : text,
      headers: response.headers,
    };
  }

  const get = (path: string) => ask({ path });
  const put = (path: string, json: unknown) => ask({ method: 'PUT', path, json });
  const patch = (path: string, json: unknown) => ask({ method: 'PATCH', path, json });
  const post = (path: string, json: unknown) => ask({ method: 'POST', path, json });

  const client = createClient(url);

  return {
    url,
    /** Typed calls; those below take anything, for what is not right. */
    client,
    ask,
    get,
    put,
    patch,
    post,
    /** All channels that are not settled. Throws when the node refuses. */
    channels: async (): Promise<Channel[]> =>
      v.parse(v.array(channelShape), await bodyOf(await client.channels.$get())),
    /** Null when there is none. */
    async channel(token: Address, partner: Address): Promise<Channel | null> {
      const param = { token, partner };
      const answer = await client.channels[':token'][':partner'].$get({ param });
      return answer.status === 404 ? null : v.parse(channelShape, await bodyOf(answer));
    },
    history: async (path = ''): Promise<PaymentEvent[]> =>
      v.parse(v.array(eventShape), good(await get(`/payments${path}`))),
    async status(): Promise<string> {
      const answer = await client.status.$get();
      if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
      return (await answer.json()).status;
    },
  };
}

async function bodyOf(answer: Pick<Response, 'ok' | 'status' | 'text' | 'json'>): Promise<unknown> {
  if (answer.ok) return answer.json();
  throw new Error(`answered ${answer.status}: ${await answer.text()}`);
}

/** The body of an answer that is expected to be good. */
export function good(answer: Answer): unknown {
  if (answer.status >= 200 && answer.status < 300) return answer.body;
  throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

export function channelIn(answer: Answer): Channel {
  return v.parse(channelShape, good(answer));
}
