import { expect, it } from 'vitest';
import { isNewer } from '../../../src/node/health/release.ts';

it.each([
  ['1.0.0', '0.9.9'],
  ['0.10.0', '0.9.0'],
  ['0.0.2', '0.0.1'],
  ['1.0.0', '1.0.0-rc.1'],
  ['1.0.1-rc.1', '1.0.0'],
])('%s is newer than %s, and not the other way round', (newer, older) => {
  expect([isNewer(newer, older), isNewer(older, newer)]).toEqual([true, false]);
});

it.each([
  ['1.0.0', '1.0.0'],
  ['1.0.0-rc.1', '1.0.0-rc.2'],
  ['latest', '1.0.0'],
  ['2.0.0', 'unknown'],
])('%s is not newer than %s', (other, own) => {
  expect(isNewer(other, own)).toBe(false);
});
