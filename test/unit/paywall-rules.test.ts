/** What a call costs at the paywall, whatever way its path is written. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFinder, doubledIn, linesOf, parseRule, type Rule } from '../../src/paywall/rules.ts';
import { PLAIN } from '../../src/paywall/terms.ts';

const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

function ruleOf(text: string): Rule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

describe('a rule', () => {
  it('names a path, a price and a token, and perhaps a method', () => {
    const price = { by: 'call', amount: '0.0001', token: TOKEN };
    expect(parseRule(` GET  /v1/* 0.0001 ${TOKEN.toLowerCase()}`)).toEqual({
      ok: true,
      value: {
        text: `GET /v1/* 0.0001 ${TOKEN.toLowerCase()}`,
        method: 'GET',
        pattern: '/v1/*',
        price,
        terms: PLAIN,
      },
    });
    expect(ruleOf('/health free')).toEqual({
      text: '/health free',
      method: null,
      pattern: '/health',
      price: null,
      terms: PLAIN,
    });
    expect(ruleOf(`/v1 1 ${TOKEN} shared`)).toMatchObject({
      text: `/v1 1 ${TOKEN} shared`,
      terms: { isShared: true },
    });
    expect(ruleOf(`/v1 1 ${TOKEN} charging 404,3xx shared`).terms).toEqual({
      isShared: true,
      charging: ['404', '3xx'],
    });
  });

  it('may say what a call costs by its use, and at most', () => {
    const most = { amount: '0.01', token: TOKEN };
    const textOf = (words: string) => `GET /v1/* ${words} 0.01 ${TOKEN}`;
    expect(ruleOf(textOf('up to')).price).toEqual({ by: 'server', ...most });
    expect(ruleOf(textOf('asked up to')).price).toEqual({ by: 'asked', ...most });
    for (const by of ['byte', 'event', 'token'] as const)
      expect(ruleOf(textOf(`0.00001 per ${by} up to`))).toMatchObject({
        text: textOf(`0.00001 per ${by} up to`),
        price: { by, each: '0.00001', ...most },
      });
  });

  it.each([
    [`/v1 up to ${TOKEN}`, 'no price'],
    ['/v1 up to 1', 'does not name a token'],
    [`/v1 up 1 ${TOKEN}`, 'no price'],
    [`/v1 1 up to 1 ${TOKEN}`, 'before up to'],
    [`/v1 asked 1 up to 1 ${TOKEN}`, 'before up to'],
    [`/v1 asked 1 ${TOKEN}`, 'no price'],
    [`/v1 1 per byte 1 ${TOKEN}`, 'does not name a token'],
    [`/v1 0 per byte up to 1 ${TOKEN}`, 'before up to'],
    [`/v1 1 per call up to 1 ${TOKEN}`, 'before up to'],
    [`/v1 1 per byte event up to 1 ${TOKEN}`, 'before up to'],
    [`/v1 1 per byte up to 1 ${TOKEN} more`, '"more" after its token'],
    ['get /v1 free', 'method in capitals'],
    ['GET v1 free', 'no path'],
    ['GET /v1?q=1 free', 'no path'],
    ['GET /v1', 'no price'],
    [`GET /v1 0 ${TOKEN}`, 'no price'],
    [`GET /v1 0.000 ${TOKEN}`, 'no price'],
    [`GET /v1 -1 ${TOKEN}`, 'no price'],
    [`GET /v1 1e3 ${TOKEN}`, 'no price'],
    [`GET /v1 free ${TOKEN}`, 'no price'],
    ['GET /v1 1', 'token by its address'],
    ['GET /v1 1 DAI', 'token by its address'],
    [`GET /v1 1 ${TOKEN} more`, '"more" after its token'],
    [`GET /v1 1 ${TOKEN} constructor`, '"constructor" after its token'],
    [`GET /v1 1 ${TOKEN} shared shared`, '"shared" twice'],
    ...['', ' 5xx', ' 200', ' 404,', ' 404, 422', ' 4x', ' shared'].map((words) => [
      `GET /v1 1 ${TOKEN} charging${words}`,
      'no statuses from 300',
    ]),
    ['GET /v1 free shared', 'no price'],
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
    ['GET', '/docs/a%0Ab', 'unclear'],
    // What servers strip, wherever it stands and however often it is escaped.
    ['GET', '/docs/.%09./v1/weather', 'unclear'],
    ['GET', '/docs/%09../v1/weather', 'unclear'],
    ['GET', '/docs/..%0d%0a/v1/weather', 'unclear'],
    ['GET', '/docs/.%2509./v1/weather', 'unclear'],
    ['GET', '/docs/.%252509./v1/weather', 'unclear'],
    ['GET', '/docs/.%20./v1/weather', 'unclear'],
    ['GET', '/docs/%20../v1/weather', 'unclear'],
    ['GET', '/docs/.%c2%a0./v1/weather', 'unclear'],
    ['GET', '/docs/.%e2%80%8b./v1/weather', 'unclear'],
    ['GET', '/docs/.%c2%ad./v1/weather', 'unclear'],
    ['GET', '/docs/%7f../v1/weather', 'unclear'],
    ['GET', '/v1/my%20town', '1'],
    ['GET', '/v1/Mr.%20X', '1'],
    // Other signs for the same, other escapes, and what ends a path when it is decoded.
    ['GET', '/docs/%ef%bc%8e%ef%bc%8e/v1/weather', 'unclear'],
    ['GET', '/docs/..%ef%bc%8fv1', 'unclear'],
    ['GET', '/docs/%25zz/%252e%252e/v1', 'unclear'],
    ['GET', '/docs/%25c0%25ae%25c0%25ae/v1', 'unclear'],
    ['GET', `/docs/%${'25'.repeat(40)}2e`, 'unclear'],
    ['GET', '/docs/%ef%bc%852e./v1', 'unclear'],
    ['GET', '/v1/a/map%3f', 'unclear'],
    ['GET', '/v1/status%23', 'unclear'],
    ['GET', '/v1/what%3f', '1'],
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

/** What servers are known to do to a path before they look for what it names, one step each. */
const HABITS: Record<string, (path: string) => string> = {
  decodes: (path) =>
    path.replace(/(%[0-9a-f]{2})+/gi, (escapes) => {
      const digits = escapes.replaceAll('%', '');
      return Buffer.from(digits, 'hex').toString();
    }),
  'strips controls': (path) => path.replace(/\p{Cc}/gu, ''),
  'strips tabs and line ends': (path) => path.replace(/[\t\r\n]/g, ''),
  'strips white space': (path) => path.replace(/\s/g, ''),
  'trims parts': (path) =>
    path
      .split('/')
      .map((part) => part.trim())
      .join('/'),
  'strips what nobody sees': (path) => path.replace(/\p{Default_Ignorable_Code_Point}/gu, ''),
  'writes common signs': (path) => path.normalize('NFKC'),
  'turns slashes': (path) => path.replaceAll('\\', '/'),
  'skips parameters': (path) => path.replace(/;[^/]*/g, ''),
  'ends at a query': (path) => path.replace(/[?#].*$/s, ''),
  'ends at a null': (path) => path.replace(/\0.*$/s, ''),
  'skips dots at the end of parts': (path) => path.replace(/([^./ ])[. ]+(?=\/|$)/g, '$1'),
  'resolves dots': resolved,
};

/** Dots and doubled slashes are followed last of all, and in between as well. */
function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  return `/${parts.join('/')}`;
}

describe('a path that costs nothing', () => {
  const find = createFinder(
    [`/v1/* 1 ${TOKEN}`, `/docs/secret 2 ${TOKEN}`, '/docs/* free'].map(ruleOf),
  );
  const piece = fc.constantFrom(
    ...[
      'docs',
      'v1',
      'secret',
      'Secret',
      'weather',
      '/',
      '/',
      '.',
      '.',
      '..',
      '%2e',
      '%2f',
      ' ',
      ';',
      '?',
    ],
    ...[
      '%20',
      '%09',
      '%0a',
      '%0d',
      '%00',
      '%7f',
      '%5c',
      '%3b',
      '%3f',
      '%23',
      '%25',
      '%2509',
      '%252e',
      '%252f',
    ],
    ...[
      '%c2%a0',
      '%c2%ad',
      '%e2%80%8b',
      '%e2%80%a8',
      '%ef%bb%bf',
      '%ef%bc%8e',
      '%ef%bc%8f',
      '%ef%bc%85',
      '%ef%bd%93',
    ],
  );
  const paths = fc.array(piece, { maxLength: 9 }).map((pieces) => `/docs/${pieces.join('')}`);
  const habits = fc.array(fc.constantFrom(...Object.keys(HABITS)), { maxLength: 5 });

  it('is none of something with a price, whatever a server makes of it', () => {
    fc.assert(
      fc.property(paths, habits, (path, names) => {
        const { pathname } = new URL(`http://shop${path}`);
        const found = find('GET', pathname);
        fc.pre(found.kind === 'rule' && found.rule.price === null);
        const taken = resolved(names.reduce((one, name) => HABITS[name]?.(one) ?? one, pathname));
        expect(taken.toLowerCase()).not.toMatch(/^\/(v1(\/|$)|docs\/secret$)/);
      }),
      { numRuns: 3_000 },
    );
  });
});
