/** When transaction jobs, and steps that changed nothing, are written. */
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../machines/effects.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { TOKEN } from '../../support/makers.ts';

const job: Effect = {
  type: 'tx.registerToken',
  from: 'node',
  key: 'job',
  deadlineBlock: null,
  token: TOKEN,
};

describe('a transaction', () => {
  it('is on disk before it leaves the node', () => {
    const node = onDisk();
    node.collect('node', job);
    node.turn([ignored]);
    expect(node.answers).toEqual([]);
    node.flush();
    expect(node.batches).toMatchObject([{ jobs: [{ key: 'job', actor: 'node' }], jobsDone: [] }]);
    expect(node.answers).toEqual(['tx.registerToken']);
  });

  it('is not written sooner because messages may be done when none is', () => {
    const node = onDisk();
    node.collect('node', job);
    node.turn([ignored]);
    node.writeDone();
    expect(node.batches).toEqual([]);
  });

  it('that has ended is forgotten in the commit of what its actor made of it', () => {
    const node = onDisk();
    node.endJob('job', ignored);
    node.flush();
    expect(node.batches).toMatchObject([{ jobs: [], jobsDone: ['job'], journal: [{}] }]);
    expect(node.answers).toEqual(['forgetJob']);
  });
});

describe('steps that changed nothing', () => {
  it('are written when there are 200 of them, and no sooner', () => {
    const node = onDisk();
    for (let n = 1; n <= 200; n++) {
      expect(node.batches).toEqual([]);
      // Of one block, few are kept at all.
      node.clock.block += 1n;
      node.turn([ignored]);
      node.flush();
    }
    expect(node.rows().filter(({ kind }) => kind === 'event')).toHaveLength(200);
  });
});
