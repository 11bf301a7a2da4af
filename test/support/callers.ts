/** Callers who pay all the time, and remember what they were told. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../../src/protocol/hex.ts';
import type { PaymentEvent } from './api.ts';
import { until } from './until.ts';

export type Callers = ReturnType<typeof startCallers>;

type Options = {
  count: number;
  token: Address;
  payee: Address;
  /** The URL of the API that is called next. */
  api(): string;
};

/** Between a refusal and the next call of the same caller. */
const PAUSE_MS = 50;
let newest = 0n;

export function startCallers({ count, token, payee, api }: Options) {
  let isStopped = false;
  /** The calls that have no answer yet. */
  const calls = new Set<AbortController>();
  const paid: bigint[] = [];
  /** How often each status was answered; 0: the call broke off. */
  const statuses = new Map<number, number>();

  async function pay(): Promise<number> {
    newest += 1n;
    const identifier = newest;
    const call = new AbortController();
    calls.add(call);
    try {
      return await ask(identifier, call.signal);
    } finally {
      calls.delete(call);
    }
  }

  async function ask(identifier: bigint, signal: AbortSignal): Promise<number> {
    const answer = await fetch(`${api()}/api/v1/payments/${token}/${payee}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: '1', identifier: String(identifier) }),
      signal,
    });
    await answer.arrayBuffer();
    if (answer.status === 200) paid.push(identifier);
    return answer.status;
  }

  async function call(): Promise<void> {
    while (!isStopped) {
      const status = await pay().catch(() => 0);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 200) await delay(PAUSE_MS);
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
