/** What may be spent at one host, however its name is written. */
import { expect, it } from 'vitest';
import { createBudget, hostOf } from '../../../src/x402/budget.ts';

it.each([
  ['https://api.example/v1', 'api.example'],
  ['https://api.example:8443/v1', 'api.example'],
  ['http://API.Example./', 'api.example'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['http://127.1:80/', '127.0.0.1'],
  ['http://127.0.0.1.:81/', '127.0.0.1'],
  ['http://[0:0::1]:82/', '[::1]'],
  ['http://[::ffff:127.0.0.1]/', '127.0.0.1'],
  ['http://[::FFFF:7f00:1]:9/', '127.0.0.1'],
])('the host of %s is %s', (url, host) => {
  expect(hostOf(url)).toBe(host);
});

it('all ports of a host share what it may have in a day', () => {
  const budget = createBudget({ most: 9n, mostPerHost: 10n, mostPerDay: 99n }, () => 0);
  const spends = ['http://shop:1', 'http://SHOP.:2', 'https://shop'].map(
    (url) => budget.reserve(hostOf(url), 5n).ok,
  );
  expect(spends).toEqual([true, true, false]);
  expect(budget.reserve(hostOf('http://other'), 5n).ok).toBe(true);
});
