import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/store/base/connection.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchOf, openedStore, proofOf, temporaryFolder } from '../../support/store.ts';

const UINT64_MAX = 2n ** 64n - 1n;
const GONE = 'channel:1';
const OTHER = 'channel:2';

const stepsOf = (channel: string, count: number) =>
  Array.from({ length: count }, (_, n) =>
    proofOf({ channel, side: n % 3 === 0 ? 'partner' : 'own', nonce: BigInt(n + 1) }),
  );
const kept = (store: Store, channel: string) =>
  (['own', 'partner'] as const).flatMap((side) =>
    store.stepsBefore(channel, side, UINT64_MAX, 1_000),
  ).length;

/** Deletes slice by slice; how many slices there were. */
function swept(store: Store, rows: number): number {
  let slices = 0;
  while (store.sweep(rows)) slices += 1;
  return slices;
}

describe('what a channel leaves behind', () => {
  it('is deleted in slices of no more than so many rows, and of no other channel', () => {
    const store = openedStore();
    store.commit(batchOf({ proofs: [...stepsOf(GONE, 25), ...stepsOf(OTHER, 25)] }));
    expect(store.sweep(10)).toBe(false);
    store.commit(batchOf({ retired: [GONE], ended: [GONE], gone: [GONE] }));
    expect(swept(store, 10)).toBe(3);
    expect([kept(store, GONE), kept(store, OTHER)]).toEqual([0, 25]);
    expect(store.sweep(10)).toBe(false);
  });

  it('is found again by the next process, in the middle of it', () => {
    const url = `file:${join(temporaryFolder(), 'node.db')}`;
    const first = openedStore({ url });
    first.commit(batchOf({ proofs: stepsOf(GONE, 25), gone: [GONE] }));
    expect(first.sweep(10)).toBe(true);
    first.close();
    const second = openedStore({ url });
    expect(swept(second, 10)).toBe(2);
    expect(kept(second, GONE)).toBe(0);
  });

  it('is out of sight at once, and is not mixed with the steps of a channel that gets the same id', () => {
    const store = openedStore();
    store.commit(batchOf({ proofs: stepsOf(GONE, 25), gone: [GONE] }));
    expect(kept(store, GONE)).toBe(0);
    store.commit(batchOf({ proofs: stepsOf(GONE, 7) }));
    expect(swept(store, 10)).toBe(3);
    expect(kept(store, GONE)).toBe(7);
    store.commit(batchOf({ gone: [GONE] }));
    expect(swept(store, 10)).toBe(1);
  });

  it('is looked for in an index of the few channels that have some, not among all that departed', () => {
    const file = join(temporaryFolder(), 'node.db');
    openedStore({ url: `file:${file}` }).close();
    const { client } = connect(file);
    const asked = 'SELECT seq FROM departures WHERE has_proofs = 1 ORDER BY seq LIMIT 1';
    const plan = JSON.stringify(client.prepare(`EXPLAIN QUERY PLAN ${asked}`).all());
    client.close();
    expect(plan).toContain('departures_with_proofs');
  });
});
