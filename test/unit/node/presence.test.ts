import { expect, it } from 'vitest';
import { createPresence, type NetworkState } from '../../../src/node/messaging/presence.ts';
import { PARTNER } from '../../support/makers.ts';

/** A partner that was asked, whose answer has yet to come; `backs` counts how often it was met. */
function asked() {
  const clock = { now: 0 };
  const met = { backs: 0 };
  let answer = (_state: NetworkState) => {};
  const presence = createPresence({
    ask: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    elapsed: () => clock.now,
    onBack: () => void met.backs++,
    onAway() {},
  });
  presence.watch(PARTNER);
  presence.heard(PARTNER);
  clock.now += 1_000;
  const checked = presence.check(PARTNER);
  const answered = async (state: NetworkState) => {
    clock.now += 1_000;
    answer(state);
    await checked;
  };
  return { presence, met, answered };
}

it('keeps a partner reachable that is slower than the question waits, but was heard meanwhile', async () => {
  const { presence, met, answered } = asked();
  presence.heard(PARTNER);
  await answered('unknown');
  expect(presence.stateOf(PARTNER)).toBe('reachable');
  presence.heard(PARTNER);
  expect(met.backs).toBe(1);
});

it('meets a partner again that neither answered nor was heard', async () => {
  const { presence, met, answered } = asked();
  await answered('unknown');
  expect(presence.stateOf(PARTNER)).toBe('unknown');
  presence.heard(PARTNER);
  expect(met.backs).toBe(2);
});

it('believes a network that nobody listens, whatever was heard meanwhile', async () => {
  const { presence, answered } = asked();
  presence.heard(PARTNER);
  await answered('unreachable');
  expect(presence.stateOf(PARTNER)).toBe('unreachable');
});
