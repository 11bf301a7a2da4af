/** The rest of a tab is paid back once, whatever the node answers, and whenever the seller's program starts anew. */
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Hash } from '../../../src/basics/hex.ts';
import { createRests } from '../../../src/tabs/rests.ts';
import type { Tab } from '../../../src/tabs/tab.ts';
import { newWindow } from '../../../src/tabs/window.ts';
import { tabPaymentId } from '../../../src/x402/ticket.ts';

const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const PAYER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const DAY_MS = 86_400_000;
const hash = (byte: string): Hash => `0x${byte.repeat(32)}`;

/** What the node answers to a payment, and what it remembers. */
let answer: 'paid' | 'failed' | 'pending';
let history: string[];
let pending: string[];
let isReadable: boolean;
/** The keys of the payments that it was asked for. */
let keys: string[];
let settled: Tab[];
let now: number;
let stops: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  [answer, history, pending, isReadable] = ['paid', [], [], true];
  [keys, settled, stops, now] = [[], [], [], 5 * DAY_MS];
});
afterEach(() => {
  for (const stop of stops) stop();
  vi.useRealTimers();
});

const identifier = `${tabPaymentId(hash('22'), 'rest')}`;

function nodeApp() {
  const app = new Hono().basePath('/api/v1');
  app.post('/payments/:token/:target', async (c) => {
    keys.push(c.req.header('idempotency-key') ?? '');
    const { amount, fee_included: isFeeIncluded } = await c.req.json();
    if (isFeeIncluded !== true) throw new Error('a rest costs its seller no fees');
    if (answer === 'failed') return c.json({ errors: 'no route', outcome: 'failed' }, 409);
    if (answer === 'pending') return c.json({ errors: 'ends', outcome: 'pending' }, 400);
    const addresses = { initiator_address: PAYER, target_address: PAYER, token_address: TOKEN };
    const paid = { amount, identifier, secret: hash('01'), secret_hash: hash('02') };
    return c.json({ ...addresses, ...paid });
  });
  app.get('/pending_transfers/:token', (c) =>
    isReadable
      ? c.json(pending.map((one) => ({ payment_identifier: one })))
      : c.json({ errors: 'no' }, 403),
  );
  app.get('/payments', (c) => {
    const found = history.filter((one) => one === c.req.query('identifier'));
    return c.json(found.map((one) => ({ event: 'EventPaymentSentSuccess', identifier: one })));
  });
  return app;
}

/** A program of the seller: it closes a tab, or starts with one that was closed at that time. */
function started(since: number | null): void {
  const app = nodeApp();
  const log = { info() {}, warn() {}, error() {} };
  const rests = createRests({
    ...{ node: 'http://node', token: null, log, now: () => now },
    fetch: async (input, init) => app.fetch(new Request(input, init)),
  });
  stops.push(rests.stop);
  const ending = { rest: 7n, attempt: 1, since: since ?? now, overAt: null };
  const tab = {
    ...{ id: hash('33'), key: hash('22'), payer: PAYER, token: TOKEN, received: 9n, lumps: 0 },
    ...{ charged: 2n, window: newWindow(), usedAt: 0, ending },
  } satisfies Tab;
  const note = async () => {};
  const told = { note, settled: async (over: Tab) => void settled.push(over) };
  if (since === null) rests.pay(tab, told);
  else rests.goOn(tab, told);
}

/** Until what was begun is over, without its pauses. */
async function passing(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

it('is paid under one key until that has certainly failed, and then under another', async () => {
  answer = 'pending';
  // Its token need not read: nobody else can have begun it.
  isReadable = false;
  started(null);
  await vi.waitFor(async () => {
    await passing(60_000);
    expect(keys.length).toBeGreaterThan(1);
  });
  expect(new Set(keys).size).toBe(1);
  answer = 'failed';
  await vi.waitFor(async () => {
    await passing(600_000);
    expect(new Set(keys).size).toBeGreaterThan(1);
  });
  answer = 'paid';
  await vi.waitFor(async () => {
    await passing(600_000);
    expect(settled).toHaveLength(1);
  });
  expect(keys[0]).toMatch(/-1$/);
  expect(keys).toEqual(keys.toSorted());
  expect(settled[0]?.ending).toMatchObject({ rest: 7n, overAt: now });
});

it('is not paid again by a program that starts anew when the node has made the payment, or makes it', async () => {
  pending = [identifier];
  started(now);
  await passing(1_000);
  expect(settled).toEqual([]);
  pending = [];
  history = [identifier];
  await vi.waitFor(async () => {
    await passing(60_000);
    expect(settled).toHaveLength(1);
  });
  expect(keys).toEqual([]);
});

it.each([
  ['at once, perhaps with another token', 0],
  ['days later', 2 * DAY_MS],
])('is not paid after a start %s while nobody can know whether it was', async (_, ms) => {
  isReadable = false;
  started(now - ms);
  await passing(600_000);
  expect(keys).toEqual([]);
  isReadable = true;
  await vi.waitFor(async () => {
    await passing(3_600_000);
    expect(settled).toHaveLength(1);
  });
  expect(keys).toHaveLength(1);
});
