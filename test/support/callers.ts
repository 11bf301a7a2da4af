/** Callers who pay all the time, and remember what they were told. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../../src/basics/hex.ts';
import type { PaymentEvent } from './api.ts';
import { until } from './until.ts';

export type Callers = ReturnType<typeof startCallers>;

type Options = {
  count: number;
  token: Address;
  payee: Address;
  /** The URL of the API that is called next. */
  api(): string;
  /** Whether each call has a key, with which it is repeated until its answer says how it ended. Default false. */
  hasKeys?: boolean;
  /** Milliseconds between the answer to a caller and its next call. Default 100: a fraction of what the node can do. */
  restMs?: number;
};
type Answer = { status: number; isFinal: boolean };

let newest = 0n;

export function startCallers({ count, token, payee, api, hasKeys = false, restMs = 100 }: Options) {
  let isStopped = false;
  /** The calls that have no answer yet. */
  const calls = new Set<AbortController>();
  const paid: bigint[] = [];
  /** How often each status was answered; 0: the call broke off. */
  const statuses = new Map<number, number>();

  async function pay(identifier: bigint): Promise<Answer> {
    const call = new AbortController();
    calls.add(call);
    try {
      return await ask(identifier, call.signal);
    } finally {
      calls.delete(call);
    }
  }

  async function ask(identifier: bigint, signal: AbortSignal): Promise<Answer> {
    const key = hasKeys ? { 'idempotency-key': String(identifier) } : {};
    const answer = await fetch(`${api()}/api/v1/payments/${token}/${payee}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key },
      body: JSON.stringify({ amount: '1', identifier: String(identifier) }),
      signal,
    });
    const text = await answer.text();
    if (answer.status === 200) paid.push(identifier);
    return { status: answer.status, isFinal: answer.ok || /"outcome": ?"failed"/.test(text) };
  }

  async function call(): Promise<void> {
    let isNext = true;
    for (let identifier = 0n; !isStopped; ) {
      if (isNext || !hasKeys) identifier = newest += 1n;
      const { status, isFinal } = await pay(identifier).catch(() => ({
        status: 0,
        isFinal: false,
      }));
      isNext = isFinal;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await delay(status === 200 ? restMs : Math.max(restMs, 50));
    }
  }
  function callAgain(): void {
    for (const call of calls) call.abort();
  }
  const calling = Promise.all(Array.from({ length: count }, call));

  return {
    /** The identifiers of the payments that were answered with 200. */
    paid: () => [...paid],
    statuses: () => statuses,
    /** Waits until so many more payments were made. */
    async makeMore(payments: number): Promise<void> {
      const wanted = paid.length + payments;
      const describe = () => JSON.stringify([...statuses]);
      await until(() => paid.length >= wanted, `${payments} more payments are made`).catch(
        (error: unknown) => {
          throw new Error(`${String(error)}; the callers were answered, by status: ${describe()}`);
        },
      );
    },
    /** Callers who have no answer yet call again, perhaps somebody else. */
    callAgain,
    /** Calls that have no answer yet are given up. */
    async stop(): Promise<void> {
      isStopped = true;
      callAgain();
      await calling;
    },
  };
}

/** Those of the payments that are not in this history exactly once. */
export function notOnceIn(history: readonly PaymentEvent[], payments: readonly bigint[]): bigint[] {
  const times = new Map<bigint, number>();
  for (const event of history)
    if ('identifier' in event) times.set(event.identifier, (times.get(event.identifier) ?? 0) + 1);
  return payments.filter((identifier) => times.get(identifier) !== 1);
}
