import { afterEach, describe, expect, it } from 'vitest';
import { type NodeServer, serveNode } from '../../../src/host/node-api.ts';
import { freePort } from '../../../src/host/port.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { until } from '../../support/until.ts';
import { fakeNode, PARTNER, TOKEN } from '../http/fake-node.ts';

const running: NodeServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.end()));
});

async function serve(changes: Partial<NodeApi> = {}, port = 0) {
  const served = await serveNode({
    node: fakeNode(changes),
    config: { host: '127.0.0.1', port, concurrency: 1 },
    onInternalError: () => {},
  });
  if (served.ok) running.push(served.value);
  return served;
}

/** A server with one payment on its way that is never answered. */
async function serveStuckPayment() {
  let hasBegun = false;
  const served = await serve({
    pay(_, call) {
      if (call !== undefined) call.begun = { paymentId: 7n };
      hasBegun = true;
      return new Promise(() => {});
    },
  });
  if (!served.ok) throw new Error(served.message);
  const { url } = served.value;
  const payment = fetch(`${url}/api/v1/payments/${TOKEN}/${PARTNER}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"amount":"1"}',
  });
  await until(() => hasBegun, 'the payment has begun');
  return { server: served.value, payment };
}

describe("the node's server", () => {
  it('answers 500 to whoever waits when the node fails, then refuses all and the probes, and ends', async () => {
    const { server, payment } = await serveStuckPayment();
    server.fail(true);
    const answer = await payment;
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal server error']);
    expect(answer.headers.get('sluice-outcome')).toBe('pending');
    for (const path of ['/api/v1/tokens', '/api/v1/address', '/livez', '/readyz', '/api/v1/docs'])
      expect((await fetch(server.url + path)).status).toBe(503);
    await server.end();
    await expect(fetch(`${server.url}/api/v1/tokens`)).rejects.toThrow();
  });

  it('says of a payment that was begun that it may still happen when another node takes over', async () => {
    const { server, payment } = await serveStuckPayment();
    server.fail(false);
    const answer = await payment;
    expect(answer.status).toBe(503);
    const told = { code: 'shutting_down', outcome: 'pending', identifier: '7' };
    expect(await answer.json()).toMatchObject(told);
  });

  it('says of a call that waited for its turn that it never begins, whatever ends the node', async () => {
    for (const isInternal of [true, false]) {
      const { server, payment } = await serveStuckPayment();
      const waiting = fetch(`${server.url}/api/v1/tokens/${TOKEN}`, { method: 'PUT' });
      const page = async () => (await fetch(`${server.url}/metrics`)).text();
      await until(async () => (await page()).includes('api_queue_depth 1'), 'the call waits');
      server.fail(isInternal);
      const answer = await waiting;
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: 'shutting_down', outcome: 'not_begun' });
      await payment;
    }
  });

  it('says what to do when its port is taken', async () => {
    const first = await serve();
    if (!first.ok) throw new Error(first.message);
    expect(await serve({}, first.value.port)).toMatchObject({
      problem: 'api_address',
      message: expect.stringContaining('choose another --api-address'),
    });
  });

  it('finds the next free port after one that is taken', async () => {
    const first = await serve();
    if (!first.ok) throw new Error(first.message);
    const { port } = first.value;
    const found = await freePort(port);
    expect(found).toBeGreaterThan(port);
    expect(await serve({}, found)).toMatchObject({ ok: true });
    expect(await freePort(0)).toBe(0);
  });
});
