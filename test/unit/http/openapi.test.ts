import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorEntry } from '../../../src/http/answers/errors.ts';
import { ASKED_BY, OUTCOME_ROWS } from '../../../src/http/checks/outcomes.ts';
import { writeOpenApi } from '../../../src/http/description/openapi.ts';
import { feedText, gapText } from '../../../src/http/shapes/feed-serializer.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { createChecker } from '../../support/json-schema.ts';
import { type Operation, readDocument } from '../../support/openapi.ts';
import { appWith, call } from './client.ts';
import { depositEvent, notificationEvent, paymentEvent } from './fake-feed.ts';
import { PARTNER } from './fake-node.ts';

const text = JSON.stringify(await writeOpenApi('1.2.3'));
const { operations, schemas, told } = readDocument(text);

const nameOf = ({ method, path }: Operation) => `${method} ${path.replace('/api/v1', '')}`;
/** A stream's answer would have to be ended. */
const finite = operations.filter(({ path }) => !path.endsWith('/stream'));
const byName = new Map(operations.map((operation) => [nameOf(operation), operation]));

/** The lists of the API document, and what the decisions add to them. */
const DOCUMENTED: Record<string, number[]> = {
  'GET /address': [200, 500, 503],
  'GET /version': [200, 500, 503],
  'GET /status': [200, 500],
  'GET /settings': [200, 500, 503],
  'GET /contracts': [200, 500, 503],
  'POST /shutdown': [200, 500],
  'GET /tokens': [200, 500, 503],
  'GET /tokens/{token}': [200, 404, 503],
  'GET /tokens/{token}/partners': [200, 404, 500, 503],
  'PUT /tokens/{token}': [201, 402, 403, 404, 409, 501, 503],
  'GET /channels': [200, 500, 503],
  'GET /channels/{token}': [200, 404, 500, 503],
  'GET /channels/{token}/{partner}': [200, 404, 500, 503],
  'PUT /channels': [201, 400, 402, 409, 413, 415, 500, 503],
  'PATCH /channels/{token}/{partner}': [200, 400, 402, 404, 409, 413, 415, 500, 503],
  'GET /payments': [200, 400, 500, 503],
  'GET /payments/{token}': [200, 400, 404, 409, 500, 503],
  'GET /payments/{token}/{partner}': [200, 400, 404, 409, 500, 503],
  'POST /payments/{token}/{partner}': [200, 400, 402, 404, 409, 413, 415, 500, 503],
  'POST /user_deposit': [200, 400, 402, 404, 409, 413, 415, 500, 503],
  'GET /connections': [200, 500, 503],
  'PUT /connections/{token}': [200, 400, 402, 404, 409, 413, 415, 500, 503],
  'DELETE /connections/{token}': [200, 404, 500, 503],
  'GET /pending_transfers': [200, 500, 503],
  'GET /pending_transfers/{token}': [200, 404, 500, 503],
  'GET /pending_transfers/{token}/{partner}': [200, 404, 500, 503],
  'GET /events/channels/{token}/{partner}': [200, 400, 404, 409, 500, 503],
  'GET /notifications': [200, 500, 503],
  'POST /_testing/tokens/{token}/mint': [200, 400, 402, 404, 413, 415, 500, 501, 503],
};

describe('the OpenAPI document', () => {
  it.each(Object.entries(DOCUMENTED))('lists %s with %j', (name, statuses) => {
    const listed = [...(byName.get(name)?.answers.keys() ?? [])];
    expect(listed).toEqual(expect.arrayContaining(statuses));
  });

  it('lists every path that the application takes, but the page', () => {
    const taken = appWith()
      .routes.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'))
      .filter((path) => path.startsWith('/api/v1/') && !path.startsWith('/api/v1/docs'));
    expect(taken.length).toBeGreaterThan(25);
    expect(new Set(taken)).toEqual(new Set(operations.map(({ path }) => path)));
  });

  it('describes every event that webhooks get', () => {
    const check = createChecker(schemas);
    const events = [paymentEvent(1), depositEvent(2), notificationEvent(3)].map(feedText);
    for (const event of [...events, gapText(1, 2)])
      expect(check(told, JSON.parse(event))).toBeNull();
    expect(check(told, { type: 'gap', from: '1' })).not.toBeNull();
  });

  it('says, as docs/calls.md does, whether anything may still happen after a refusal', async () => {
    const page = readFileSync(new URL('../../../docs/calls.md', import.meta.url), 'utf8');
    const squeezed = (text: string) => text.replaceAll(/ +/g, ' ');
    const { info } = JSON.parse(text);
    const rows = [
      ...Object.entries(OUTCOME_ROWS).map(([outcome, cells]) => [outcome, ...cells]),
      ...Object.entries(ASKED_BY),
    ];
    for (const [name, ...cells] of rows) {
      const row = `| \`${name}\` | ${cells.join(' | ')} |`;
      expect(squeezed(page)).toContain(row);
      expect(info.description).toContain(row);
    }
  });

  it('says, as docs/calls.md does, what to do after each refusal with 409', () => {
    const page = readFileSync(new URL('../../../docs/calls.md', import.meta.url), 'utf8');
    const rows = page.replaceAll(/ +/g, ' ').split('\n');
    const entries: [string, ErrorEntry][] = Object.entries(ERRORS);
    const advised = entries.filter(([, { status }]) => status === 409);
    for (const [code, { text: means, advice }] of advised) {
      expect(rows).toContain(`| \`${code}\` | ${means} | ${advice} |`);
      expect(advice).toMatch(/^[A-Z].*\.$/);
    }
    const told = byName.get('POST /payments/{token}/{partner}')?.told.get(409) ?? '';
    expect(told).toContain('`partner_unreachable`: The next node on the path is away. Ask again');
  });

  it('offers a key for each POST, PUT and PATCH but the shutdown, and says what is answered to wrong ones', () => {
    for (const { method, path, takesKey, answers } of operations) {
      const isMeant = ['POST', 'PUT', 'PATCH'].includes(method) && !path.endsWith('/shutdown');
      expect(takesKey, `${method} ${path}`).toBe(isMeant);
      if (isMeant) expect([...answers.keys()]).toEqual(expect.arrayContaining([400, 422, 429]));
    }
  });

  it('lists what goes beyond the API document', () => {
    const extra = [...byName.keys()].filter((name) => !(name in DOCUMENTED));
    expect(extra).toEqual([
      'GET /health',
      'GET /openapi.json',
      'GET /pending_channels',
      'GET /waiting_transactions',
      'POST /waiting_transactions',
      'GET /livez',
      'GET /readyz',
      'GET /metrics',
      'GET /events/stream',
    ]);
  });

  it.each([
    ['GET /openapi.json', []],
    ['GET /metrics', ['metrics']],
    ['GET /channels', ['read']],
    ['POST /payments/{token}/{partner}', ['pay']],
    ['PUT /channels', ['admin']],
    ['POST /waiting_transactions', ['admin']],
    ['POST /shutdown', ['admin']],
  ])('names for %s the scopes %j', (name, scopes) => {
    expect(byName.get(name)?.scopes).toEqual(scopes);
  });

  it('says of a body with one purpose that exactly one field is given', () => {
    const check = createChecker(schemas);
    const isRight = (name: string, body: object) =>
      check(byName.get(name)?.body ?? false, body) === null;
    for (const [name, first, second] of [
      ['PATCH /channels/{token}/{partner}', 'total_deposit', 'reveal_timeout'],
      ['POST /user_deposit', 'total_deposit', 'withdraw_amount'],
    ] as const) {
      expect(isRight(name, { [first]: '5' })).toBe(true);
      expect(isRight(name, { [first]: '5', [second]: null })).toBe(true);
      expect(isRight(name, { [first]: '5', [second]: '5' })).toBe(false);
      expect(isRight(name, { [first]: null })).toBe(false);
      expect(isRight(name, {})).toBe(false);
    }
  });

  it('names no schema that it does not have, and leaves none empty', () => {
    const used = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
    expect(used.length).toBeGreaterThan(100);
    const known = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
    expect(used.filter((ref) => !known.includes(ref))).toEqual([]);
    expect(text).not.toMatch(/"(schema|items|additionalProperties)":\{\}/);
  });

  it('is served at once, also while the node is syncing, with its version', async () => {
    const syncing: Partial<NodeApi> = { status: () => ({ status: 'syncing', blocksToSync: 5n }) };
    const { status, body } = await call(appWith(syncing), { path: '/openapi.json' });
    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(text));
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
  });

  it.each(finite.map((operation) => [nameOf(operation), operation] as const))(
    'lists %s, which the application takes',
    async (_, { method, path }) => {
      const url = path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, PARTNER);
      const { status, body } = await call(appWith(), { method, path: url });
      expect(status).not.toBe(405);
      expect(body).not.toEqual({ errors: ERRORS.unknown_endpoint.text });
    },
  );
});

describe('the page of the document', () => {
  it.each([
    ['/docs', 'text/html; charset=utf-8', 'docs/start.js'],
    ['/docs/start.js', 'text/javascript; charset=utf-8', 'openapi.json'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
    ['/docs/page.css', 'text/css; charset=utf-8', 'color-scheme: light dark'],
  ])('has %s as %s, from the node itself', async (path, type, part) => {
    const { status, headers, body } = await call(appWith(), { path });
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type });
    expect(body).toContain(part);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'/,
    );
  });

  it('loads nothing from elsewhere and has no script inside', async () => {
    const { body } = await call(appWith(), { path: '/docs' });
    expect(body).not.toMatch(/https?:|<script>|style=|\son[a-z]+=/);
  });

  it('needs no token, while calls do', async () => {
    const tokens = [
      { token: 'a-token-of-the-test', scope: 'admin' as const, cap: null, budget: null },
    ];
    const app = appWith({}, { tokens });
    expect((await call(app, { path: '/docs' })).status).toBe(200);
    expect((await call(app, { path: '/openapi.json' })).status).toBe(200);
    expect((await call(app, { path: '/tokens' })).status).toBe(401);
  });
});
