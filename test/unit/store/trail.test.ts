import { describe, expect, it } from 'vitest';
import { type ChainPoint, thinned } from '../../../src/store/tables/trail.ts';
import { batchOf, openedStore } from '../../support/store.ts';

const point = (block: bigint): ChainPoint => ({ block, hash: `0x${block.toString(16)}` });

describe('the blocks that were followed', () => {
  it('are all kept near the newest, and at every depth below some', () => {
    let trail: ChainPoint[] = [];
    for (let block = 1n; block <= 20_000n; block++) trail = thinned([point(block), ...trail]);
    expect(trail.length).toBeLessThan(160);
    expect(trail.slice(0, 129).map(({ block }) => block)).toEqual(
      Array.from({ length: 129 }, (_, depth) => 20_000n - BigInt(depth)),
    );
    for (let depth = 200n; depth < 10_000n; depth *= 2n) {
      const found = trail.find(({ block }) => 20_000n - block >= depth);
      expect(20_000n - (found?.block ?? 0n)).toBeLessThan(2n * depth);
    }
  });

  it('end in the middle of a block as long as some of its logs are not applied', () => {
    const store = openedStore();
    store.commit(batchOf({ cursor: point(5n) }));
    store.commit(batchOf({ cursor: { ...point(7n), lastLog: 0 } }));
    expect(store.cursor()).toEqual({ ...point(7n), lastLog: 0 });
    // Whether the chain has replaced the block is seen by its hash.
    expect(store.trail()).toEqual([point(7n), point(5n)]);
    store.commit(batchOf({ cursor: point(7n) }));
    expect([store.cursor(), store.trail()]).toEqual([point(7n), [point(7n), point(5n)]]);
  });

  it('are whole blocks again where the chain was replaced', () => {
    const store = openedStore();
    store.commit(batchOf({ cursor: point(5n) }));
    store.commit(batchOf({ cursor: { ...point(7n), lastLog: 3 } }));
    const lost = { lostBlock: 7n, lostHash: '0x7', foundHash: '0xa' };
    store.commit(batchOf({ fork: { block: 5n, hash: '0x5', ...lost } }));
    expect(store.cursor()).toEqual(point(5n));
  });

  it('are written with the cursor, and cut with the logs where the chain was replaced', () => {
    const store = openedStore();
    for (const block of [5n, 6n, 9n]) store.commit(batchOf({ cursor: point(block) }));
    expect(store.trail().map(({ block }) => block)).toEqual([9n, 6n, 5n]);
    const lost = { lostBlock: 9n, lostHash: '0x9', foundHash: '0xa' };
    const fork = { block: 6n, hash: '0x6', ...lost };
    store.commit(batchOf({ fork }));
    expect(store.cursor()).toEqual(point(6n));
    expect(store.trail()).toEqual([point(6n), point(5n)]);
    expect(store.fork()).toEqual(fork);
    store.acceptFork();
    expect(store.fork()).toBeNull();
    store.commit(batchOf({ fork: { ...fork, block: 0n, hash: null } }));
    expect([store.cursor(), store.trail()]).toEqual([null, []]);
  });
});
