/** What must be true of the table itself. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  ALL_ENDPOINTS,
  AT_ONCE,
  BODY_ENDPOINTS,
  DECIDED_AWAY,
  ENDPOINTS,
  EVERYWHERE,
  KEY_ENDPOINTS,
  WITH_BODY,
  WITH_KEY,
} from './documented.ts';
import * as form from './objects.ts';
import { ROWS } from './table.ts';

function expected(endpoint: (typeof ALL_ENDPOINTS)[number]): number[] {
  const withBody = BODY_ENDPOINTS.includes(endpoint) ? WITH_BODY : [];
  const withKey = KEY_ENDPOINTS.includes(endpoint) ? WITH_KEY : [];
  const hasAddress = endpoint.includes('{') ? [404] : [];
  return [...ENDPOINTS[endpoint], ...EVERYWHERE, ...withBody, ...withKey, ...hasAddress];
}

describe('the conformance table', () => {
  it('has as many rows as its page says', () => {
    const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
    const [, count] = /conformance table of ([\d,]+) rows/.exec(page) ?? [];
    expect(count).toBe(ROWS.length.toLocaleString('en'));
  });

  it.each(ALL_ENDPOINTS)('reaches every documented status code of %s', (endpoint) => {
    const reached = ROWS.filter((row) => row.endpoint === endpoint).map(({ status }) => status);
    expect(reached).toEqual(expect.arrayContaining(expected(endpoint)));
    expect(new Set(expected(endpoint))).toEqual(new Set(reached));
  });

  it('expects no status code that the decisions page rules out', () => {
    for (const [endpoint, codes] of Object.entries(DECIDED_AWAY))
      for (const row of ROWS.filter((each) => each.endpoint === endpoint))
        expect(codes).not.toContain(row.status);
  });

  it('asks each endpoint of a node that syncs, that lost its chain, that is busy, that ends and that failed', () => {
    for (const endpoint of ALL_ENDPOINTS) {
      const nodes = ROWS.filter((row) => row.endpoint === endpoint).map(({ node }) => node);
      expect(nodes).toEqual(expect.arrayContaining(['ending', 'broken']));
      if (AT_ONCE.includes(endpoint)) continue;
      expect(nodes).toEqual(expect.arrayContaining(['syncing', 'cutOff', 'busy']));
    }
  });

  it('demands the documented form of errors of every refusal', () => {
    for (const { status, answer, condition, endpoint } of ROWS) {
      const isPlain = answer === form.internalError;
      const isSentence = answer === form.refused;
      const isByField = form.isByField(answer);
      const row = `${endpoint} ${condition}`;
      expect(isPlain, row).toBe(status === 500);
      expect(isSentence || isByField, row).toBe(status >= 400 && status !== 500);
      if (isByField) expect(status, row).toBe(400);
    }
  });

  it('has one row for each condition of an endpoint', () => {
    const known = ROWS.map(
      ({ endpoint, condition, source }) => `${endpoint} ${condition} ${source}`,
    );
    expect(known.filter((row, i) => known.indexOf(row) !== i)).toEqual([]);
  });
});
