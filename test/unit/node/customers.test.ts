import { expect, it } from 'vitest';
import { createCustomers } from '../../../src/node/chain/gas/customers.ts';
import type { ForcedRow } from '../../../src/store/batch.ts';
import { PARTNER, STRANGER } from '../../support/makers.ts';

function customers(rows: readonly ForcedRow[] = []) {
  const at = { block: 1_000n };
  const created = createCustomers({ rows, nowBlock: () => at.block });
  const bring = (partner: typeof PARTNER, times: number) =>
    Array.from({ length: times }, () => created.noteBrought(partner)).flat();
  return { at, ...created, bring };
}

it('who has brought nothing has no share', () => {
  const { shareOf, bring } = customers();
  bring(PARTNER, 1);
  expect([shareOf(PARTNER), shareOf(STRANGER)]).toEqual([1, 0]);
});

it('each has a share by what it has brought of what all have, a week of it at most', () => {
  const { shareOf, bring } = customers();
  bring(PARTNER, 3);
  bring(STRANGER, 1);
  expect([shareOf(PARTNER), shareOf(STRANGER)]).toEqual([0.75, 0.25]);
  bring(PARTNER, 2_000);
  bring(STRANGER, 2_000);
  expect([shareOf(PARTNER), shareOf(STRANGER)]).toEqual([0.5, 0.5]);
});

it('a customer is forgotten by and by', () => {
  const { at, shareOf, bring } = customers();
  bring(PARTNER, 3);
  bring(STRANGER, 1);
  at.block += 100n;
  expect([shareOf(PARTNER), shareOf(STRANGER)]).toEqual([1, 0]);
  at.block += 200n;
  expect(shareOf(PARTNER)).toBe(0);
});

it('a customer is known after a restart, with a row for every tenth transfer', () => {
  const { bring } = customers();
  const rows = bring(PARTNER, 25);
  expect(rows.map(({ fullBlock }) => fullBlock)).toEqual([1_100n, 2_100n, 3_100n]);
  expect(customers(rows.slice(-1)).shareOf(PARTNER)).toBe(1);
});
