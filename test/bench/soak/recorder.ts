/**
 * What callers have asked of nodes and what they were told: each payment, and each answer under a key, which must be the
 * same whenever it is asked for again. Calls are made through its `fetch`, also those of programs that buy.
 */
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Contradiction, PaymentCall, Told } from './books.ts';

export type Answer = { status: number; text: string };
/** A call with a key that has been answered for good. */
export type KeyedCall = {
  node: string;
  method: string;
  path: string;
  body: string;
  key: string;
  answer: Answer;
};
export type Caller = {
  /** The node that is called. */
  node: string;
  /** What a payment buys now; null: nothing. */
  item?: () => string | null;
};
export type Recorder = ReturnType<typeof createRecorder>;

const order = v.object({ amount: v.string(), identifier: v.string() });
const undone = v.object({ outcome: v.string() });
const PAYMENT = /\/api\/v1\/payments\/[^/]+\/(0x[0-9a-fA-F]{40})$/;
const INTERNAL = 500;

/** Whether the second answer says what the first one did. */
export function sameAnswers(first: Answer, second: Answer): boolean {
  return first.status === second.status && isDeepStrictEqual(contentOf(first), contentOf(second));
}

function contentOf({ text }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What an answer says of the call; null: it says nothing that lasts. */
function toldBy(answer: Answer): Told | null {
  if (answer.status >= 200 && answer.status < 300) return 'paid';
  const said = v.safeParse(undone, contentOf(answer));
  const outcome = said.success ? said.output.outcome : 'pending';
  return outcome === 'pending' ? null : 'not paid';
}

/** Whether a call with a key is answered like this for ever. */
const isFinal = (answer: Answer) =>
  (answer.status >= 200 && answer.status < 300) ||
  v.is(v.object({ outcome: v.literal('failed') }), contentOf(answer));

type Parts = {
  /** Of the node with this address. */
  nameOf(address: string): string;
  /** Writes a line into the log of the driver. */
  note(line: string): void;
  contradict(one: Contradiction): void;
};
type Call = Omit<KeyedCall, 'answer'>;

/** An answer of a node, or of what stands before it, that takes no calls now. */
const isPassing = ({ status }: Answer) => [429, 502, 503, 504].includes(status);

/** Every payment that was ordered, by its key or, without one, by its identifier. */
function createPayments(nameOf: Parts['nameOf']) {
  const payments = new Map<string, { payment: PaymentCall; call: Call }>();
  return {
    all: () => [...payments.values()],
    /** Null: it is no payment. */
    ordered({ node, item }: Caller, call: Call): PaymentCall | null {
      const { path, body, key } = call;
      const target = PAYMENT.exec(path)?.[1];
      const parsed = v.safeParse(order, contentOf({ status: 0, text: body }));
      if (target === undefined || !parsed.success) return null;
      const { amount, identifier } = parsed.output;
      const place = key === '' ? `${identifier} without a key` : key;
      const payment: PaymentCall = payments.get(place)?.payment ?? {
        payer: node,
        payee: nameOf(target),
        identifier,
        amount: BigInt(amount),
        told: 'unknown',
        item: item?.() ?? null,
      };
      // Whatever was said before, while it is asked for again nobody knows.
      if (payment.told === 'not paid') payment.told = 'unknown';
      payments.set(place, { payment, call });
      return payment;
    },
  };
}

/** The answers of calls with a key: the first one that is final is that of all later ones. */
function createAnswers(contradict: Parts['contradict']) {
  const keyed = new Map<string, KeyedCall>();
  return {
    all: () => [...keyed.values()],
    take(call: KeyedCall): void {
      const { node, method, path, key, answer } = call;
      const first = keyed.get(key)?.answer;
      if (first === undefined) {
        if (isFinal(answer)) keyed.set(key, call);
        return;
      }
      // While the node takes no calls, it says so under every key.
      if (isPassing(answer) || sameAnswers(first, answer)) return;
      const said = ({ status, text }: Answer) => `${status} ${text}`;
      const what = `${node} answers ${method} ${path} under the key ${key} with ${said(answer)}; it was ${said(first)}`;
      contradict({ what, parties: [node] });
    },
  };
}

export function createRecorder({ nameOf, note, contradict }: Parts) {
  const payments = createPayments(nameOf);
  const answers = createAnswers(contradict);

  function noteAnswer(call: KeyedCall): void {
    const { node, method, path, key, answer } = call;
    note(`${node} ${method} ${path} ${key} ${answer.status} ${answer.text.slice(0, 300)}`);
    if (answer.status === INTERNAL)
      contradict({ what: `${node} answers ${method} ${path} with 500`, parties: [node] });
    if (key !== '') answers.take(call);
  }

  /** Makes the call, and keeps what was asked and answered. */
  async function recorded(caller: Caller, request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    if (request.method === 'GET' || !path.startsWith('/api/v1')) return fetch(request);
    const body = await request.clone().text();
    const key = request.headers.get('idempotency-key') ?? '';
    const call = { node: caller.node, method: request.method, path, body, key };
    const payment = payments.ordered(caller, call);
    const response = await fetch(request);
    const answer = { status: response.status, text: await response.clone().text() };
    noteAnswer({ ...call, answer });
    const told = toldBy(answer);
    // What was paid stays paid: a later answer that differs is a contradiction of its own.
    if (payment !== null && payment.told !== 'paid' && told !== null) payment.told = told;
    return response;
  }

  return {
    fetchFor:
      (caller: Caller): typeof fetch =>
      (input, init) =>
        recorded(caller, new Request(input, init)),
    payments: () => payments.all().map(({ payment }) => payment),
    /** The payments with a key of which nobody knows yet what became of them. */
    open: () =>
      payments.all().filter(({ payment, call }) => payment.told === 'unknown' && call.key !== ''),
    keyed: answers.all,
  };
}
