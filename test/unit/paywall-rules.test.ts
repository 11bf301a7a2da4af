/** What a call costs at the paywall, whatever way its path is written. */
import { describe, expect, it } from 'vitest';
import { createFinder, doubledIn, linesOf, parseRule, type Rule } from '../../src/paywall/rules.ts';

const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

function ruleOf(text: string): Rule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

describe('a rule', () => {
  it('names a path, a price and a token, and perhaps a method', () => {
    const price = { amount: '0.0001', token: TOKEN };
    expect(parseRule(` GET  /v1/* 0.0001 ${TOKEN.toLowerCase()}`)).toEqual({
      ok: true,
      value: {
        text: `GET /v1/* 0.0001 ${TOKEN.toLowerCase()}`,
        method: 'GET',
        pattern: '/v1/*',
        price,
      },
    });
    expect(ruleOf('/health free')).toEqual({
      text: '/health free',
      method: null,
      pattern: '/health',
      price: null,
    });
  });

  it.each([
    ['get /v1 free', 'method in capitals'],
    ['GET v1 free', 'no path'],
    ['GET /v1?q=1 free', 'no path'],
    ['GET /v1', 'no price'],
    [`GET /v1 0 ${TOKEN}`, 'no price'],
    [`GET /v1 0.000 ${TOKEN}`, 'no price'],
    [`GET /v1 -1 ${TOKEN}`, 'no price'],
    [`GET /v1 1e3 ${TOKEN}`, 'no price'],
    [`GET /v1 free ${TOKEN}`, 'no price'],
    ['GET /v1 1', 'address of a token'],
    ['GET /v1 1 DAI', 'address of a token'],
    [`GET /v1 1 ${TOKEN} more`, 'address of a token'],
    ['', 'no path'],
  ])('is not %j', (text, why) => {
    expect(parseRule(text)).toMatchObject({ ok: false, message: expect.stringContaining(why) });
  });

  it('may come from a file with notes in it', () => {
    expect(linesOf('# prices\n\nGET /a free # for all\r\n  /b#c free\n')).toEqual([
      'GET /a free',
      '/b#c free',
    ]);
  });

  it('is told when another one is for the same calls', () => {
    expect(doubledIn(['/a free', 'GET /a free', `/A/ 1 ${TOKEN}`].map(ruleOf))).toBe(
      `/A/ 1 ${TOKEN}`,
    );
    expect(doubledIn(['/a free', 'GET /a free'].map(ruleOf))).toBeNull();
  });
});

describe('a call', () => {
  const find = createFinder(
    [
      `/v1/* 1 ${TOKEN}`,
      `POST /v1/* 2 ${TOKEN}`,
      `/v1/big/* 3 ${TOKEN}`,
      '/v1/status free',
      `/v1/*/map 4 ${TOKEN}`,
      'GET /docs/* free',
    ].map(ruleOf),
  );
  const costOf = (method: string, path: string) => {
    const found = find(method, path);
    return found.kind === 'rule' ? (found.rule.price?.amount ?? 'free') : found.kind;
  };

  it.each([
    ['GET', '/v1', '1'],
    ['GET', '/v1/weather', '1'],
    ['HEAD', '/v1/weather', '1'],
    ['POST', '/v1/weather', '2'],
    ['GET', '/v1/big/a/b', '3'],
    ['POST', '/v1/big/a', '3'],
    ['GET', '/v1/status', 'free'],
    ['GET', '/v1/status/more', '1'],
    ['GET', '/docs', 'free'],
    ['HEAD', '/docs/a', 'free'],
    ['POST', '/docs/a', 'none'],
    ['GET', '/', 'none'],
    ['GET', '/v10', 'none'],
    ['GET', '/docs.html', 'none'],
    // What a server may take for a path with a price.
    ['GET', '/V1/Weather', '1'],
    ['GET', '//v1//weather/', '1'],
    ['GET', '/v1%2fweather', '1'],
    ['GET', '/%76%31/weather', '1'],
    ['GET', '/docs/%2e%2e/v1/weather', 'unclear'],
    ['GET', '/docs/..%2Fv1/weather', 'unclear'],
    ['GET', '/docs%5c..%5cv1', 'unclear'],
    ['GET', '/docs/%00', 'unclear'],
    ['GET', '/docs/%E0%A4%A', 'unclear'],
    ['GET', '/docs/a%0Ab', 'free'],
    ['GET', '/docs/..;/v1/weather', 'unclear'],
    ['GET', '/docs/..;a=1/v1/weather', 'unclear'],
    ['GET', '/docs/..%3b/v1/weather', 'unclear'],
    ['GET', '/docs/%252e%252e/v1/weather', 'unclear'],
    ['GET', '/docs/%252e%252e%252fv1', 'unclear'],
    ['GET', '/v1/%73tatus', 'free'],
    ['GET', '/v1/a/map;b', 'unclear'],
    ['GET', '/v1/a;b/map', '4'],
    ['GET', '/v1/a%2fb/map', 'unclear'],
    ['GET', '/v1/a/m%2561p', 'unclear'],
    ['GET', '/v1/a/map.', 'unclear'],
    ['GET', '/v1/a/map%20', 'unclear'],
    ['GET', '/v1/status;a/more', '1'],
    ['GET', '/v1/100%25', '1'],
    ['GET', '/v1/a;b=c,d/e', '1'],
    ['GET', '/v1/a.', '1'],
  ])('%s %s costs %s', (method, path, cost) => {
    expect(costOf(method, path)).toBe(cost);
  });

  it('costs no more time when its path is long and strange', () => {
    const begin = performance.now();
    for (const part of ['.', ' ', '/. ', ';', '%2525', '/'])
      costOf('GET', `/v1/${part.repeat(16_000 / part.length)}x`);
    expect(performance.now() - begin).toBeLessThan(200);
  });

  it('has the longer rule of two with the same beginning, whichever comes first', () => {
    const texts = ['/files/* free', `/files/*/secret 4 ${TOKEN}`];
    for (const order of [texts, texts.toReversed()])
      expect(createFinder(order.map(ruleOf))('GET', '/files/a/secret')).toMatchObject({
        rule: { text: texts[1] },
      });
  });

  it('has a star that stands for one part of a path', () => {
    const only = createFinder([ruleOf(`/towns/*/map 4 ${TOKEN}`)]);
    expect(only('GET', '/towns/lindwurm/map').kind).toBe('rule');
    expect(only('GET', '/towns/a/b/map').kind).toBe('none');
    expect(only('GET', '/towns/a.map').kind).toBe('none');
  });
});
