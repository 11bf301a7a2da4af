import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { suggestedPartners } from '../../../src/node/routing/suggestions.ts';
import { NETWORK, OWN, PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';

const OF_TOKEN = `/base/api/v1/${TOKEN}/suggest_partner`;
const OF_NETWORK = `/base/api/v1/${NETWORK}/suggest_partner`;
const entry = (address: string) => ({ address, score: 1, centrality: 1, uptime: 1, capacity: 1 });

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Asks a service that answers in this way; gives the result and the requests that the service got. */
async function ask(answer: RequestListener, timeoutMs?: number) {
  const asked: (string | undefined)[] = [];
  const listening = createServer((request, response) => {
    asked.push(request.url);
    answer(request, response);
  });
  server = listening;
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('nobody listens');
  const service = `http://127.0.0.1:${address.port}/base/`;
  const found: Address[] = await suggestedPartners(service, TOKEN, NETWORK, timeoutMs);
  return { asked, found };
}

const saying =
  (body: unknown, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

describe('a path-finding service', () => {
  it('is asked for the token, and its order is kept', async () => {
    const { asked, found } = await ask(saying([entry(STRANGER), entry(PARTNER), entry(OWN)]));
    expect(found).toEqual([STRANGER, PARTNER, OWN]);
    expect(asked).toEqual([OF_TOKEN]);
  });

  it('is asked for the token network when it knows nothing of the token', async () => {
    const { asked, found } = await ask((request, response) =>
      request.url === OF_NETWORK
        ? saying([entry(PARTNER)])(request, response)
        : saying({ errors: 'unknown' }, 404)(request, response),
    );
    expect(found).toEqual([PARTNER]);
    expect(asked).toEqual([OF_TOKEN, OF_NETWORK]);
  });

  it('may name what is no address: that is left out', async () => {
    const { found } = await ask(saying([entry('0x12'), entry(PARTNER), entry('')]));
    expect(found).toEqual([PARTNER]);
  });

  it.each<[string, unknown, number]>([
    ['fails', [entry(PARTNER)], 500],
    ['answers no JSON', 'hello', 200],
    ['answers something else', { address: PARTNER, score: 1 }, 200],
    ['leaves out the score', [{ address: PARTNER }], 200],
    ['has a number for an address', [{ address: 7, score: 1 }], 200],
    ['answers without end', [entry(PARTNER), 'x'.repeat(70_000)], 200],
    ['answers at length', Array.from({ length: 2_000 }, () => entry(PARTNER)), 200],
  ])('suggests nobody when it %s', async (_, body, status) => {
    expect((await ask(saying(body, status))).found).toEqual([]);
  });

  it('suggests nobody when it sends elsewhere', async () => {
    const { asked, found } = await ask((_, response) => {
      response.writeHead(302, { location: OF_NETWORK });
      response.end();
    });
    expect(found).toEqual([]);
    expect(asked).toEqual([OF_TOKEN, OF_NETWORK]);
  });

  it('suggests nobody when it does not answer in time', async () => {
    expect((await ask(() => {}, 50)).found).toEqual([]);
  });

  it('suggests nobody when it is not there', async () => {
    expect(await suggestedPartners('http://127.0.0.1:1', TOKEN, NETWORK)).toEqual([]);
  });
});
