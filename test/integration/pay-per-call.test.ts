/** Calls are sold and bought between real nodes: chain, broker, disk, HTTP. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromUnits } from '../../src/basics/digits.ts';
import { paymentHistory } from '../../src/client/client.ts';
import { type Devnet, startDevnet } from '../../src/devnet/devnet.ts';
import { guideText } from '../../src/devnet/guide.ts';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { GOODS, PRICE } from '../../src/devnet/shop.ts';
import { serve } from '../../src/http/server.ts';
import { openPaywall } from '../../src/paywall/open-paywall.ts';
import { parseRule } from '../../src/paywall/rules.ts';
import { channelClient } from '../../src/x402/client.ts';
import { mppxBuyer } from '../support/payment-scheme.ts';
import { callProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const log = { info() {}, warn() {}, error() {} };
const UNIT = 10n ** 14n;

let devnet: Devnet;
let ready: ReadyFile;
let ends: (() => Promise<void>)[];
/** What the server behind carol's paywall answers. */
let goods: () => Response;
let served: number;
/** Of carol's paywall. */
let url: string;

beforeAll(async () => {
  ends = [];
  devnet = startDevnet(
    {
      version: '0.0.0-test',
      nodes: 3,
      apiPort: 0,
      apiConcurrency: 20,
      apiQueueSeconds: 30,
      concurrentReads: false,
      settleTimeout: 500n,
      revealTimeout: 10n,
      blockTime: 1,
      data: null,
      nats: null,
      contracts: {},
      program: null,
      isOpen: true,
      openTimeouts: {},
      hasGates: false,
      hasServices: false,
      hasPaywall: true,
      network: null,
      readyFile: null,
    },
    {
      say() {},
      logOf: (_, onLine) => ({ ...log, info: (_facts, text) => onLine(text) }),
      onLine() {},
      onNodeEnded() {},
      onTrouble() {},
    },
  );
  ready = await devnet.ready;
  const upstream = await serve({
    app: {
      fetch: () => {
        served++;
        return goods();
      },
    },
    port: 0,
  });
  const rule = parseRule(`/v1/* 0.0001 ${token()}`);
  if (!rule.ok) throw new Error(rule.message);
  const paywall = await openPaywall(
    {
      rules: [rule.value],
      upstream: upstream.url,
      node: nodeOf('carol').api,
      token: null,
      payTo: null,
      decimals: new Map(),
      host: '127.0.0.1',
      port: 0,
      metricsPort: null,
      publicUrl: null,
      tabs: null,
      origins: [],
      offerSeconds: 60,
      key: '07'.repeat(32),
    },
    log,
  );
  ends.push(paywall.stop, upstream.close);
  url = paywall.url;
});
afterAll(async () => {
  for (const end of ends) await end();
  await devnet?.stop();
});

const token = () => ready.tokens[0]?.address ?? '0x';
function nodeOf(name: string) {
  const node = ready.nodes.find((one) => one.name === name);
  if (node === undefined) throw new Error(`there is no ${name}`);
  return node;
}

function channelOf(name: string, given: typeof fetch = fetch) {
  const caps = { most: UNIT, mostPerHost: 100n * UNIT, mostPerDay: 100n * UNIT };
  return channelClient({ node: nodeOf(name).api, asset: token(), fetch: given, ...caps });
}

/** A program with the node of that name. `fetch`: over which it reaches what it buys. */
function buyer(name: string, given: typeof fetch = fetch) {
  const channel = channelOf(name, given);
  return wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));
}

async function paidBy(name: string): Promise<number> {
  let count = 0;
  for await (const { event } of paymentHistory(nodeOf(name).api))
    if (event === 'EventPaymentSentSuccess') count++;
  return count;
}

describe('a call between real nodes', () => {
  it('is bought on a tab by the line that the devnet prints, one by its use, and the rest is paid back', async () => {
    const line = /^node (docs\/examples\/.*)$/m;
    const guide = guideText({ ready, isOpen: true, openTimeouts: {}, self: 'sluice' });
    const args = (line.exec(guide)?.[1] ?? '').replaceAll("'", '').split(' ');
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.match(/"Lindwurm"/g)).toHaveLength(3);
    expect(stdout.match(/"charged":"600000000000000"/g)).toHaveLength(3);
    // Of 100 units ahead: three times 1, and three times 6.
    expect(stdout).toMatch(/^paid 10000000000000000\n[\s\S]*^paid back: 7900000000000000\n$/m);
    const paidBack = async () => {
      for await (const entry of paymentHistory(nodeOf('bob').api))
        if (entry.event === 'EventPaymentSentSuccess' && entry.amount === '7900000000000000')
          return true;
      return false;
    };
    await until(paidBack, 'the rest is paid back');
  });

  it('is bought of a direct partner with the command', async () => {
    const goodsUrl = `${ready.paywall?.url}${GOODS}`;
    const args = ['fetch', goodsUrl, '--node', nodeOf('alice').api, '--most', PRICE];
    const [, url, ...rest] = args;
    expect(guideText({ ready, isOpen: true, openTimeouts: {}, self: 'sluice' })).toContain(
      ['sluice fetch', `'${url}'`, ...rest].join(' '),
    );
    const bought = await callProgram(args);
    expect(bought).toMatchObject({ code: 0, stdout: expect.stringContaining('"Lindwurm"') });
    expect(bought.stderr).toMatch(`It costs ${fromUnits(UNIT, 18)} `);
    expect(bought.stderr).toContain(token());
    const page = new URL('/devnet/', ready.inspector);
    expect(await (await fetch(page)).json()).toMatchObject({
      logs: expect.arrayContaining(['shop']),
    });
    const shown = await (await fetch(new URL('logs/shop', page))).json();
    expect(shown).toMatchObject({
      lines: expect.arrayContaining([expect.objectContaining({ text: 'sold' })]),
    });
  });

  it('is bought over a mediator, once for each call', async () => {
    goods = () => new Response('dry');
    served = 0;
    const before = await paidBy('alice');
    const buy = buyer('alice');
    for (const town of ['a', 'b', 'c'])
      expect(await (await buy(`${url}/v1/${town}`)).text()).toBe('dry');
    expect(served).toBe(3);
    expect(await paidBy('alice')).toBe(before + 3);
  });

  it('is bought by a client of mppx, in the words of the scheme Payment', async () => {
    goods = () => new Response('dry');
    served = 0;
    const before = await paidBy('alice');
    const place = `${url}/v1/other-words`;
    const answer = await mppxBuyer(channelOf('alice'), place)(place);
    expect([answer.status, await answer.text()]).toEqual([200, 'dry']);
    expect(answer.headers.has('payment-receipt')).toBe(true);
    expect([await paidBy('alice'), served]).toEqual([before + 1, 1]);
  });

  it('is bought by many at once', async () => {
    goods = () => new Response('dry');
    served = 0;
    const buy = buyer('alice');
    const calls = Array.from({ length: 20 }, async () => (await buy(`${url}/v1/many`)).status);
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
    expect(served).toBe(20);
  });

  it('that was not served is asked for again with the same payment', async () => {
    const before = await paidBy('alice');
    const buy = buyer('alice');
    for (const status of [500, 503]) {
      goods = () => new Response('', { status });
      expect((await buy(`${url}/v1/late`)).status).toBe(status);
    }
    goods = () => new Response('dry');
    expect((await buy(`${url}/v1/late`)).status).toBe(200);
    expect(await paidBy('alice')).toBe(before + 1);
  });

  it('is served once, however often its proof is shown at once', async () => {
    goods = () => new Response('dry');
    let header = '';
    const spy: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      header = request.headers.get('payment-signature') ?? header;
      // Only its proof is wanted.
      return request.headers.has('payment-signature')
        ? new Response('', { status: 500 })
        : fetch(request);
    };
    await buyer('alice', spy)(`${url}/v1/once`);
    served = 0;
    const shown = await Promise.all(
      Array.from({ length: 10 }, () =>
        fetch(`${url}/v1/once`, { headers: { 'payment-signature': header } }),
      ),
    );
    expect(shown.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(served).toBe(1);
    const refused = shown.find(({ status }) => status === 402);
    expect(await refused?.json()).toMatchObject({ error: 'duplicate_settlement' });
  });
});
