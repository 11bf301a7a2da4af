import { expect, it } from 'vitest';
import { createStandbyWatch } from '../../../src/host/replica/standby-watch.ts';

it('does not call a standby there that could not be asked for days', async () => {
  let now = 0;
  let isAway = false;
  const watch = createStandbyWatch({
    async ask() {
      if (isAway) throw new Error('the message broker cannot be reached');
      const state = { host: 'there', pid: 1, sequence: 100, epoch: 1, silentMs: 0 } as const;
      return [{ role: 'standby', ...state, isServing: false, isLost: false, agrees: false }];
    },
    acknowledged: () => 100,
    now: () => now,
  });
  await watch.look();
  expect(watch.missingSince()).toBeNull();
  // As with a certificate that has ended: the connection that is there goes on, and no new one is made.
  isAway = true;
  for (let minute = 1; minute <= 2_000; minute++) {
    now = minute * 60_000;
    await watch.look();
  }
  expect(watch.missingSince()).not.toBeNull();
});
