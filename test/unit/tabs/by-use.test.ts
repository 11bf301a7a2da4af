/** Calls that cost what they come to, between a paywall and buying programs, with nodes that answer by heart. */
import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTabShop, type TabShop, UNIT } from '../../support/tab-shop.ts';
import { until } from '../../support/until.ts';

const RULES = [
  '/named/* up to 0.001',
  '/bytes/* 0.00001 per byte up to 0.001',
  '/events/* 0.0001 per event up to 0.0005',
  '/tokens/* 0.00001 per token up to 0.001',
  '/fixed/* 0.0001',
];

let shop: TabShop;
let behind: RequestListener;
/** How many calls the server behind has, and how many of them were broken off. */
let calls: number;
let broken: number;

beforeEach(async () => {
  calls = 0;
  broken = 0;
  shop = await openTabShop(RULES, (request, response) => {
    calls++;
    response.on('close', () => {
      if (!response.writableFinished) broken++;
    });
    behind(request, response);
  });
});
afterEach(() => shop.close());

const answers =
  (headers: Record<string, string | string[]>, body = 'dry', status = 200): RequestListener =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
      .end(body);

function stream(
  write: (response: ServerResponse) => void,
  type = 'text/event-stream',
): RequestListener {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type });
    write(response);
  };
}

const receiptOf = ({ headers }: Response) =>
  JSON.parse(atob(headers.get('payment-response') ?? ''));
const inUnits = (text: string): number => Number(BigInt(text)) / Number(UNIT);
const paymentOf = (text: string) =>
  JSON.parse(/event: payment\ndata: (.*)\n\n$/.exec(text)?.[1] ?? 'null');

async function bought(path: string, buy = shop.buyer()): Promise<Response> {
  const answer = await buy(`${shop.url}${path}`);
  expect(answer.status).toBeLessThan(500);
  return answer;
}

describe('a call that costs what the server behind says', () => {
  it('is charged so, and the answer says it in the receipt alone', async () => {
    behind = answers({ price: '0.0003' });
    const answer = await bought('/named/a');
    expect(answer.headers.get('price')).toBeNull();
    const { amount, tab } = receiptOf(answer);
    expect([inUnits(amount), inUnits(tab.total), inUnits(tab.left)]).toEqual([3, 3, 97]);
    expect(await answer.text()).toBe('dry');
    expect(shop.earned()).toBe(3);
    expect(shop.lines.at(-1)).toMatchObject(['sold', { amount: '0.0003' }]);
  });

  it.each([
    ['more than the most', { price: '7' }, 10],
    ['less than nothing', { price: '-5' }, 0],
    ['no number', { price: 'NaN' }, 0],
    ['it twice', { price: ['0.0001', '0.0001'] }, 0],
    ['nothing', {}, 10],
  ])('costs no more than the most when it names %s', async (_, headers, units) => {
    behind = answers(headers);
    const buy = shop.buyer();
    for (const _ of [1, 2]) await bought('/named/a', buy);
    expect(shop.earned()).toBe(2 * units);
    const warnings = shop.lines.filter(([text]) => text.startsWith('the server behind'));
    expect(warnings).toHaveLength('price' in headers && units === 10 ? 0 : 1);
  });

  it('costs nothing when it is refused, whatever price is named', async () => {
    behind = answers({}, 'no such town', 422);
    expect((await bought('/named/a')).status).toBe(422);
    behind = answers({ price: '0.0002' }, 'no such town', 422);
    expect((await bought('/named/a')).status).toBe(422);
    expect(shop.earned()).toBe(0);
  });

  it('may say it behind the answer', async () => {
    behind = stream((response) => {
      response.write('dry');
      response.addTrailers({ Price: '0.0004' });
      response.end();
    }, 'text/plain');
    const buy = shop.buyer();
    const answer = await bought('/named/a', buy);
    expect(await answer.text()).toBe('dry');
    expect(receiptOf(answer)).not.toHaveProperty('amount');
    expect(shop.earned()).toBe(4);
    behind = answers({ price: '0.0003' });
    expect(inUnits(receiptOf(await bought('/named/a', buy)).tab.total)).toBe(7);
  });

  it('costs the most when its buyer hangs up before that', async () => {
    behind = stream((response) => void response.write('dry'), 'text/plain');
    const answer = await bought('/named/a');
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await until(() => shop.earned() === 10, 'it is charged');
    await until(() => broken === 1, 'the server behind is told');
  });

  it('costs a buyer without a tab the most, which says so', async () => {
    behind = answers({ price: '0.0003' });
    const answer = await bought('/named/a', shop.buyer(0n));
    expect(answer.headers.get('price')).toBeNull();
    expect(inUnits(receiptOf(answer).amount)).toBe(10);
    expect([...shop.market.payments.values()].map(({ amount }) => amount)).toEqual([10n * UNIT]);
    expect(shop.lines.at(-1)).toMatchObject(['sold', { amount: '0.001' }]);
  });
});

describe('a call that costs by the byte', () => {
  it('is charged when it begins, if it is short', async () => {
    behind = answers({}, 'abcdefg');
    const answer = await bought('/bytes/a');
    expect(await answer.text()).toBe('abcdefg');
    expect(inUnits(receiptOf(answer).amount)).toBe(0.7);
  });

  it('ends when it has come to the most, and so does the call to the server behind', async () => {
    behind = stream((response) => {
      const timer = setInterval(() => response.write('0123456789'), 1);
      response.on('close', () => clearInterval(timer));
    }, 'text/plain');
    const answer = await bought('/bytes/a');
    expect(await answer.text()).toBe('0123456789'.repeat(10));
    expect(shop.earned()).toBe(10);
    await until(() => broken === 1, 'the server behind is told');
  });

  it('is whole when its length was told, and costs no more than the most', async () => {
    behind = answers({}, 'x'.repeat(100_000));
    const answer = await bought('/bytes/a');
    expect((await answer.text()).length).toBe(100_000);
    await until(() => shop.earned() === 10, 'it is charged');
  });

  it('costs nothing when a short answer is broken off, of which nothing has passed', async () => {
    behind = (_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('abc', () => response.destroy());
    };
    expect((await shop.buyer()(`${shop.url}/bytes/a`)).status).toBe(502);
    expect(shop.earned()).toBe(0);
  });

  it('costs what has passed when a stream is broken off', async () => {
    behind = stream(
      (response) => void response.write('abc', () => response.destroy()),
      'text/plain',
    );
    await expect((await bought('/bytes/a')).text()).rejects.toThrow();
    await until(() => shop.earned() === 0.3, 'it is charged');
  });

  it('is bounded for a buyer without a tab, too', async () => {
    behind = stream((response) => void response.end('x'.repeat(1_000)), 'text/plain');
    expect((await (await bought('/bytes/a', shop.buyer(0n))).text()).length).toBe(100);
  });
});

describe('a stream of events', () => {
  const endless = stream((response) => {
    let number = 0;
    const timer = setInterval(() => response.write(`data: ${++number}\n\n`), 1);
    response.on('close', () => clearInterval(timer));
  });

  it('says in a last event what it came to, and its buyer learns it from the next answer', async () => {
    behind = stream((response) => void response.end('data: 1\n\ndata: 2\n\n'));
    const buy = shop.buyer();
    const text = await (await bought('/events/a', buy)).text();
    expect(text).toMatch(/^data: 1\n\ndata: 2\n\n/);
    const { charged, left, ...others } = paymentOf(text);
    expect([inUnits(charged), inUnits(left), others]).toEqual([2, 98, {}]);
    behind = answers({});
    const { amount, tab } = receiptOf(await bought('/fixed/a', buy));
    expect([inUnits(amount), inUnits(tab.total)]).toEqual([1, 3]);
  });

  it('ends with the most, and says so', async () => {
    behind = endless;
    const text = await (await bought('/events/a')).text();
    expect(text).toContain('data: 5\n\n');
    expect(text).not.toContain('data: 6');
    expect(paymentOf(text)).toMatchObject({ reason: 'most reached', charged: `${5n * UNIT}` });
    await until(() => broken === 1, 'the server behind is told');
    expect(shop.earned()).toBe(5);
    const alone = await (await bought('/events/a', shop.buyer(0n))).text();
    expect(paymentOf(alone)).toEqual({ reason: 'most reached', charged: `${5n * UNIT}` });
  });

  it('is passed on as it is to a buyer without a tab', async () => {
    behind = stream((response) => void response.end('data: 1\n\ndata: 2\n\n'));
    const answer = await bought('/events/a', shop.buyer(0n));
    expect(await answer.text()).toBe('data: 1\n\ndata: 2\n\n');
  });

  it('costs what has passed when its buyer hangs up', async () => {
    behind = stream((response) => void response.write('data: 1\n\ndata: 2\n\n'));
    const answer = await bought('/events/a');
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await until(() => shop.earned() === 2, 'it is charged');
    await until(() => broken === 1, 'the server behind is told');
  });

  it('sets aside the most while it goes on, and may be one of many', async () => {
    behind = stream((response) => void response.end('data: 1\n\n'));
    const buy = shop.buyer();
    const answers = await Promise.all(Array.from({ length: 40 }, () => bought('/events/a', buy)));
    await Promise.all(answers.map((one) => one.text()));
    expect(calls).toBe(40);
    const alone = [...shop.market.payments.values()].filter(({ amount }) => amount === 5n * UNIT);
    expect(shop.earned()).toBe(40 - alone.length + 5 * alone.length);
  });
});

describe('a language model', () => {
  const usage = { prompt_tokens: 8, completion_tokens: 4, total_tokens: 12 };

  it('is charged by the tokens that it says it used', async () => {
    behind = answers(
      { 'content-type': 'application/json' },
      JSON.stringify({ choices: [], usage }),
    );
    expect(inUnits(receiptOf(await bought('/tokens/chat')).amount)).toBe(1.2);
  });

  it('is charged by the last event that has them', async () => {
    const events = [{ choices: ['a'] }, { choices: [], usage }].map((one) => JSON.stringify(one));
    behind = stream((response) => {
      for (const event of [...events, '[DONE]']) response.write(`data: ${event}\n\n`);
      response.end();
    });
    const text = await (await bought('/tokens/chat')).text();
    expect(inUnits(paymentOf(text).charged)).toBe(1.2);
  });

  it('costs the most when its buyer hangs up before that', async () => {
    behind = stream((response) => void response.write('data: {"choices":["a"]}\n\n'));
    const answer = await bought('/tokens/chat');
    await answer.body?.cancel();
    await until(() => shop.earned() === 10, 'it is charged');
  });
});
