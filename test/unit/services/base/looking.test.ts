import { describe, expect, it } from 'vitest';
import { createLooking } from '../../../../src/services/base/looking.ts';

const MINUTE = 60_000;
/** Lets what is under way be done. */
const done = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Answers are given by hand; an error: the chain does not answer. */
function looked() {
  const world = { now: 0, asked: 0, read: [] as number[] };
  const waiting: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const looking = createLooking<number>({
    read() {
      world.asked += 1;
      return new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
    },
    onRead: (value) => void world.read.push(value),
    pauseMs: () => MINUTE,
    elapsed: () => world.now,
  });
  async function answer(value: number | Error): Promise<void> {
    const one = waiting.shift();
    if (value instanceof Error) one?.reject(value);
    else one?.resolve(value);
    await done();
  }
  return { world, looking, answer };
}

describe('a look at the chain now and then', () => {
  it('is one at a time, and not before its time, however often it is asked for', async () => {
    const { world, looking, answer } = looked();
    for (let n = 0; n < 10; n++) looking.look();
    expect(world.asked).toBe(1);
    await answer(7);
    world.now = MINUTE - 1;
    looking.look();
    expect(world.asked).toBe(1);
    expect(looking.known()).toEqual({ value: 7, ageMs: MINUTE - 1 });
    world.now = MINUTE;
    looking.look();
    expect(world.asked).toBe(2);
  });

  it('does not count when something happened while it was under way, and is repeated', async () => {
    const { world, looking, answer } = looked();
    looking.look();
    looking.outdate();
    await answer(7);
    expect(world.read).toEqual([]);
    expect(world.asked).toBe(2);
    await answer(8);
    expect(world.read).toEqual([8]);
  });

  it('is repeated soon when the chain does not answer, and what was known holds for a while', async () => {
    const { world, looking, answer } = looked();
    looking.look();
    await answer(new Error('away'));
    expect(looking.trouble()).toContain('away');
    world.now = 5_000;
    looking.look();
    await answer(7);
    expect(looking.trouble()).toBeNull();
    world.now += MINUTE;
    looking.look();
    await answer(new Error('away again'));
    expect(looking.trouble()).toBeNull();
    world.now += 10 * MINUTE;
    expect(looking.trouble()).toContain('away again');
  });

  it('counts for nothing after the end', async () => {
    const { world, looking, answer } = looked();
    looking.look();
    const ended = looking.stop();
    await answer(7);
    await ended;
    looking.look();
    expect(world).toMatchObject({ asked: 1, read: [] });
  });
});
