import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInteger, parseJson } from '../../../src/http/answers/json.ts';
import { createApp } from '../../../src/http/app.ts';
import { BODY_LIMIT } from '../../../src/http/checks/body.ts';
import { appWith, call } from './client.ts';
import { fakeNode, PARTNER, TOKEN } from './fake-node.ts';

const PAYMENT = { method: 'POST', path: `/payments/${TOKEN}/${PARTNER}` };

async function amountOf(raw: string): Promise<unknown> {
  const node = fakeNode();
  const answer = await call(createApp({ node }), { ...PAYMENT, raw });
  return node.asked.length === 0 ? answer.status : node.asked;
}

describe('integers in a body', () => {
  it.each(['"25"', '25', ' 25 '])('takes %s', async (text) => {
    expect(await amountOf(`{"amount":${text}}`)).toMatchObject([['pay', { amount: 25n }]]);
  });

  it.each(['9007199254740993', '18446744073709551615', '"9007199254740993"'])(
    'keeps every digit of the identifier %s',
    async (text) => {
      const paymentId = BigInt(text.replaceAll('"', ''));
      const raw = `{"amount":"1","identifier":${text}}`;
      expect(await amountOf(raw)).toMatchObject([['pay', { paymentId }]]);
    },
  );

  it.each([
    ['a fraction', '1.5'],
    ['a whole number with a point', '1.0'],
    ['an exponent', '1e3'],
    ['a fraction as text', '"1.0"'],
    ['an exponent as text', '"1e3"'],
    ['hex', '"0x10"'],
    ['an octal prefix', '"0o7"'],
    ['blanks around', '" 7 "'],
    ['a blank', '" "'],
    ['a line end', '"7\\n"'],
    ['nothing', '""'],
    ['a plus', '"+7"'],
    ['an underscore', '"1_000"'],
    ['a comma', '"1,000"'],
    ['minus zero', '-0'],
    ['minus zero as text', '"-0"'],
    ['a leading zero', '"07"'],
    ['a leading zero without quotes', '07'],
    ['a plus without quotes', '+7'],
    ['other digits', '"٣"'],
    ['true', 'true'],
    ['null', 'null'],
    ['a list', '[5]'],
    ['an object', '{"value":"5"}'],
    ['a lone surrogate', '"\\ud800"'],
    ['NaN', 'NaN'],
    ['text', '"abc"'],
  ])('refuses %s with 400', async (_, text) => {
    expect(await amountOf(`{"amount":${text}}`)).toBe(400);
  });

  it.each([
    ['as text', `"${'9'.repeat(60_000)}"`],
    ['without quotes', '9'.repeat(60_000)],
    ['negative', `-${'9'.repeat(60_000)}`],
  ])('takes a huge number %s for a number that is out of range', async (_, text) => {
    expect(await amountOf(`{"amount":${text}}`)).toBe(409);
  });

  it('reads every whole number, quoted or not, exactly', () => {
    fc.assert(
      fc.property(fc.bigInt(), (number) => {
        expect(parseInteger(String(number))).toBe(number);
        expect(parseJson(`{"n":${number}}`)).toEqual({ ok: true, value: { n: number } });
      }),
    );
  });

  it('reads nothing but canonical decimals', () => {
    const near = fc.stringMatching(/^[-+ ]?[0-9]{0,3}[.exX_n]?[0-9]{0,2}[ \n]?$/);
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        const number = parseInteger(text);
        expect(number === null || String(number) === text).toBe(true);
        expect(number !== null).toBe(/^(0|-?[1-9]\d*)$/.test(text) && !text.includes('\n'));
      }),
    );
  });
});

describe('the JSON reader', () => {
  it('agrees with JSON.parse on everything without a number', () => {
    const plain = fc.jsonValue().map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(plain, (text) => {
        const parsed = parseJson(text);
        expect(parsed.ok).toBe(true);
        if (!parsed.ok || /\d/.test(text)) return;
        expect(parsed.value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses whatever JSON.parse refuses', () => {
    const broken = fc
      .tuple(fc.jsonValue(), fc.nat(), fc.string({ maxLength: 2 }))
      .map(([value, at, noise]) => {
        const text = JSON.stringify(value);
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + noise + text.slice(cut + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        expect(parseJson(text).ok).toBe(isJson(text));
      }),
    );
  });

  it('lets the last of two equal names count', async () => {
    expect(await amountOf('{"amount":"1","amount":"2"}')).toMatchObject([['pay', { amount: 2n }]]);
    expect(await amountOf('{"amount":1,"amount":2}')).toMatchObject([['pay', { amount: 2n }]]);
  });

  it.each([
    ['__proto__', '{"__proto__":{"amount":"5"}}'],
    ['__proto__ beside an integer', '{"amount":5,"__proto__":{"secret":1}}'],
    ['constructor', '{"amount":"5","constructor":{"prototype":{"polluted":1}}}'],
    ['toString', '{"amount":"5","toString":"x"}'],
  ])('takes the name %s for an unknown field', async (_, raw) => {
    expect(await amountOf(raw)).toBe(400);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(Object.hasOwn(Object.prototype, 'amount')).toBe(false);
  });

  it('refuses nesting that would exhaust a parser, with 400', async () => {
    for (const opening of ['[', '{"a":', '[1,']) {
      const raw = opening.repeat(Math.floor((BODY_LIMIT - 10) / opening.length));
      expect((await call(appWith(), { ...PAYMENT, raw })).status).toBe(400);
      const closed = `{"amount":${'['.repeat(30_000)}1${']'.repeat(30_000)}}`;
      expect((await call(appWith(), { ...PAYMENT, raw: closed })).status).toBe(400);
    }
  });
});

describe('bodies', () => {
  it.each([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[{"amount":"5"}]'],
    ['a string', '"amount"'],
    ['a number', '5'],
    ['malformed JSON', '{"amount":"5"'],
    ['single quotes', "{'amount':'5'}"],
    ['a trailing comma', '{"amount":"5",}'],
    ['two values', '{"amount":"5"} {}'],
  ])('answers 400 with a sentence for %s', async (_, raw) => {
    const answer = await call(appWith(), { ...PAYMENT, raw });
    expect(answer).toMatchObject({ status: 400, body: { errors: expect.any(String) } });
  });

  it.each([
    ['no content type', undefined, 415],
    ['plain text', 'text/plain', 415],
    ['a form', 'application/x-www-form-urlencoded', 415],
    ['a type that only begins like JSON', 'application/jsonp', 415],
    ['JSON', 'application/json', 200],
    ['JSON with a charset', 'application/json; charset=utf-8', 200],
    ['JSON in capitals', 'Application/JSON;charset=UTF-8', 200],
  ])('answers to %s as the content type', async (_, type, status) => {
    const response = await appWith().request(`/api/v1${PAYMENT.path}`, {
      method: 'POST',
      body: new TextEncoder().encode('{"amount":"5"}'),
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    });
    expect(response.status).toBe(status);
  });

  it('refuses a compressed body', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await call(appWith(), { ...PAYMENT, raw: 'x', headers });
    expect(answer.status).toBe(415);
  });

  it('takes a body of exactly the limit, counted in bytes, and not one byte more', async () => {
    const body = (size: number) => `{"amount":"5"${' '.repeat(size - 14)}}`;
    expect((await call(appWith(), { ...PAYMENT, raw: body(BODY_LIMIT) })).status).toBe(200);
    expect((await call(appWith(), { ...PAYMENT, raw: body(BODY_LIMIT + 1) })).status).toBe(413);
    const wide = `{"amount":"${'é'.repeat(BODY_LIMIT / 2)}"}`;
    expect((await call(appWith(), { ...PAYMENT, raw: wide })).status).toBe(413);
  });

  it('stops reading a body of unknown length at the limit', async () => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(1_024));
      },
    });
    const url = `http://localhost/api/v1${PAYMENT.path}`;
    const request = new Request(url, { method: 'POST', body, duplex: 'half' });
    const response = await appWith().request(request);
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(100);
  });

  it('answers 413 by the declared length, without reading', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '65537' };
    const answer = await call(appWith(), { ...PAYMENT, raw: '{"amount":"5"}', headers });
    expect(answer.status).toBe(413);
  });

  it('never answers 500 to any body', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constant('5'), fc.integer());
    const names = ['amount', 'identifier', 'secret', 'paths', 'path', 'route', '__proto__'];
    const body = fc.dictionary(fc.constantFrom(...names), value).map((o) => JSON.stringify(o));
    const app = appWith();
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, fc.string()), async (raw) => {
        const answer = await call(app, { ...PAYMENT, raw });
        expect([200, 400, 409]).toContain(answer.status);
      }),
      { numRuns: 300 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
