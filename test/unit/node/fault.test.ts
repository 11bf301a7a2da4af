import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { killAt } from '../../../src/node/runtime/commits/fault.ts';
import { temporaryFolder } from '../../support/store.ts';

const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
afterEach(() => kill.mockClear());

describe('a fault', () => {
  it.each(['', 'commit.before', 'commit.before:0', 'commit.before:x', 'lunch:1', 'file'])(
    'is none when the order is %j',
    (order) => {
      expect(killAt(order)).toBeNull();
    },
  );

  it('kills at the nth meeting of its point, counted from the start', () => {
    const fault = killAt('commit.after:2');
    for (const point of ['commit.after', 'commit.before', 'publish.after'] as const) fault?.(point);
    expect(kill).not.toHaveBeenCalled();
    fault?.('commit.after');
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGKILL');
  });

  it('takes its order from a file once it is there, and counts from then on', () => {
    const file = join(temporaryFolder(), 'order');
    const fault = killAt(`file:${file}`);
    for (let times = 0; times < 3; times++) fault?.('receive.before');
    writeFileSync(file, 'receive.before:2');
    fault?.('receive.before');
    expect(existsSync(file)).toBe(false);
    expect(kill).not.toHaveBeenCalled();
    fault?.('receive.before');
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGKILL');
  });

  it('lets the order be taken back', () => {
    const file = join(temporaryFolder(), 'order');
    const fault = killAt(`file:${file}`);
    writeFileSync(file, 'receive.before:2');
    fault?.('receive.before');
    writeFileSync(file, 'none');
    for (let times = 0; times < 3; times++) fault?.('receive.before');
    expect(kill).not.toHaveBeenCalled();
  });
});
