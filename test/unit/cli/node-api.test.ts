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
    pay: () => {
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
  it('answers 500 to whoever waits when the node fails, and then nobody any more', async () => {
    const { server, payment } = await serveStuckPayment();
    const closed = server.fail();
    const answer = await payment;
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal server error']);
    await closed;
    await expect(fetch(`${server.url}/api/v1/tokens`)).rejects.toThrow();
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
