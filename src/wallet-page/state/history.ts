/** The history from its end on. */

import { type Signal, signal } from '@preact/signals';
import { bearerOf } from '../../client/api.ts';
import type { WalletPayment, WalletPayments } from '../../http/wallet.ts';
import { reasonOf } from '../texts/reasons.ts';
import type { Wallet } from './wallet.ts';

const PAGE_SIZE = 200;

export type Loaded = WalletPayments;
type Told = { ok: true; value: Loaded } | { ok: false; reason: string };
type Node = Pick<Wallet, 'url' | 'options'>;

/** Without an offset the newest ones. */
async function historyPage(
  { url, options }: Node,
  place: { offset?: number; limit: number },
): Promise<Told> {
  try {
    const query = new URLSearchParams(
      Object.entries(place).map(([name, value]) => [name, `${value}`]),
    );
    const headers = bearerOf(options().token);
    const answer = await fetch(`${url}wallet/payments?${query}`, { headers });
    if (answer.status === 200) return { ok: true, value: await answer.json() };
    if (answer.status === 500) return { ok: false, reason: await answer.text() };
    return { ok: false, reason: reasonOf(await answer.json()) };
  } catch {
    return { ok: false, reason: 'The node does not answer.' };
  }
}

/** With those before or after what is loaded. */
async function loadMore(
  node: Node,
  { from, records }: Loaded,
  which: 'older' | 'newer',
): Promise<Told> {
  const first = which === 'older' ? Math.max(0, from - PAGE_SIZE) : from + records.length;
  const limit = which === 'older' ? from - first : PAGE_SIZE;
  if (limit === 0) return { ok: true, value: { from, records } };
  const page = await historyPage(node, { offset: first, limit });
  if (!page.ok) return page;
  const found = page.value.records;
  return {
    ok: true,
    value:
      which === 'older'
        ? { from: first, records: [...found, ...records] }
        : { from, records: [...records, ...found] },
  };
}

/** Payments of one page where all are read. */
const LARGE_PAGE = 500;

/** All payments, the oldest first. Throws when the node refuses. */
export async function* allPayments(node: Node): AsyncGenerator<WalletPayment> {
  for (let at = 0; ; at += LARGE_PAGE) {
    const page = await historyPage(node, { offset: at, limit: LARGE_PAGE });
    if (!page.ok) throw new Error(page.reason);
    const { records } = page.value;
    yield* records;
    if (records.length < LARGE_PAGE) return;
  }
}

export type PaidHistory = {
  /** Null until the node has answered. */
  loaded: Signal<Loaded | null>;
  /** Why it cannot be read, in the node's words. */
  problem: Signal<string | null>;
  /** Loads older ones. */
  more(): void;
  end(): void;
};

const PERIOD_MS = 2_000;

/** Newer payments come by themselves. */
export function followHistory(node: Node): PaidHistory {
  const loaded = signal<Loaded | null>(null);
  const problem = signal<string | null>(null);
  let reading: Promise<void> | null = null;

  async function read(which: 'older' | 'newer'): Promise<void> {
    const before = loaded.value;
    const told = await (before === null
      ? historyPage(node, { limit: PAGE_SIZE })
      : loadMore(node, before, which));
    if (told.ok) loaded.value = told.value;
    problem.value = told.ok ? null : told.reason;
  }
  // One after the other: each goes on from what the one before has loaded.
  function begin(which: 'older' | 'newer'): Promise<void> {
    reading = (reading ?? Promise.resolve()).then(() => read(which));
    const own = reading;
    return own.finally(() => {
      if (reading === own) reading = null;
    });
  }
  const look = () => {
    if (reading === null && document.visibilityState === 'visible') void begin('newer');
  };
  const timer = setInterval(look, PERIOD_MS);
  look();
  return { loaded, problem, more: () => void begin('older'), end: () => clearInterval(timer) };
}
