import { expect, it } from 'vitest';
import { writeJson } from '../../src/simulation/report/json.ts';
import { syntheticResult } from '../support/synthetic-result.ts';

it('a result as JSON has amounts as decimal strings', () => {
  const result = syntheticResult({ seed: 8, isBroken: true });
  expect(writeJson(result)).toContain('"lost": "12000000000000000345"');
  expect(JSON.parse(writeJson(result))).toMatchObject({ seed: 8, payments: result.payments });
});
