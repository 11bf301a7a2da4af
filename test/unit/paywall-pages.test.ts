/** Pages of other origins may buy where they are named: what a browser asks before, and what it lets a page read. */
import { describe, expect, it } from 'vitest';
import { openToPages } from '../../src/paywall/pages.ts';

const PAGE = 'https://app.example';

/** What the paywall itself was asked, and how it answers. */
function opened(origins: readonly string[], headers: Record<string, string> = {}) {
  const asked: string[] = [];
  const fetch = openToPages((request, from) => {
    asked.push(`${request.method} ${from}`);
    const type = { 'content-type': 'text/html' };
    const own = { ...type, 'payment-required': 'e30', vary: 'PAYMENT-SIGNATURE', ...headers };
    return Promise.resolve(new Response('', { status: 402, headers: own }));
  }, origins);
  const call = async (method: string, sent: Record<string, string>) => {
    const answer = await fetch(new Request('http://shop/v1', { method, headers: sent }), 'me');
    const said = Object.fromEntries(answer.headers);
    return { status: answer.status, said, listed: said['access-control-expose-headers'] ?? '' };
  };
  const preflight = (origin: string, method = 'PUT') =>
    call('OPTIONS', {
      ...{ origin, 'access-control-request-method': method },
      'access-control-request-headers': 'content-type,payment-signature,x-key',
    });
  return { asked, call, preflight };
}

describe('a preflight', () => {
  it.each([
    [[PAGE], PAGE],
    [['*'], '*'],
    [['https://app.example:*'], PAGE],
  ])('is answered for nothing where %j may call', async (origins, allowed) => {
    const { asked, preflight } = opened(origins);
    const { status, said } = await preflight(PAGE, 'QUERY');
    expect(status).toBe(204);
    expect(said).toMatchObject({
      'access-control-allow-origin': allowed,
      'access-control-allow-methods': 'QUERY',
      'access-control-allow-headers': 'content-type,payment-signature,x-key',
      'access-control-max-age': '600',
    });
    expect(said).not.toHaveProperty('access-control-allow-credentials');
    expect(asked).toEqual([]);
  });

  it('of another origin is allowed nothing, and asks the paywall nothing', async () => {
    const { asked, preflight } = opened([PAGE]);
    const { said } = await preflight('https://other.example');
    expect(said).not.toHaveProperty('access-control-allow-origin');
    expect(said).toHaveProperty('vary');
    expect(asked).toEqual([]);
  });

  it('is none without a method that it asks for', async () => {
    const { asked, call } = opened([PAGE]);
    expect((await call('OPTIONS', { origin: PAGE })).said).toHaveProperty(
      'access-control-allow-origin',
    );
    await call('OPTIONS', {});
    expect(asked).toEqual(['OPTIONS me', 'OPTIONS me']);
  });
});

describe('an answer', () => {
  it('may be read with its price, its receipt and the headers of the server behind', async () => {
    const { call } = opened([PAGE], { 'x-own': 'yes', 'retry-after': '1' });
    const { status, said, listed } = await call('GET', { origin: PAGE });
    expect(status).toBe(402);
    expect(said).toMatchObject({ 'access-control-allow-origin': PAGE });
    expect(listed.split(',')).toEqual(
      expect.arrayContaining(['payment-required', 'retry-after', 'vary', 'x-own']),
    );
    const names = (said['vary'] ?? '').split(/, ?/);
    expect(names).toEqual(['PAYMENT-SIGNATURE', 'Origin']);
  });

  it('has what the server behind says to browsers once, and only as the paywall says it', async () => {
    const own = {
      'access-control-allow-origin': 'https://own.example',
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'x-own',
      'access-control-max-age': '1',
    };
    const { call } = opened([PAGE], own);
    const { said } = await call('GET', { origin: PAGE });
    expect(said['access-control-allow-origin']).toBe(PAGE);
    expect(said).not.toHaveProperty('access-control-allow-credentials');
    expect(said).not.toHaveProperty('access-control-max-age');
    const stranger = await call('GET', { origin: 'https://own.example' });
    expect(stranger.said).not.toHaveProperty('access-control-allow-origin');
  });

  it('is the same for all where every page may read it', async () => {
    const { call } = opened(['*']);
    const { said } = await call('GET', {});
    expect(said).toMatchObject({ 'access-control-allow-origin': '*', vary: 'PAYMENT-SIGNATURE' });
  });

  it('is as the server behind gives it where no page may call', async () => {
    const { call, asked, preflight } = opened([], { 'access-control-allow-origin': '*' });
    expect((await call('GET', { origin: PAGE })).said).toMatchObject({
      'access-control-allow-origin': '*',
    });
    await preflight(PAGE);
    expect(asked).toEqual(['GET me', 'OPTIONS me']);
  });
});
