/** What enemies of a tab try: buyers, sellers, and deaths of programs at the wrong moment. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import * as Hash from 'ox/Hash';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Hex } from '../../src/basics/hex.ts';
import { openBook } from '../../src/tabs/book.ts';
import { createLumps, type Live } from '../../src/tabs/lumps.ts';
import { createRests } from '../../src/tabs/rests.ts';
import { newWindow } from '../../src/tabs/window.ts';
import { type ChannelClientOptions, channelClient } from '../../src/x402/client.ts';
import { macOf, tabKey, ticketPayload } from '../../src/x402/ticket.ts';
import { openTabShop, type TabShop, UNIT } from '../support/tab-shop.ts';
import { until } from '../support/until.ts';
import { ASSET, PAYER, PAYER_URL, SELLER } from '../support/x402-market.ts';

/** What the seller makes of a call: null: what an honest one does. */
type Tampering = (request: Request, honest: () => Promise<Response>) => Promise<Response>;

let shop: TabShop;
let behind: RequestListener;
let tampering: Tampering;
let proofs: string[];

beforeEach(async () => {
  behind = (_, response) => void response.end('dry');
  tampering = (_, honest) => honest();
  proofs = [];
  shop = await openTabShop(['/v1/* 0.0001', '/bytes/* 0.0001 per byte up to 0.001'], (...call) =>
    behind(...call),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  return shop.close();
});

function program(others: Partial<ChannelClientOptions> = {}) {
  const spy: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(shop.url)) return shop.market.fetch(request);
    proofs.push(request.headers.get('payment-signature') ?? '');
    return tampering(request, () => shop.market.fetch(request));
  };
  const caps = { most: 20n * UNIT, mostPerHost: 9_000n * UNIT, mostPerDay: 9_000n * UNIT };
  const channel = channelClient({
    ...{ node: PAYER_URL, asset: ASSET, fetch: spy, ...caps, mostOnTab: 500n * UNIT },
    ...others,
  });
  const buy = wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));
  return { channel, buy };
}

const HASH = `0x${'33'.repeat(32)}` as const;
const TICKET = {
  ...{ tab: HASH, counter: 1, from: 1, most: 1n, isLast: false, mac: HASH },
};
const liveTab = (): Live => ({
  tab: {
    ...{ id: HASH, key: HASH, payer: PAYER, token: ASSET, received: 9n, lumps: 0, charged: 0n },
    ...{ window: newWindow(), usedAt: 0, ending: null },
  },
  ...{
    aside: 0n,
    calls: 0,
    lump: null,
    lumpFrom: 0,
    lumpPauseMs: 0,
    shown: null,
    lumpsWritten: 0,
    isEnding: false,
  },
});

const secretHashOf = (secret: Hex) => Hash.sha256(secret, { as: 'Hex' });
const payments = () =>
  [...shop.market.payments.values()].map(({ amount }) => Number(amount / UNIT));
const sum = (amounts: number[]) => amounts.reduce((one, other) => one + other, 0);
const rests = () => sum([...shop.market.rests.values()].map(({ amount }) => Number(amount / UNIT)));
const isProof = (request: Request) => request.headers.has('payment-signature');

describe('a seller', () => {
  it.each([
    ['serves it and says nothing of the tab', () => new Response('dry')],
    ['fails each time', () => new Response('', { status: 500 })],
  ])('is paid ahead once when it %s', async (_, answer) => {
    tampering = async (request, honest) => (isProof(request) ? answer() : honest());
    const { buy } = program();
    for (let call = 0; call < 5; call++) await buy(`${shop.url}/v1/${call}`);
    expect(payments().filter((amount) => amount >= 100)).toHaveLength(1);
  });

  it('has no more on its tabs than one of them may have, whatever its ports', async () => {
    const other = await openTabShop(['/v1/* 0.0001'], (_, response) => void response.end('wet'));
    const { buy } = program({
      mostOnTab: 150n * UNIT,
      mostOnTabs: 900n * UNIT,
      fetch: (input, init) => {
        const request = new Request(input, init);
        return new URL(request.url).port === '' ? shop.market.fetch(request) : fetch(request);
      },
    });
    await buy(`${shop.url}/v1/a`);
    // The other one's node knows no such payment: what counts is what is paid.
    await buy(`${other.url}/v1/a`).catch(() => {});
    await other.close();
    expect(payments().filter((amount) => amount >= 100)).toHaveLength(1);
  });
});

/** Serves a call that costs so many units. */
const bytes =
  (count: number): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'content-length': count }).end('a'.repeat(count));

describe('what was paid ahead', () => {
  it('is seen by the seller at once, so that it comes back when no call does', async () => {
    const { buy } = program();
    behind = bytes(10);
    for (let call = 0; call < 8; call++) await (await buy(`${shop.url}/bytes/a`)).text();
    await until(() => payments().length === 2, 'the next payment is made');
    const paid = BigInt(sum(payments())) * UNIT;
    await until(
      () => shop.tabs.figures().held.get(ASSET) === paid - 80n * UNIT,
      'the seller has seen it',
    );
  });

  it('is waited for when the tab is closed meanwhile', async () => {
    const { channel, buy } = program();
    behind = bytes(10);
    let pay: () => void = () => {};
    const isPaid = new Promise<void>((resolve) => {
      pay = resolve;
    });
    for (let call = 0; call < 7; call++) await (await buy(`${shop.url}/bytes/a`)).text();
    const { fetch: honest } = shop.market;
    shop.market.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (request.url.startsWith(PAYER_URL)) await isPaid;
      return honest(request);
    };
    await (await buy(`${shop.url}/bytes/a`)).text();
    const closed = channel.closeTabs();
    pay();
    await closed;
    await until(() => shop.tabs.figures().count === 0, 'the rest is paid');
    expect(rests()).toBe(sum(payments()) - 80);
  });
});

describe('a further payment', () => {
  async function toppedUp(buy: ReturnType<typeof program>['buy']): Promise<void> {
    behind = bytes(10);
    for (let call = 0; call < 8; call++) await (await buy(`${shop.url}/bytes/a`)).text();
    await until(() => payments().length === 2, 'the next payment is made');
  }
  const held = () => Number((shop.tabs.figures().held.get(ASSET) ?? 0n) / UNIT);

  it('counts when the answer of the node that has redeemed it was lost', async () => {
    const { buy } = program();
    await buy(`${shop.url}/v1/a`);
    let lost = 0;
    shop.market.hooks.afterSettle = () => {
      lost++;
      return new Response('lost', { status: 400 });
    };
    vi.spyOn(Date, 'now').mockImplementation(() => 1_800_000_000_000 + 3_000 * lost);
    await toppedUp(buy);
    await until(() => lost > 0, 'it is redeemed');
    delete shop.market.hooks.afterSettle;
    await until(async () => {
      await buy(`${shop.url}/v1/a`);
      return held() > 100;
    }, 'it counts');
  });

  it('is asked for again without a call when the node was away', async () => {
    const { buy } = program();
    let asked = 0;
    shop.market.hooks.beforeSettle = () => {
      asked++;
      return asked === 1 ? undefined : new Response('away', { status: 400 });
    };
    await toppedUp(buy);
    await until(() => asked === 2, 'the node was asked');
    delete shop.market.hooks.beforeSettle;
    await until(() => held() > 100, 'it counts');
  }, 30_000);

  it('is on the tab when the tab is closed while the node is away', async () => {
    const { channel, buy } = program();
    let asked = 0;
    shop.market.hooks.beforeSettle = () => {
      asked++;
      return asked === 1 ? undefined : new Response('away', { status: 400 });
    };
    await toppedUp(buy);
    await until(() => asked === 2, 'the node was asked');
    const closed = channel.closeTabs();
    await until(() => proofs.length >= 11, 'the seller is asked');
    delete shop.market.hooks.beforeSettle;
    expect(await closed).toBeGreaterThan(100n * UNIT);
    await until(() => shop.tabs.figures().count === 0, 'the rest is paid');
    expect(rests()).toBe(sum(payments()) - 80);
  }, 30_000);

  it('is asked for ever more rarely when there is none', async () => {
    const redeem = vi.fn(() => Promise.resolve(null));
    let now = 0;
    const told = { note() {}, finish() {}, written: async () => {}, redeem, now: () => now };
    const credit = createLumps(told);
    const one = liveTab();
    const lump = { number: 1, payer: PAYER, secret: `0x${'55'.repeat(32)}` } as const;
    for (; now < 86_400_000; now += 500) {
      credit(one, { ...TICKET, lump });
      await one.lump;
    }
    expect(redeem.mock.calls.length).toBeLessThan(200);
  });
});

describe('a buyer', () => {
  it('opens one tab and has one call for a proof that it shows many times at once', async () => {
    let served = 0;
    behind = (_, response) => {
      served++;
      response.end('dry');
    };
    const { buy } = program();
    let opening = '';
    tampering = (request, honest) => {
      opening = request.headers.get('payment-signature') ?? opening;
      return isProof(request) ? Promise.reject(new TypeError('cut')) : honest();
    };
    await expect(buy(`${shop.url}/v1/a`)).rejects.toThrow();
    const headers = { 'payment-signature': opening };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => fetch(`${shop.url}/v1/a`, { headers })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(served).toBe(1);
    expect(shop.tabs.figures().held.get(ASSET)).toBe(99n * UNIT);
  });

  it('has nothing counted twice by showing one payment as several further ones', async () => {
    const { buy } = program();
    await (await buy(`${shop.url}/v1/a`)).text();
    const said = JSON.parse(atob(proofs.at(-1) ?? ''));
    const { secret } = said.payload;
    const id = secretHashOf(secret);
    const key = tabKey(secret, said.accepted.extra.tag);
    const place = { method: 'GET', url: `${shop.url}/v1/a` };
    for (const [counter, number] of [
      [1, 1],
      [2, 1],
      [3, 2],
    ] as const) {
      const lump = { number, payer: PAYER, secret } as const;
      const ticket = { tab: id, counter, from: 0, most: UNIT, isLast: counter === 3, lump };
      const signed = { ...ticket, mac: macOf(key, ticket, place) };
      const proof = { x402Version: 2, accepted: said.accepted, payload: ticketPayload(signed) };
      await fetch(place.url, { headers: { 'payment-signature': btoa(JSON.stringify(proof)) } });
    }
    expect(shop.tabs.figures().held.get(ASSET)).toBe(97n * UNIT);
  });

  it('has no more of what costs nothing by breaking off than of what is refused', async () => {
    let asked = 0;
    let over = 0;
    behind = (_, response) => {
      asked++;
      response.on('close', () => over++);
      response.writeHead(200).flushHeaders();
    };
    const { buy } = program();
    const statuses: number[] = [];
    for (let call = 0; call < 130; call++) {
      const ending = new AbortController();
      const answer = await buy(`${shop.url}/bytes/a`, { signal: ending.signal });
      statuses.push(answer.status);
      ending.abort();
      await until(() => over === asked, 'the paywall has seen it');
    }
    expect(statuses).toContain(429);
    expect(asked).toBeLessThan(130);
  }, 30_000);
});

describe('a tab that is closed', () => {
  it.each<[string, Tampering]>([
    ['is away', () => Promise.reject(new TypeError('fetch failed'))],
    [
      'sends an answer without an end',
      () =>
        Promise.resolve(
          new Response(
            new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(9_999)) }),
          ),
        ),
    ],
    ['says nonsense', () => Promise.resolve(Response.json({ rest: '-5' }))],
  ])('is kept when its seller %s, and can be closed later', async (_, answer) => {
    const { channel, buy } = program();
    await buy(`${shop.url}/v1/a`);
    tampering = answer;
    expect(await channel.closeTabs()).toBe(0n);
    tampering = (_, honest) => honest();
    expect(await channel.closeTabs()).toBe(99n * UNIT);
  });
});

describe('a seller that can open no tab', () => {
  it('offers none, and takes what was paid for one when it can', async () => {
    const { buy } = program();
    tampering = async (request, honest) => {
      vi.spyOn(shop.tabs, 'hasRoom').mockReturnValue(!isProof(request));
      return honest();
    };
    await expect(buy(`${shop.url}/v1/a`)).rejects.toThrow();
    expect(payments()).toEqual([100]);
    vi.restoreAllMocks();
    tampering = (_, honest) => honest();
    expect((await buy(`${shop.url}/v1/a`)).status).toBe(200);
    expect(payments()).toEqual([100]);
    vi.spyOn(shop.tabs, 'hasRoom').mockReturnValue(false);
    const other = program();
    expect((await other.buy(`${shop.url}/v1/a`)).status).toBe(200);
    expect(payments()).toEqual([100, 1]);
  });
});

describe('the rest of a tab', () => {
  it('is paid though many others cannot be, again and again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const log = { info() {}, warn() {}, error() {} };
    let hanging = 0;
    const asked = vi.fn();
    const told = { note: async () => {}, settled: vi.fn(async () => {}) };
    const pays: typeof fetch = async (input) => {
      const { url } = new Request(input);
      if (!url.includes('/payments/')) return Response.json([]);
      if (url.includes(PAYER)) asked();
      // Each was refused once; then its payment does not end.
      hanging++;
      if (hanging <= 20) return Response.json({ outcome: 'failed', errors: '' }, { status: 409 });
      return new Promise<Response>(() => {});
    };
    const rest = createRests({ node: 'http://node', token: null, fetch: pays, log, now: () => 0 });
    const ending = { rest: 7n, attempt: 1, since: 0, overAt: null };
    for (let at = 0; at < 20; at++) {
      const id = `0x${`${at}`.padStart(64, '0')}` as const;
      rest.pay({ ...liveTab().tab, id, payer: SELLER, ending }, told);
    }
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(2_000);
      expect(hanging).toBeGreaterThanOrEqual(24);
    });
    rest.pay({ ...liveTab().tab, ending }, told);
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    rest.stop();
    vi.useRealTimers();
  });
});

describe('a seller that is killed', () => {
  it('has on its disk what calls came to before, also when none followed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-tabs-'));
    const file = join(folder, 'tabs.db');
    const opened = openBook(file, { chainId: 1n, payTo: SELLER });
    if (!opened.ok) throw new Error(opened.message);
    opened.book.note({ ...liveTab().tab, charged: 5n });
    let copies = 0;
    // What another process would find that starts on the same disk.
    const found = (): bigint | undefined => {
      const copy = join(folder, `copy-${copies++}.db`);
      for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`);
      const other = openBook(copy, { chainId: 1n, payTo: SELLER });
      if (!other.ok) throw new Error(other.message);
      const charged = other.book.load()[0]?.charged;
      other.book.close();
      return charged;
    };
    await until(() => found() === 5n, 'it is written');
    opened.book.close();
    rmSync(folder, { recursive: true });
  });
});
