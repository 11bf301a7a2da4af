/** What happens to a batch when something in it goes wrong: nothing of it may be written, or leave the node. */
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../machines/effects.ts';
import { engine, ignored, onDisk } from '../../support/engine.ts';
import { PARTNER } from '../../support/makers.ts';

const processed: Effect = { type: 'send.processed', to: PARTNER, messageId: 1n };
const refused: Effect = { type: 'reply.error', requestId: 'r', code: 'busy', detail: '' };

/** A node on whose disk a commit fails when it is told to, and what has ended it. */
function failing() {
  const fatal: unknown[] = [];
  const disk = { isFull: false };
  const parts = {
    commit() {
      if (disk.isFull) throw new Error('the disk is full');
    },
    onFatal: (error: unknown) => void fatal.push(error),
  };
  return { node: onDisk(parts), fatal, disk };
}

/** A turn in which the node asks for these effects. */
function asks(node: ReturnType<typeof onDisk>, ...effects: Effect[]) {
  for (const effect of effects) node.collect('node', effect);
  node.turn([ignored]);
}
const job: Effect = {
  type: 'tx.registerToken',
  from: 'node',
  key: 'job',
  deadlineBlock: null,
  token: PARTNER,
};

describe('a commit that fails', () => {
  it('ends the node, which sends and answers nothing of that batch', () => {
    const { node, fatal, disk } = failing();
    asks(node, job, processed, refused);
    disk.isFull = true;
    node.flush();
    expect([node.batches, node.answers, node.isBroken()]).toEqual([[], [], true]);
    expect(fatal).toMatchObject([{ message: 'the disk is full' }]);
  });

  it('is not tried again, and nothing follows it: the state in memory can no longer be trusted', () => {
    const { node, fatal, disk } = failing();
    asks(node, job);
    disk.isFull = true;
    node.flush();
    disk.isFull = false;
    asks(node, job, processed);
    node.endJob('job', ignored);
    node.acknowledge(1n, PARTNER);
    node.flush();
    node.close();
    expect([node.batches, node.answers, fatal.length]).toEqual([[], [], 1]);
  });
});

describe('an event that no actor can handle', () => {
  it('takes the whole batch with it, also what came before', () => {
    const { node, fatal } = failing();
    asks(node, job, processed);
    node.turn(brokenEvents());
    node.flush();
    expect([node.batches, node.answers]).toEqual([[], []]);
    expect(fatal).toMatchObject([{ message: 'drawn in vain' }]);
  });

  /** Events the second of which cannot be drawn. */
  function* brokenEvents() {
    yield ignored;
    throw new Error('drawn in vain');
  }
});

describe('a node that closes', () => {
  it('writes what it has, and takes nothing more', () => {
    const node = engine();
    node.turn([ignored]);
    node.close();
    expect(node.batches).toHaveLength(1);
    asks(node, job, processed);
    node.flush();
    expect(node.batches).toHaveLength(1);
  });
});
