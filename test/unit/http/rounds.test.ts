import { expect, test } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import { call } from './client.ts';
import { fakeNode, TOKEN } from './fake-node.ts';

/** Keeps the event loop busy for longer than calls may use of one round. */
function work() {
  const end = performance.now() + 9;
  while (performance.now() < end);
}

test('calls that came together let other work in once they have used their share of a round', async () => {
  const order: string[] = [];
  const node = fakeNode({
    join: async (_, funds) => {
      order.push(`call ${funds}`);
      work();
      return { ok: true, value: [] };
    },
  });
  const app = createApp({ node, options: { apiConcurrency: 4 } });
  const join = (funds: string) =>
    call(app, { method: 'PUT', path: `/connections/${TOKEN}`, json: { funds } });
  const calls = [join('1'), join('2'), join('3')];
  setImmediate(() => order.push('other work'));
  await Promise.all(calls);
  expect(order.filter((one) => one.startsWith('call'))).toEqual(['call 1', 'call 2', 'call 3']);
  expect(order.indexOf('other work')).toBeLessThan(order.indexOf('call 2'));
});
