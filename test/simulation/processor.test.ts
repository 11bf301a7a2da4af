/** A simulated process whose code takes time. */
import { describe, expect, it } from 'vitest';
import { createProcessor } from '../../src/simulation/node/processor.ts';
import { installGlobals } from '../../src/simulation/world/globals.ts';
import { letTimePass } from '../../src/simulation/world/loop.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { createScheduler } from '../../src/simulation/world/scheduler.ts';

const START = 1_000_000;

/** A process on one core, and what it did at which time since the beginning. */
function begun() {
  const scheduler = createScheduler(START);
  const processor = createProcessor(scheduler, true);
  const done: [string, number][] = [];
  const note = (what: string) => void done.push([what, processor.time() - START]);
  /** Work of so many milliseconds. */
  const work = (what: string, ms: number) => () => {
    note(what);
    processor.take(ms);
  };
  const arrives = (atMs: number, task: () => void) =>
    void scheduler.after(atMs, () => processor.awake(task));
  return {
    scheduler,
    processor,
    done,
    note,
    work,
    arrives,
    run: () => letTimePass(scheduler, START + 1_000),
  };
}

describe('a process whose code takes time', () => {
  it('gets what arrives when the work before it is done', async () => {
    const { arrives, work, run, done } = begun();
    arrives(0, work('first', 30));
    arrives(5, work('second', 10));
    arrives(100, work('third', 1));
    await run();
    expect(done).toEqual([
      ['first', 0],
      ['second', 30],
      ['third', 100],
    ]);
  });

  it('loses no part of a millisecond', async () => {
    const { arrives, work, run, processor } = begun();
    for (let n = 0; n < 100; n++) arrives(0, work('a little', 0.25));
    await run();
    expect(processor.time()).toBe(START + 25);
  });

  it('sees time pass while it works', () => {
    const { processor, work, done } = begun();
    work('one', 3)();
    work('two', 4)();
    work('three', 1)();
    expect(done.map(([, at]) => at)).toEqual([0, 3, 7]);
    expect(processor.time()).toBe(START + 8);
  });

  it('sends what it says when the work before is done', async () => {
    const { scheduler, processor, arrives, run } = begun();
    const sent: number[] = [];
    arrives(0, () => {
      processor.take(20);
      processor.leave(() => sent.push(scheduler.now() - START));
      processor.take(20);
    });
    await run();
    expect(sent).toEqual([20]);
  });

  it('sends nothing any more once it has ended', async () => {
    const { scheduler, processor, arrives, run } = begun();
    const sent: string[] = [];
    arrives(0, () => {
      processor.take(20);
      processor.leave(() => sent.push('message'));
    });
    scheduler.after(10, () => processor.end());
    await run();
    expect(sent).toEqual([]);
  });

  it('keeps what it says and hears while its machine sleeps', async () => {
    const { scheduler, processor, arrives, work, run, done, note } = begun();
    arrives(0, () => {
      processor.take(20);
      processor.leave(() => note('sent'));
    });
    arrives(30, work('heard', 1));
    scheduler.after(10, () => processor.pause());
    scheduler.after(50, () => processor.resume());
    await run();
    expect(done).toEqual([
      ['sent', 50],
      ['heard', 50],
    ]);
  });

  it('comes to what it has planned for later after what arrived before', async () => {
    const { scheduler, arrives, work, run, done } = begun();
    const fetch = () => Promise.reject(new TypeError('there is no server'));
    const restore = installGlobals({ scheduler, draw: createRandomness(1).of('test'), fetch });
    try {
      arrives(0, () => {
        setTimeout(work('timer', 1), 10);
        const gone = setTimeout(work('cancelled timer', 1), 20);
        setImmediate(() => clearTimeout(gone));
        work('long work', 40)();
      });
      arrives(5, work('heard', 1));
      await run();
    } finally {
      restore();
    }
    expect(done).toEqual([
      ['long work', 0],
      ['heard', 40],
      ['timer', 41],
    ]);
  });

  it('has one tick of a period waiting, however long it works', async () => {
    const { scheduler, arrives, work, note, run, done } = begun();
    const fetch = () => Promise.reject(new TypeError('there is no server'));
    const restore = installGlobals({ scheduler, draw: createRandomness(1).of('test'), fetch });
    try {
      arrives(0, () => {
        const ticking = setInterval(() => note('tick'), 100);
        setTimeout(() => clearInterval(ticking), 500);
        work('long work', 350)();
      });
      await run();
    } finally {
      restore();
    }
    expect(done).toEqual([
      ['long work', 0],
      ['tick', 350],
      ['tick', 400],
    ]);
  });
});
