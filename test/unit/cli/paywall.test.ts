/** `sluice paywall` sells what `sluice fetch` buys; the nodes of both answer by heart. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listening } from '../../support/http-server.ts';
import { mppxServer } from '../../support/payment-scheme.ts';
import { beginProgram, callProgram, type Program } from '../../support/program.ts';
import { ASSET, createMarket, type Market, NETWORK, SELLER } from '../../support/x402-market.ts';

let market: Market;
let folder: string;
let ends: (() => unknown)[];
let payer: string;
let seller: string;
let upstream: string;
let answer: RequestListener;

beforeEach(async () => {
  ends = [];
  market = createMarket();
  folder = mkdtempSync(join(tmpdir(), 'paywall-'));
  answer = (request, response) => void response.end(`${request.method} ${request.url}\n`);
  payer = await listening(getRequestListener(market.payer.fetch), ends);
  seller = await listening(getRequestListener(market.seller.fetch), ends);
  upstream = await listening((request, response) => answer(request, response), ends);
});
afterEach(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true });
});

const RULE = `GET /v1/* 0.0001 ${ASSET}`;
const keyFile = () => join(folder, 'data', 'key');

async function open(...more: string[]): Promise<{ url: string; program: Program }> {
  const program = beginProgram([
    ...['paywall', '--upstream', upstream, '--node', seller, '--key-file', keyFile()],
    ...['--price', RULE, '--price', '/health free', ...more],
  ]);
  ends.push(async () => {
    program.signal('SIGTERM');
    await program.ended;
  });
  const [, url = ''] = await program.says(/^ready: (\S+)$/m);
  return { url, program };
}

const buy = (...args: string[]) => callProgram(['fetch', '--node', payer, ...args]);

describe('sluice fetch', () => {
  it('pays within what it may, and prints the answer', async () => {
    const { url, program } = await open('--log-level', 'info');
    const bought = await buy(`${url}/v1/weather?town=Lindwurm`, '--most', '0.001');
    expect(bought).toMatchObject({ code: 0, stdout: 'GET /v1/weather?town=Lindwurm\n' });
    expect(bought.stderr).toMatch(
      /^It costs 0\.0001 TTT \(token 0x5a.*\)\.\nPaid: payment \d+ \(0x[0-9a-f]{64}\)\.\n$/,
    );
    expect(program.stderr()).toMatch(/INFO {2}sold {2}method=GET path=\/v1\/weather/);
    const [payment] = [...market.payments.values()];
    expect(program.stderr()).toMatch(/secretHash=0x[0-9a-f]{64} .*amount=0\.0001/);
    expect(program.stderr()).not.toContain(payment?.secret.slice(2));
  });

  it.each([
    [['--dry-run', '--most', '1'], 0, 'It costs 0.0001'],
    [[], 1, 'nothing is paid without --most 0.0001'],
    [['--most', '0.00009'], 1, 'more than --most 0.00009'],
    [['--most', 'much'], 1, '--most is no amount'],
    [['--most', '1', '--token', payerToken()], 1, `it takes ${ASSET}, not`],
  ])('pays nothing with %j', async (args, code, text) => {
    const { url } = await open();
    const refused = await buy(`${url}/v1/weather`, ...args);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(text);
    expect(market.payments.size).toBe(0);
  });

  it.each([
    [{ asset: '\x1b[2J' }, 'it takes ?[2J, not'],
    [{ amount: '5\x1b[2J' }, 'it takes'],
    [{}, '(?[2J?Nothing is paid.)'],
  ])('shows no signs of a server that move the cursor: %j', async (change, text) => {
    const extra = { paymentId: '5', expires: Math.floor(Date.now() / 1_000) + 60 };
    const offer = { scheme: 'channel', network: NETWORK, amount: '5', asset: ASSET, payTo: SELLER };
    const accepts = [{ ...offer, ...change, extra: { ...extra, tag: `0x${'00'.repeat(32)}` } }];
    const demand = { x402Version: 2, error: '\x1b[2J\rNothing is paid.', accepts };
    const header = Buffer.from(JSON.stringify(demand)).toString('base64');
    answer = (_, response) => void response.writeHead(402, { 'payment-required': header }).end();
    const { stderr } = await buy(upstream, '-d', 'a', '--most', '1', '--token', ASSET);
    expect(stderr).toContain(text);
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('asks for what is free without a node, and with the words of curl', async () => {
    const { url } = await open();
    answer = async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end(`${request.method} ${request.headers['x-a']} ${Buffer.concat(chunks)}`);
    };
    const args = ['-X', 'PUT', '-d', 'a,b: c', '-H', 'X-A: 1, 2', '-H', 'X-B: 3'];
    const free = await callProgram(['fetch', `${url}/health`, ...args]);
    expect(free).toMatchObject({ code: 0, stdout: 'PUT 1, 2 a,b: c' });
    const missing = await callProgram(['fetch', `${url}/else`]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('404') });
  });

  it('asks again with the same proof when the server fails', async () => {
    const { url } = await open();
    let times = 0;
    answer = (_, response) => void response.writeHead(++times === 1 ? 503 : 200).end('late');
    const bought = await buy(`${url}/v1/weather`, '--most', '1');
    expect(bought).toMatchObject({ code: 0, stdout: 'late' });
    expect(market.payments.size).toBe(1);
  });
});

describe('sluice paywall --price-from', () => {
  const RULE_ASKED = `GET /asked/* asked up to 0.01 ${ASSET}`;

  it('sells for what the server behind says itself that a call costs', async () => {
    answer = (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', upstream);
      const called = new URL(searchParams.get('url') ?? upstream);
      const price = `0.${called.searchParams.get('days')}`;
      response.end(pathname === '/prices' ? JSON.stringify({ price }) : 'dry');
    };
    const { url } = await open('--price', RULE_ASKED, '--price-from', `${upstream}/prices`);
    const bought = await buy(`${url}/asked/weather?days=0003`, '--most', '0.0003');
    expect(bought).toMatchObject({ code: 0, stdout: 'dry' });
    expect(bought.stderr).toMatch(/^It costs 0\.0003 TTT/);
    const dear = await buy(`${url}/asked/weather?days=9999`, '--most', '1');
    expect(dear.stderr).toContain('503');
    expect(market.payments.size).toBe(1);
  });

  it('is needed for a rule that asks', async () => {
    const args = ['paywall', '--upstream', upstream, '--node', seller, '--key-file', keyFile()];
    const refused = await callProgram([...args, '--price', RULE_ASKED]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--price-from') });
  });
});

describe('sluice fetch of what asks in other words', () => {
  it('pays a challenge of the scheme Payment', async () => {
    const shop = mppxServer(market, () => new Response('dry'));
    const url = await listening(getRequestListener(shop), ends);
    const bought = await buy(`${url}/v1/weather`, '--most', '0.0001');
    expect(bought).toMatchObject({ code: 0, stdout: 'dry' });
    expect(bought.stderr).toMatch(/^It costs 0\.0001 TTT .*\nPaid: payment/);
    expect(market.payments.size).toBe(1);
  });

  it('has such a challenge beside what it offers itself', async () => {
    const { url } = await open();
    const answer = await fetch(`${url}/v1/weather`);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Payment id="0x/);
  });
});

describe('sluice fetch of what is refused', () => {
  const payment = () => `(payment ${[...market.payments.values()][0]?.identifier})`;
  const CHARGED = '; it was charged';
  const NOT = '; it was not charged';
  it.each([
    [404, {}, '', `answers 404 Not Found${NOT}`],
    [404, { location: '/a' }, ' charging 404', `answers 404 Not Found${CHARGED}`],
    [302, { location: '/other?a=1' }, '', `answers 302 Found and leads to URL/other?a=1${NOT}`],
    [302, { location: 'x' }, ' charging 3xx', `answers 302 Found and leads to URL/v1/x${CHARGED}`],
    [307, { location: '//[' }, '', `answers 307 Temporary Redirect and leads to //[${NOT}`],
    [304, {}, '', `answers 304 Not Modified${NOT}`],
  ])('says so for %s %j under a rule that ends in "%s"', async (status, headers, terms, text) => {
    const { url } = await open('--price', `GET /v1/w* 0.0001 ${ASSET}${terms}`);
    answer = (_, response) => void response.writeHead(status, headers).end();
    const bought = await buy(`${url}/v1/weather`, '--most', '1');
    expect(bought.code).toBe(1);
    expect(bought.stderr.trimEnd().split('\n').slice(2)).toEqual([
      expect.stringContaining(
        `sluice: ${new URL(url).host} ${text.replace('URL', url)} ${payment()}`,
      ),
    ]);
  });

  it.each([
    ['/v1/weather', 2, () => `${CHARGED} ${payment()}`],
    ['/health', 0, () => ''],
  ])('says in one line that the answer of %s was cut off', async (path, before, end) => {
    const { url, program } = await open();
    answer = (request, response) => {
      response.writeHead(200, { 'content-length': '100000' });
      response.write('half');
      setTimeout(() => request.socket.destroy(), 100);
    };
    const bought = await buy(`${url}${path}`, '--most', '1');
    expect(bought).toMatchObject({ code: 1, stdout: 'half' });
    expect(bought.stderr.trimEnd().split('\n').slice(before)).toEqual([
      `sluice: the answer of ${new URL(url).host} (200) was cut off after 4 bytes${end()}`,
    ]);
    expect(program.stderr()).toMatch(/WARN {2}the answer was cut off by the server behind/);
    expect(program.stderr()).not.toContain('    at ');
  });
});

describe('sluice fetch -d', () => {
  it('asks again when the payment had not come yet, and not when something may have been done', async () => {
    const { url } = await open('--price', `POST /v1/* 0.0001 ${ASSET}`);
    const pending = {
      success: false,
      errorReason: 'payment_pending',
      transaction: '',
      network: '',
    };
    let times = 0;
    market.hooks.beforeSettle = () => (++times === 1 ? Response.json(pending) : undefined);
    const bought = await buy(`${url}/v1/order`, '-d', 'a', '--most', '1');
    expect(bought).toMatchObject({ code: 0, stdout: 'POST /v1/order\n' });
    expect(market.payments.size).toBe(1);
    let asked = 0;
    answer = (_, response) => {
      asked++;
      response.writeHead(500).end();
    };
    const failed = await buy(`${url}/v1/order`, '-d', 'a', '--most', '1');
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('500') });
    expect(asked).toBe(1);
  });
});

function payerToken(): string {
  return '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
}

describe('sluice paywall', () => {
  it('lets pages of named origins buy', async () => {
    const { url } = await open('--cors', 'https://app.example');
    const { headers } = await fetch(`${url}/v1/a`, { headers: { origin: 'https://app.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(headers.get('access-control-expose-headers')).toContain('payment-required');
  });

  it('keeps the key of its offers where only its user reads it', async () => {
    await open();
    expect(readFileSync(keyFile(), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(keyFile()).mode & 0o077).toBe(0);
  });

  it('takes rules of a file, and serves metrics', async () => {
    const prices = join(folder, 'prices');
    writeFileSync(prices, `# our prices\nPOST /v1/* 2 ${ASSET}\n`);
    const { url, program } = await open(
      '--prices',
      prices,
      '--metrics-port',
      '0',
      '--log-level',
      'info',
    );
    expect((await fetch(`${url}/v1/a`, { method: 'POST' })).status).toBe(402);
    const [, port = ''] = /serving metrics {2}port=(\d+)/.exec(program.stderr()) ?? [];
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain(
      `sluice_paywall_unpaid_total{rule="POST /v1/* 2 ${ASSET}"} 1`,
    );
  });

  it('works with a token that may only redeem, when it is told what that may not read', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'a-token-of-the-scope-receive', { mode: 0o600 });
    const locked = await listening(
      getRequestListener((request) =>
        new URL(request.url).pathname.startsWith('/x402/')
          ? market.seller.fetch(request)
          : Response.json({ errors: 'no', code: 'forbidden' }, { status: 403 }),
      ),
      ends,
    );
    const access = ['--node', locked, '--token-file', tokenFile];
    const given = ['paywall', '--upstream', upstream, '--key-file', keyFile(), '--price', RULE];
    const refused = await callProgram([...given, ...access]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--pay-to') });
    const half = await callProgram([...given, ...access, '--pay-to', payerToken()]);
    expect(half).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`--decimals ${ASSET}=18`),
    });
    const told = [...access, '--pay-to', payerToken(), '--decimals', `${ASSET}=18`];
    const { url } = await open(...told);
    expect((await buy(`${url}/v1/weather`, '--most', '1')).code).toBe(0);
    expect(market.tokens).toEqual(['Bearer a-token-of-the-scope-receive']);
  });

  it.each([
    [['--price', 'GET /v1/* much'], 'no price above 0'],
    [['--price', RULE, '--price', RULE], 'same calls'],
    [['--price', RULE, '--node', 'http://127.0.0.1:2'], "the seller's node"],
    [['--price', `GET /v1 1 ${payerToken()}`], 'knows no network'],
    [['--price', `GET /v1 0.0000000000000000001 ${ASSET}`], 'more digits'],
    [['--price', `/a 0.1 ${ASSET} charging 404,422,/b 0.1 ${ASSET} x`], '"/b 0.1 '],
    [['--price', `/a up to 0.1 ${ASSET}`, '--tab', `0.01 0.05 ${ASSET}`], 'may lie on a tab'],
    [[], 'nothing has a price'],
  ])(
    'does not start with %j',
    async (args, text) => {
      const given = ['paywall', '--upstream', upstream, '--node', seller, '--key-file', keyFile()];
      const refused = await callProgram([...given, ...args]);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(text) });
      expect(existsSync(keyFile()) || args.length > 0).toBe(args.length > 0);
    },
    30_000,
  );
});
