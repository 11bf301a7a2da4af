import { expect, test } from 'vitest';
import { appWith, call } from './client.ts';

/** Keeps the event loop busy for longer than calls may use of one round. */
function work() {
  const end = performance.now() + 9;
  while (performance.now() < end);
}

test('calls that came together let other work in once they have used their share of a round', async () => {
  let rounds = 0;
  const roundOfCall: number[] = [];
  const app = appWith({
    connections: () => {
      roundOfCall.push(rounds);
      work();
      return [];
    },
  });
  const count = () => {
    rounds += 1;
    if (roundOfCall.length < 3) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([1, 2, 3].map(() => call(app, { path: '/connections' })));
  expect(new Set(roundOfCall).size).toBe(3);
});
