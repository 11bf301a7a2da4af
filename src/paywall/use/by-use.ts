/**
 * Sells an answer by its use. What it comes to is known when it begins, when it is short enough to be held until it is whole,
 * or when it has passed; a stream that reaches the most is ended.
 */
import type { SettleResponse } from '@x402/core/types';
import { RECEIPT, receiptHeader } from '../../x402/headers.ts';
import { isShort, trailersOf } from '../base/exchange.ts';
import type { Rate } from '../price.ts';
import type { Upstream } from '../upstream.ts';
import { type Meter, meterOf } from './counters.ts';
import { type Named, namedIn, PRICE } from './named.ts';

/** What is charged in the end, of the token's smallest unit: `left` on the tab, null: there is none. */
export type Charged = { amount: bigint; left: bigint | null; receipt: SettleResponse };
export type Bill = {
  /** Once: it comes to so much. */
  charge(cost: bigint): Charged;
  /** What an answer says of which it is not known when it begins. */
  announced(): SettleResponse;
  /** The seller would want to know that the server behind names no price, or none that can be read. */
  report(problem: Exclude<Named['kind'], 'amount'>): void;
};

/** One call. */
export function createUse(rate: Rate) {
  let meter: Meter | null = null;
  let isHeld = false;
  let opened: Response | null = null;

  /** What it comes to: `isWhole` when it came to its end. */
  function costOf(isWhole: boolean, { report }: Bill): bigint {
    const counted = meter?.cost(isWhole) ?? null;
    if (counted !== null) return counted;
    const trailers =
      isWhole && rate.by === 'server' && opened !== null ? trailersOf(opened, PRICE) : [];
    const named = namedIn(trailers, rate);
    if (named.kind !== 'nothing') return namedCost(named, report);
    // So much was agreed upon. Whoever could have it for less by hanging up before the end would do that.
    if (isWhole) report('nothing');
    return rate.most;
  }

  return {
    /** Asks the server behind. Rejects as that does, also when a short answer is broken off: nothing has passed then. */
    opened:
      (upstream: Upstream): Upstream =>
      async (request, from) => {
        const answer = await upstream(request, from);
        opened = answer;
        meter = meterOf(rate, isEventStream(answer));
        if (!isShort(answer.headers) || answer.body === null || isEventStream(answer))
          return answer;
        const bytes = new Uint8Array(await answer.arrayBuffer());
        meter.take(bytes);
        isHeld = true;
        const { status, statusText, headers } = answer;
        return new Response(bytes, { status, statusText, headers });
      },
    /** The answer as the buyer gets it. `signal`: of the buyer's call. */
    sold(answer: Response, signal: AbortSignal, bill: Bill): Response {
      const { headers } = answer;
      const named = rate.by === 'server' ? namedIn(valuesOf(headers), rate) : NOTHING;
      // What is charged is said by the receipt alone.
      if (rate.by === 'server') headers.delete(PRICE);
      const isKnown = named.kind !== 'nothing' || isHeld || answer.body === null || meter === null;
      const end = (isWhole: boolean) => bill.charge(costOf(isWhole, bill));
      if (isKnown || signal.aborted) {
        const cost = named.kind === 'nothing' ? null : namedCost(named, bill.report);
        const charged = cost === null ? end(!signal.aborted) : bill.charge(cost);
        return withReceipt(answer, charged.receipt);
      }
      withReceipt(answer, bill.announced());
      return streamed(answer, { take: meter?.take ?? all, end, signal });
    },
  };
}

const NOTHING: Named = { kind: 'nothing' };
const all = ({ byteLength }: Uint8Array): number => byteLength;

/**
 * Nonsense costs nothing: only the seller can mend it, who is told of it, and a caller that could make the server name it could
 * make it name 0 as well.
 */
function namedCost(named: Exclude<Named, { kind: 'nothing' }>, report: Bill['report']): bigint {
  if (named.kind === 'amount') return named.amount;
  report(named.kind);
  return 0n;
}

/** Two headers of the name are one with a comma. */
function valuesOf(headers: Headers): string[] {
  const value = headers.get(PRICE);
  return value === null ? [] : [value];
}

const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');

function withReceipt(answer: Response, receipt: SettleResponse): Response {
  answer.headers.set(RECEIPT, receiptHeader(receipt));
  return answer;
}

type Passing = { take: Meter['take']; end(isWhole: boolean): Charged; signal: AbortSignal };

function streamed(answer: Response, { take, end, signal }: Passing): Response {
  const { status, statusText, headers, body } = answer;
  const isEvents = isEventStream(answer);
  // A last event more.
  if (isEvents) headers.delete('content-length');
  // A length that was told is kept: such an answer has an end, and costs no more than the most.
  const isCut = !headers.has('content-length');
  const lastEvent = (charged: Charged, isFull: boolean): Uint8Array | null =>
    isEvents && (isFull || charged.left !== null) ? paymentEvent(charged, isFull) : null;
  const through = passing(body, { take: isCut ? take : countedOnly(take), end, lastEvent, signal });
  return new Response(through, { status, statusText, headers });
}

const countedOnly =
  (take: Meter['take']): Meter['take'] =>
  (chunk) => {
    take(chunk);
    return chunk.byteLength;
  };

type Passage = Passing & { lastEvent(charged: Charged, isFull: boolean): Uint8Array | null };

function passing(body: Response['body'], { take, end, lastEvent, signal }: Passage) {
  const reader = body?.getReader();
  let isOver = false;
  /** Null: it was charged before. */
  function finish(isWhole: boolean): Charged | null {
    if (isOver) return null;
    isOver = true;
    signal.removeEventListener('abort', left);
    return end(isWhole);
  }
  const left = () => void finish(false);
  signal.addEventListener('abort', left, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done = true, value } = (await reader?.read()) ?? {};
          const fits = value === undefined || isOver ? 0 : take(value);
          if (value !== undefined && fits > 0) controller.enqueue(value.subarray(0, fits));
          const isFull = value !== undefined && fits < value.byteLength;
          if (!done && !isFull) return;
          const charged = finish(true);
          const event = charged === null ? null : lastEvent(charged, isFull);
          if (event !== null) controller.enqueue(event);
          controller.close();
          if (isFull) await reader?.cancel();
        } catch (error) {
          finish(false);
          controller.error(error);
        }
      },
      cancel(reason) {
        finish(false);
        return reader?.cancel(reason);
      },
    },
    // Nothing is read ahead: what was counted has passed.
    { highWaterMark: 0 },
  );
}

/** Behind an empty line, which ends an event that was broken off. */
function paymentEvent({ amount, left }: Charged, isFull: boolean): Uint8Array {
  const said = {
    ...(isFull ? { reason: 'most reached' } : {}),
    charged: `${amount}`,
    ...(left === null ? {} : { left: `${left}` }),
  };
  return new TextEncoder().encode(`\n\nevent: payment\ndata: ${JSON.stringify(said)}\n\n`);
}
