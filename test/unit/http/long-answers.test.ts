import { afterEach, describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/http/app.ts';
import { type ApiServer, serve } from '../../../src/http/server.ts';
import type { PaymentRecord } from '../../../src/node/runtime/commits/records.ts';
import { openRaw, rawRequest } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';
import { appWith, call } from './client.ts';
import { HISTORY, TOKEN } from './fake-node.ts';

const FAULT = new Error('database disk image is malformed');
const [RECORD] = HISTORY;

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A node whose history is these slices, and what was met while they were read. */
function historyOf(slices: () => Iterable<PaymentRecord[]>, options: ApiOptions = {}) {
  const met: string[] = [];
  const app = appWith(
    { payments: () => ({ ok: true, value: slices() }) },
    {
      onInternalError: () => met.push('stop'),
      onReadFailure: (error) => met.push(String(error)),
      ...options,
    },
  );
  return { app, met };
}

async function listen(app: ReturnType<typeof appWith>): Promise<ApiServer> {
  const server = await serve({ app, port: 0 });
  servers.push(server);
  return server;
}

/** `count` slices of 100 records each; tells how many were read. */
function manySlices(count: number) {
  const state = { read: 0 };
  function* slices() {
    for (let n = 0; n < count; n++) {
      state.read++;
      yield Array.from({ length: 100 }, () => RECORD).filter((record) => record !== undefined);
    }
  }
  return { state, slices };
}

describe('a long list', () => {
  it.each([
    ['no row at all', []],
    ['empty slices only', [[], [], []]],
    ['one slice', [HISTORY]],
    ['empty slices between others', [[], HISTORY.slice(0, 1), [], HISTORY.slice(1), []]],
  ])('of %s is the same text as an array', async (_, slices) => {
    const { app } = historyOf(() => slices);
    const whole = await call(appWith({ payments: () => ({ ok: true, value: [slices.flat()] }) }), {
      path: '/payments',
    });
    const response = await app.request('/api/v1/payments');
    expect(await response.text()).toBe(`${JSON.stringify(whole.body)}\n`);
    expect(whole.body).toHaveLength(slices.flat().length);
  });

  it('is one array, however many slices it has', async () => {
    const { slices } = manySlices(100);
    const { url } = await listen(historyOf(slices).app);
    const response = await fetch(`${url}/api/v1/payments`);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toHaveLength(10_000);
  });

  it('is not read for a HEAD', async () => {
    const { state, slices } = manySlices(3);
    const answer = await call(historyOf(slices).app, { method: 'HEAD', path: '/payments' });
    expect([answer.status, answer.body, state.read]).toEqual([200, '', 0]);
  });

  it('lets everybody else have a turn between two slices', async () => {
    const { state, slices } = manySlices(40);
    const { url } = await listen(historyOf(slices).app);
    const seen: number[] = [];
    let isOver = false;
    const look = () => {
      seen.push(state.read);
      if (!isOver) setImmediate(look);
    };
    look();
    await Promise.all(
      [1, 2, 3].map(async () => (await fetch(`${url}/api/v1/payments`)).arrayBuffer()),
    );
    isOver = true;
    const steps = seen.map((read, index) => read - (seen[index - 1] ?? 0));
    expect(state.read).toBe(120);
    expect(Math.max(...steps)).toBeLessThanOrEqual(1);
  });

  it('is read no further than a slow reader takes it, and not at all once it has left', async () => {
    const { state, slices } = manySlices(10_000);
    const { app } = historyOf(slices);
    const { url } = await listen(app);
    const { socket, write } = await openRaw(url);
    socket.pause();
    await write(rawRequest('GET', '/payments'));
    let before = -1;
    await until(() => {
      const isStill = state.read > 0 && state.read === before;
      before = state.read;
      return isStill;
    });
    expect(state.read).toBeLessThan(5_000);
    // Others are answered meanwhile: the reading holds no caller's place.
    expect((await fetch(`${url}/api/v1/tokens`)).status).toBe(200);
    socket.destroy();
    for (let n = 0; n < 10; n++) await fetch(`${url}/api/v1/tokens`);
    expect(state.read - before).toBeLessThanOrEqual(2);
  });
});

describe('a read that fails', () => {
  it('at the begin is answered with 503, and stops nothing', async () => {
    const { app, met } = historyOf(() => failing(0));
    const { status, body } = await call(app, { path: '/payments' });
    const errors = 'What is asked for cannot be read from the disk.';
    expect({ status, body }).toEqual({ status: 503, body: { errors, code: 'unreadable' } });
    expect(met).toEqual([String(FAULT)]);
    expect((await call(app, { path: '/tokens' })).status).toBe(200);
  });

  it('when it is asked for is answered with 503, and stops nothing', async () => {
    const app = appWith({ channelEvents: () => throwing() });
    const path = `/events/channels/${TOKEN}/${TOKEN}`;
    expect((await call(app, { path })).status).toBe(503);
    expect((await call(app, { path: '/tokens' })).status).toBe(200);
  });

  it('of a node that is broken stops it', async () => {
    let isBroken = false;
    const met: string[] = [];
    const payments = () => {
      isBroken = true;
      return throwing();
    };
    const app = appWith(
      { payments, isBroken: () => isBroken },
      { onInternalError: () => met.push('stop') },
    );
    expect((await call(app, { path: '/payments' })).status).toBe(500);
    expect((await call(app, { path: '/tokens' })).status).toBe(503);
    expect(met).toEqual(['stop']);
  });

  it('in the middle cuts the connection, so that nobody takes a part for the whole', async () => {
    const { app, met } = historyOf(() => failing(50));
    const { url } = await listen(app);
    const response = await fetch(`${url}/api/v1/payments`);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(met).toEqual([String(FAULT)]);
    expect((await fetch(`${url}/api/v1/tokens`)).status).toBe(200);
  });
});

/** Fails after so many slices. */
function* failing(after: number): Generator<PaymentRecord[]> {
  yield* manySlices(after).slices();
  throw FAULT;
}

function throwing(): never {
  throw FAULT;
}
