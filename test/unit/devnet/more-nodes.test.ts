import { expect, it } from 'vitest';
import { growthRefusal } from '../../../src/devnet/network/more-nodes.ts';

it('a devnet takes one more node at a time, up to eight', () => {
  expect(growthRefusal(4, null)).toBe(null);
  expect(growthRefusal(7, null)).toBe(null);
  expect(growthRefusal(4, 'dave')).toMatchObject({
    code: 'busy',
    detail: 'dave is being started: one at a time.',
  });
  expect(growthRefusal(8, null)).toMatchObject({
    code: 'above_limit',
    detail: 'There are 8 nodes: no more than 8.',
  });
  expect(growthRefusal(21, null)).toMatchObject({ code: 'above_limit' });
});
