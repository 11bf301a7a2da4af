import { expect, it } from 'vitest';
import { createGateway } from '../../../src/simulation/services/gateway.ts';
import { letTimePass } from '../../../src/simulation/world/loop.ts';
import { createRandomness } from '../../../src/simulation/world/randomness.ts';
import { createScheduler } from '../../../src/simulation/world/scheduler.ts';

it('says nothing more to a caller that has its answer when the time for it is over', async () => {
  const scheduler = createScheduler(0);
  const gateway = createGateway({ scheduler, draw: createRandomness(1).of('gateway') });
  gateway.serve('service', async () => new Response('yes'));
  let heard = 0;
  const hear = (work: () => void) => {
    heard += 1;
    work();
  };
  const url = gateway.urlFor('service', { id: 'node.1', hear });
  const ending = new AbortController();
  const request = new Request(url, { signal: ending.signal });
  const answer = gateway.fetch(request);
  await letTimePass(scheduler, 1_000);
  expect(await (await answer).text()).toBe('yes');
  ending.abort();
  expect({ heard, isAborted: request.signal.aborted }).toEqual({ heard: 1, isAborted: true });
});
