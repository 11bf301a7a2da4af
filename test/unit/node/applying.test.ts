import { describe, expect, it } from 'vitest';
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { LogBatch } from '../../../src/chain/watch/batches.ts';
import { createApplying } from '../../../src/node/chain/applying.ts';
import { createChainHeight } from '../../../src/node/chain/height.ts';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { createWakeUps } from '../../../src/node/runtime/actors/wake-ups.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { keeper } from '../../support/keeper-makers.ts';
import { secretOf } from '../../support/makers.ts';
import { target } from '../../support/payment-makers.ts';
import { rangeOf } from '../../support/ranges.ts';
import { until } from '../../support/until.ts';

const waiting = (
  id: string,
  { snapshot }: { snapshot: { value: unknown; context: object } },
  parts = {},
) =>
  stateFrom(id, {
    ...snapshot,
    context: { ...snapshot.context, wakeBlock: 9n, ...parts },
  });

/** A node that applies blocks; each log takes `logMs`, and so does each actor that is woken. */
function node({ logMs = 0, fails = false } = {}) {
  const engine = onDisk();
  const wakeUps = createWakeUps();
  const events: string[] = [];
  const take = (what: string) => {
    events.push(what);
    engine.clock.now += logMs;
  };
  const height = createChainHeight(5n);
  const applying = createApplying({
    engine: {
      ...engine,
      turn(deliveries, also) {
        const taken = function* () {
          for (const delivery of deliveries) {
            if (delivery.event.type === 'chain.block') take(delivery.to);
            yield ignored;
          }
        };
        return engine.turn(taken(), also);
      },
    },
    onUrgent: () => {},
    wakeUps: {
      ...wakeUps,
      next: () => wakeUps.next(),
    },
    height,
    deliveriesOf(log: ChainLog) {
      if (fails) throw new Error('it fails');
      take(`log ${log.at.logIndex}`);
      return [ignored];
    },
    store(batch, log) {
      if (log.type === 'chain.secretRevealed')
        batch.registered.push({ secrethash: log.secrethash, block: log.at.block });
      return true;
    },
    now: () => engine.clock.now,
  });
  /** Applies the range. Whenever something else has its turn it is noted, and what was handled is written. */
  async function apply(range: LogBatch) {
    let isOver = false;
    const watch = () => {
      if (isOver) return;
      if (events.length > 0) events.push('between');
      engine.flush();
      setImmediate(watch);
    };
    setImmediate(watch);
    await applying.apply(range);
    isOver = true;
    engine.flush();
  }
  const cursors = () => engine.batches.flatMap(({ cursor }) => cursor ?? []);
  return { ...engine, applying, height, apply, wakeUps, events, cursors };
}

describe('the logs of a range', () => {
  const range = rangeOf({ toBlock: 9n, blocks: [7n, 7n, 7n] });

  it('are in one commit with the place to which the chain is applied', async () => {
    const one = node();
    await one.apply(range);
    expect(one.batches).toMatchObject([
      { cursor: { block: 9n, hash: range.toHash }, registered: [{}, {}, {}] },
    ]);
    expect([one.height.nowBlock(), one.height.wholeBlock()]).toEqual([9n, 9n]);
  });

  it('let others have their turn when each takes long, even within a block', async () => {
    const one = node({ logMs: 9 });
    await one.apply(range);
    expect(one.events).toEqual(['log 0', 'between', 'log 1', 'between', 'log 2']);
  });

  it('are committed as far as they are applied, so that a death repeats none and loses none', async () => {
    const one = node({ logMs: 9 });
    await one.apply(range);
    const seventh = { block: 7n, hash: range.hashes.get(7n) };
    const places = [
      { ...seventh, lastLog: 0 },
      { ...seventh, lastLog: 1 },
    ];
    expect(one.cursors()).toEqual([...places, { block: 9n, hash: range.toHash }]);
    expect(one.batches.map(({ registered }) => registered.length)).toEqual([1, 1, 1]);
  });

  it('are not all applied at a block before the last of them', async () => {
    const one = node({ logMs: 9 });
    const applied = one.applying.apply(range);
    expect([one.height.nowBlock(), one.height.wholeBlock()]).toEqual([7n, 5n]);
    await applied;
    expect([one.height.nowBlock(), one.height.wholeBlock()]).toEqual([9n, 9n]);
  });

  it('are at most 64 in a commit, however quick they are', async () => {
    const one = node();
    await one.apply(rangeOf({ toBlock: 9n, blocks: Array.from({ length: 100 }, () => 7n) }));
    expect(one.batches.map(({ registered }) => registered.length)).toEqual([64, 36]);
  });

  it('stop at a log when the node ends', async () => {
    const one = node({ logMs: 9 });
    const applied = one.applying.apply(range);
    one.applying.end();
    await applied;
    expect(one.events).toEqual(['log 0']);
  });

  it('stop when the node is broken', async () => {
    const one = node({ fails: true });
    await expect(one.applying.apply(range)).rejects.toThrow('it fails');
  });
});

describe('actors that are due', () => {
  const urgent = waiting('target:1', target(), { secret: secretOf(1) });
  const other = waiting('keeper:1', keeper());
  const range = rangeOf({ toBlock: 9n, blocks: [7n, 8n] });

  it('are woken after all logs of the range, in the same commit if there is time', async () => {
    const one = node();
    one.wakeUps.note('a', other);
    await one.apply(range);
    expect(one.events).toEqual(['log 0', 'log 1', 'a']);
    expect(one.batches).toHaveLength(1);
  });

  it('are woken one after the other, those with a deadline before the next range', async () => {
    const one = node({ logMs: 9 });
    for (const id of ['a', 'b']) one.wakeUps.note(id, other);
    for (const id of ['x', 'y']) one.wakeUps.note(id, urgent);
    await one.apply(rangeOf({ toBlock: 9n, blocks: [] }));
    expect(one.events).toEqual(['x', 'between', 'y']);
    await until(() => one.wakeUps.size() === 0);
    expect(one.events).toEqual(['x', 'between', 'y', 'a', 'b']);
  });

  it('give way to a deadline of the next block', async () => {
    const one = node({ logMs: 9 });
    for (const id of ['a', 'b', 'c']) one.wakeUps.note(id, other);
    await one.apply(rangeOf({ toBlock: 9n, blocks: [] }));
    one.wakeUps.note('x', urgent);
    await one.apply(rangeOf({ toBlock: 10n, blocks: [] }));
    await until(() => one.wakeUps.size() === 0);
    expect(one.events.filter((what) => what !== 'between')).toEqual(['a', 'x', 'b', 'c']);
  });

  it('are left for the next process when the node ends', async () => {
    const one = node({ logMs: 9 });
    for (const id of ['a', 'b']) one.wakeUps.note(id, other);
    await one.apply(rangeOf({ toBlock: 9n, blocks: [] }));
    one.applying.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(one.wakeUps.size()).toBe(1);
  });
});
