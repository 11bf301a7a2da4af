import { describe, expect, it } from 'vitest';
import { createCleanup, Interrupted } from '../../../src/host/cleanup.ts';

function made(order?: 'last first' | 'together') {
  const done: string[] = [];
  const failures: unknown[] = [];
  const cleanup = createCleanup((error) => failures.push(error), order);
  const stop = (name: string) => async () => {
    await Promise.resolve();
    done.push(name);
  };
  return { cleanup, done, failures, stop };
}

describe('a cleanup', () => {
  it('ends what was begun last first, once', async () => {
    const { cleanup, done, stop } = made();
    for (const name of ['chain', 'broker', 'node']) await cleanup.add(stop(name));
    await Promise.all([cleanup.end(), cleanup.end()]);
    expect(done).toEqual(['node', 'broker', 'chain']);
  });

  it('goes on when one thing does not end as it should', async () => {
    const { cleanup, done, failures, stop } = made();
    await cleanup.add(stop('chain'));
    await cleanup.add(() => Promise.reject(new Error('stuck')));
    await cleanup.end();
    expect(done).toEqual(['chain']);
    expect(failures).toHaveLength(1);
  });

  it('ends at once what is begun too late, and says so', async () => {
    const { cleanup, done, stop } = made();
    await cleanup.add(stop('chain'));
    const ended = cleanup.end();
    await expect(cleanup.add(stop('node'))).rejects.toBeInstanceOf(Interrupted);
    await ended;
    expect(done.toSorted()).toEqual(['chain', 'node']);
  });

  it('ends everything at the same time when told so', async () => {
    const { cleanup, done, stop } = made('together');
    let release = () => {};
    const first = new Promise<void>((resolve) => {
      release = resolve;
    });
    await cleanup.add(stop('bob'));
    await cleanup.add(() => first);
    await cleanup.add(stop('alice'));
    const ended = cleanup.end();
    await Promise.resolve();
    await Promise.resolve();
    expect(done).toEqual(['bob', 'alice']);
    release();
    await ended;
  });
});
