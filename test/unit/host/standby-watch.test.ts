import { describe, expect, it } from 'vitest';
import { createStandbyWatch } from '../../../src/host/replica/standby-watch.ts';
import type { ControlAnswer } from '../../../src/replica/control.ts';

const OWNER: ControlAnswer = {
  role: 'owner',
  host: 'here',
  pid: 1,
  sequence: 100,
  epoch: 1,
  silentMs: 0,
  isServing: true,
  isLost: false,
  agrees: false,
};
const standbyAt = (sequence: number): ControlAnswer => ({ ...OWNER, role: 'standby', sequence });

/** Asks once for each of these answers; null: the broker is away. */
async function asked(...answers: (ControlAnswer[] | null)[]) {
  let now = 0;
  let sequence = 100;
  const watch = createStandbyWatch({
    async ask() {
      const answer = answers[now - 1];
      if (answer == null) throw new Error('the message broker cannot be reached');
      return answer;
    },
    acknowledged: () => sequence,
    now: () => now,
  });
  for (const _ of answers) {
    now += 1;
    await watch.look();
    sequence += 100;
  }
  return watch.missingSince();
}

describe('the watch for a standby', () => {
  it('does not know whether there should be one before one was heard', async () => {
    expect(await asked()).toBeUndefined();
    expect(await asked([OWNER], [OWNER], [OWNER])).toBeUndefined();
  });

  it('misses one that was there and does not answer twice', async () => {
    expect(await asked([OWNER, standbyAt(100)])).toBeNull();
    expect(await asked([standbyAt(100)], [OWNER])).toBeNull();
    expect(await asked([standbyAt(100)], [OWNER], [OWNER])).toBe(1);
    expect(await asked([standbyAt(100)], [OWNER], [OWNER], [standbyAt(400)])).toBeNull();
  });

  it('misses one that does not get what the stream has acknowledged', async () => {
    expect(await asked([standbyAt(100)], [standbyAt(100)], [standbyAt(200)])).toBeNull();
    expect(
      await asked([standbyAt(100)], [standbyAt(100)], [standbyAt(100)], [standbyAt(100)]),
    ).toBe(2);
  });

  it('says nothing new while the broker is away', async () => {
    expect(await asked([standbyAt(100)], null, null, null)).toBeNull();
  });
});
