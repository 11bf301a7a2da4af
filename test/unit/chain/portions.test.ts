import { describe, expect, it } from 'vitest';
import type { LogBatch } from '../../../src/chain/watch/batches.ts';
import { blockAfter, placeAfter, restAfter } from '../../../src/chain/watch/portions.ts';
import { rangeOf } from '../../support/ranges.ts';

/** Two logs in block 7, one in block 9, and nothing up to block 12. */
const RANGE = rangeOf({ toBlock: 12n, blocks: [7n, 7n, 9n] });
const hashIn = (block: bigint) => RANGE.hashes.get(block);
const indexes = ({ logs }: LogBatch) => logs.map(({ at }) => [at.block, at.logIndex]);

describe('a range of which some logs are handled', () => {
  it('is handled up to a log, as long as more of the same block are to come', () => {
    expect(placeAfter(RANGE, 1)).toEqual({ block: 7n, hash: hashIn(7n), lastLog: 0 });
    expect(blockAfter(RANGE, 1)).toBe(7n);
  });

  it('is handled up to the block of the last log, and nothing is unknown before the next', () => {
    expect(placeAfter(RANGE, 2)).toEqual({ block: 7n, hash: hashIn(7n) });
    expect(blockAfter(RANGE, 2)).toBe(8n);
  });

  it('is handled to its end with the last log', () => {
    expect(placeAfter(RANGE, 3)).toEqual({ block: 12n, hash: RANGE.toHash });
    expect(blockAfter(RANGE, 3)).toBe(12n);
  });

  it('leaves the logs behind the place', () => {
    expect(indexes(restAfter(placeAfter(RANGE, 1), RANGE))).toEqual([
      [7n, 1],
      [9n, 2],
    ]);
    expect(restAfter({ block: 6n, hash: null }, RANGE)).toBe(RANGE);
  });

  it('has no place whose hash nobody knows', () => {
    const unknown = { ...RANGE, hashes: new Map() };
    expect(() => placeAfter(unknown, 1)).toThrow('block 7');
  });
});
