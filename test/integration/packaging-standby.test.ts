/** The standby of a further key in `packaging`, with what its container is told, and the proxy before both of its nodes. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPackagedWorld } from '../support/packaged-nodes.ts';
import { hasProxy, startProxy } from '../support/packaged-proxy.ts';
import { until } from '../support/until.ts';

let set: Awaited<ReturnType<typeof startPackagedWorld>>;

beforeAll(async () => {
  set = await startPackagedWorld(['primary', 'node-2']);
  expect(set.setUp()).toMatchObject({ status: 0, stderr: '' });
  await set.startBrokers();
  await set.start('primary');
  await set.start('node-2', { isHere: false });
  const standby = await set.launch('standby-2');
  const isFollowing = () => standby.output.some((line) => line.startsWith('standby: follows'));
  await until(isFollowing, 'the standby follows');
});
afterAll(() => set?.stop());

const bearer = (file: string) => ({ authorization: `Bearer ${readFileSync(file, 'utf8')}` });
/** What the service answers to the token that Prometheus has of this key. */
async function status(service: string, path: string, key: string): Promise<number> {
  const headers = bearer(set.packaging.own('prometheus', `${key}-token`));
  return (await fetch(`${set.nodeOf(service).api.url}${path}`, { headers })).status;
}

describe('the packaged standby of a further key', () => {
  it('has a node that shows figures to the token that Prometheus has of this key, and nothing else', async () => {
    expect(await status('node-2', '/metrics', 'node-2')).toBe(200);
    expect(await status('node-2', '/api/v1/payments', 'node-2')).toBe(403);
    expect(await status('node-2', '/metrics', 'node')).toBe(401);
    expect(await status('primary', '/metrics', 'node-2')).toBe(401);
  });

  it.runIf(hasProxy)('is where the proxy sends calls when its node is gone', async () => {
    const place = (name: string) => set.nodeOf(name).api.url.replace('http://', '');
    const names = ['primary', 'node-2', 'standby-2'];
    const places = Object.fromEntries(names.map((name) => [name, place(name)]));
    const proxy = await startProxy(set.packaging, places);
    const address = async (number: number, name: string) => {
      const headers = bearer(set.tokenFileOf(name));
      const asked = fetch(`${proxy.api(number)}/api/v1/address`, { headers });
      // One that is on its way when a node goes is cut off.
      const answer = await asked.catch(() => null);
      return answer?.status === 200 ? answer.text() : answer?.status;
    };
    try {
      const second = set.nodeOf('node-2');
      const isThere = async () => String(await address(2, 'node-2')).includes(second.address);
      await until(isThere, 'the node answers');
      await until(async () => (await proxy.active('node-2')) === 1, 'one node takes calls');
      await second.kill();
      await until(async () => (await address(2, 'node-2')) === 503, 'nobody answers');
      await until(isThere, 'the standby answers for the same key');
      expect(await address(1, 'primary')).toContain(set.nodeOf('primary').address);
      expect(await address(1, 'node-2')).toBe(401);
    } finally {
      proxy.stop();
    }
  });

  it('takes the place of its node, which is killed, by itself', async () => {
    await set.nodeOf('node-2').kill();
    await set.nodeOf('standby-2').ready();
    expect(await set.ask('standby-2', { path: '/address' })).toMatchObject({
      status: 200,
      body: { our_address: set.nodeOf('node-2').address },
    });
    expect(await status('standby-2', '/metrics', 'node-2')).toBe(200);
  });
});
