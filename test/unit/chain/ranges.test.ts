import { describe, expect, it } from 'vitest';
import { growing } from '../../../src/chain/pause.ts';
import { nextBlocks, nextRange, trustAt } from '../../../src/chain/watch/ranges.ts';

/** An answer with few logs. */
const FEW = { logs: 1_000 };

describe('nextRange', () => {
  it('halves after a refusal and never goes below one block', () => {
    expect(nextRange(1000n, 'refused')).toBe(500n);
    expect(nextRange(3n, 'refused')).toBe(1n);
    expect(nextRange(1n, 'refused')).toBe(1n);
  });

  it('grows again after an answer, up to a limit', () => {
    expect(nextRange(1n, FEW)).toBe(2n);
    expect(nextRange(1000n, FEW)).toBe(1251n);
    expect(nextRange(1_000_000n, FEW)).toBe(10_000n);
  });

  it('does not grow while somebody fills the blocks with logs, and shrinks when these are too many', () => {
    expect(nextRange(1000n, { logs: 1_001 })).toBe(1000n);
    expect(nextRange(1000n, { logs: 2_001 })).toBe(500n);
    expect(nextRange(1n, { logs: 100_000 })).toBe(1n);
  });

  it('stays when nobody answers', () => {
    expect(nextRange(640n, 'unreachable')).toBe(640n);
  });
});

describe('nextBlocks', () => {
  it('begins after the cursor and ends at the range or the newest confirmed block', () => {
    expect(nextBlocks(10n, 5000n, 1000n)).toEqual({ fromBlock: 11n, toBlock: 1010n });
    expect(nextBlocks(10n, 12n, 1000n)).toEqual({ fromBlock: 11n, toBlock: 12n });
    expect(nextBlocks(-1n, 0n, 1000n)).toEqual({ fromBlock: 0n, toBlock: 0n });
  });

  it('has nothing when the cursor is at the newest confirmed block, or above it', () => {
    expect(nextBlocks(12n, 12n, 1000n)).toBeNull();
    expect(nextBlocks(13n, 12n, 1000n)).toBeNull();
  });

  it('takes every block exactly once, whatever the ranges', () => {
    let cursor = 0n;
    let range = 7n;
    const taken: bigint[] = [];
    for (let blocks = nextBlocks(cursor, 100n, range); blocks; ) {
      for (let block = blocks.fromBlock; block <= blocks.toBlock; block++) taken.push(block);
      cursor = blocks.toBlock;
      range = nextRange(range, taken.length % 2 === 0 ? 'refused' : FEW);
      blocks = nextBlocks(cursor, 100n, range);
    }
    expect(taken).toEqual(Array.from({ length: 100 }, (_, index) => BigInt(index + 1)));
  });
});

describe('growing', () => {
  it('doubles with each failure up to the longest pause', () => {
    expect([0, 1, 2, 3, 50].map((failures) => growing(100, failures, 500))).toEqual([
      100, 200, 400, 500, 500,
    ]);
  });
});

describe('trustAt', () => {
  it('has every header checked for a node that has something to lose', () => {
    expect(trustAt(100_000n, 5n, true)).toEqual({ nearBlock: 99_963n, soundBlock: 0n });
  });

  it('has the newest headers checked for every node', () => {
    const { nearBlock, soundBlock } = trustAt(100_000n, 5n, false);
    expect(nearBlock - soundBlock).toBe(20_000n);
  });
});
