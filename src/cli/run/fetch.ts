/** Asks for something, shows what it costs, pays, and prints the answer. Pays once at most, and no more than it has shown. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import * as v from 'valibot';
import { fromUnits } from '../../basics/digits.ts';
import { type Address, parseAddress } from '../../basics/hex.ts';
import { printable } from '../../basics/printable.ts';
import { unread } from '../../basics/unread.ts';
import { type ClientOptions, createClient } from '../../client/api.ts';
import { labelOf, type TokenLabel, toUnits } from '../../client/units.ts';
import { type Bought, channelClient } from '../../x402/client.ts';
import { demandIn } from '../../x402/headers.ts';
import { amountIn, SCHEME } from '../../x402/offer.ts';
import { inBothDialects } from '../../x402/payment-fetch.ts';
import type { FetchOptions } from '../options/fetch.ts';
import type { Nothing } from '../options/settings.ts';
import { plainUrl } from '../options/values.ts';
import { type Found, wrong } from '../process/found.ts';
import { refuse, say } from '../process/terminal.ts';
import { plain, shown } from './shown.ts';
import { tokenIn } from './token-file.ts';

/** A paid call that failed is asked again with the same proof, after so many milliseconds. */
const PAUSES_MS = [500, 2_000, 5_000];
/** What is paid is waited for: the proof is in this process alone. */
const PATIENCE_MS = 86_400_000;

type Call = { url: string; init: RequestInit & { method: string } };
/** How the buyer's node is reached. */
type Access = ClientOptions & { node: string };
type Price = TokenLabel & { asset: Address; amount: bigint };

/** The exit code: 0 when there is an answer below 400. */
export async function fetchPaid(
  url: string,
  headers: readonly string[],
  { method, data, tokenFile, node, token: asset, most, isDryRun, ...left }: FetchOptions,
): Promise<number> {
  left satisfies Nothing;
  const call = callOf(url, headers, method, data);
  if (!call.ok) return refuse(call.message);
  const token = tokenIn(tokenFile);
  if (!token.ok) return refuse(token.message);
  const access = { node, ...(token.value === '' ? {} : { token: token.value }) };
  try {
    const first = await inBothDialects(fetch)(call.value.url, call.value.init);
    if (first.status !== 402) return await shown(first, call.value.url, null);
    unread(first);
    const price = await priceIn(first, asset, access);
    if (!price.ok) return refuse(price.message);
    say(`It costs ${amountOf(price.value)}.`);
    if (isDryRun) return 0;
    const why = reasonNotToPay(price.value, most);
    if (why !== null) return refuse(why);
    const { answer, paid } = await bought(call.value, price.value, access);
    return await shown(answer, call.value.url, paid);
  } catch (error) {
    return refuse(messageOf(error));
  }
}

/** Some have what a server has said: on a terminal, its signs could hide what was paid. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return plain(String(error));
  const { message, cause } = error;
  return plain(cause === undefined ? message : `${message}: ${String(cause)}`);
}

function amountOf({ amount, decimals, symbol, asset }: Price): string {
  const digits = fromUnits(amount, decimals);
  // A token calls itself what it likes: its address is what is paid in.
  return symbol === null
    ? `${digits} of ${asset}`
    : `${digits} ${printable(symbol)} (token ${asset})`;
}

function callOf(
  given: string,
  headers: readonly string[],
  method: string | null,
  data: string | null,
): Found<Call> {
  const url = v.safeParse(plainUrl, given);
  if (!url.success) return wrong(`the URL ${url.issues[0].message}`);
  const sent = new Headers();
  try {
    for (const line of headers) {
      const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
      sent.append(name, value);
    }
  } catch {
    return wrong('a header of -H is not of the form "Name: value"');
  }
  if (data !== null && !sent.has('content-type'))
    sent.set('content-type', 'application/x-www-form-urlencoded');
  try {
    const body = data === null ? {} : { body: data.startsWith('@') ? fileOf(data.slice(1)) : data };
    const verb = method ?? (data === null ? 'GET' : 'POST');
    return { ok: true, value: { url: url.output, init: { method: verb, headers: sent, ...body } } };
  } catch (error) {
    return wrong(`the file of -d cannot be read: ${messageOf(error)}`);
  }
}

const fileOf = (name: string) => new Uint8Array(readFileSync(name === '-' ? 0 : name));

/** The offer in the token that is chosen. */
async function priceIn(
  answer: Response,
  token: Address | null,
  { node, ...options }: Access,
): Promise<Found<Price>> {
  const offers = demandIn(answer.headers)?.accepts.filter(({ scheme }) => scheme === SCHEME) ?? [];
  if (offers.length === 0)
    return wrong(
      'it has to be paid for, but not over channels (no x402 offer of the scheme channel, nor a challenge Payment of the method channel)',
    );
  const list = plain([...new Set(offers.map((offer) => offer.asset))].join(', '));
  const asset = token ?? (await onlyToken(node, options));
  if (asset === null) {
    return wrong(
      `give the token to pay with as --token: it takes ${list}, and the node has channels of several tokens, or none`,
    );
  }
  const offer = offers.find((one) => parseAddress(one.asset) === asset);
  const amount = amountIn(offer?.amount);
  if (amount === null) return wrong(`it takes ${list}, not ${asset}`);
  const label = await labelOf(node, asset, options);
  return label === null
    ? wrong(`the node knows no network of the token ${asset}`)
    : { ok: true, value: { asset, amount, ...label } };
}

/** That of the node's channels; null: they are of several, or there are none. */
async function onlyToken(node: string, options: ClientOptions): Promise<Address | null> {
  const answer = await createClient(node, options).channels.$get();
  const list: unknown = await answer.json();
  const tokens = Array.isArray(list)
    ? list.map((channel) => parseAddress(Object(channel).token_address))
    : [];
  const [only = null, ...others] = [...new Set(tokens)];
  return others.length === 0 ? only : null;
}

/** Null: it may be paid. */
function reasonNotToPay(price: Price, most: string | null): string | null {
  if (most === null)
    return `nothing is paid without --most ${fromUnits(price.amount, price.decimals)}`;
  const limit = toUnits(most, price.decimals);
  if (limit === null)
    return `--most is no amount with ${price.decimals} digits after the point at most`;
  return price.amount > limit ? `that is more than --most ${most}` : null;
}

async function bought(
  { url, init }: Call,
  { asset, amount }: Price,
  access: Access,
): Promise<{ answer: Response; paid: Bought | null }> {
  const payments: Bought[] = [];
  // The second offer may cost no more than the first did, and there is no second payment.
  const caps = { most: amount, mostPerHost: amount, mostPerDay: amount };
  const onPaid = (one: Bought) => {
    payments.push(one);
    say(`Paid: payment ${one.identifier} (${one.secretHash}).`);
  };
  const told = (answer: Response) => ({ answer, paid: payments[0] ?? null });
  const channel = channelClient({ ...access, ...caps, asset, onPaid, patienceMs: PATIENCE_MS });
  const paying = wrapFetchWithPayment(
    channel.fetch,
    new x402Client().register('eip155:*', channel),
  );
  // What may have been done cannot be asked for twice, but for questions.
  const isSafe = /^(GET|HEAD)$/i.test(init.method);
  for (const pauseMs of PAUSES_MS) {
    try {
      const answer = await paying(url, init);
      const isUnserved = answer.status === 402 || (isSafe && answer.status >= 500);
      if (payments.length === 0 || !isUnserved) return told(answer);
      say(`The server answers ${answer.status}: asking again with the same proof.`);
      unread(answer);
    } catch (error) {
      if (payments.length === 0 || !isSafe) throw error;
      say(`${messageOf(error)}: asking again with the same proof.`);
    }
    await delay(pauseMs);
  }
  return told(await paying(url, init));
}
