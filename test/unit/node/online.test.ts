import { expect, it } from 'vitest';
import { createOnline } from '../../../src/node/messaging/online.ts';
import { createBus } from '../../../src/partner/bus.ts';
import { OWN } from '../../support/makers.ts';
import { until } from '../../support/until.ts';

/** A node that begins to listen; the network's answer whether there is another process with its key has yet to come. */
function beginning({ isFenced = false } = {}) {
  const told = { rivals: 0 };
  let answer = (_isThere: boolean) => {};
  const findRival = () =>
    new Promise<boolean>((resolve) => {
      answer = resolve;
    });
  const online = createOnline({
    transport: { ...createBus().connect(OWN), findRival },
    publicKey: new Uint8Array(65),
    inbox: { take() {} },
    outbox: { due: () => ({ entries: [], unanswered: [] }), hurry() {} },
    publisher: { repeat() {}, flush() {} },
    presence: { tick() {}, forgetAll() {} },
    sealing: { renew() {} },
    clock: { now: () => 0, elapsed: () => 0, every: () => () => {} },
    onUnanswered() {},
    isPressed: () => false,
    writeDone() {},
    onRival() {
      told.rivals += 1;
      return !isFenced;
    },
    isFenced,
    onSpeaking() {},
  });
  online.begin();
  return { online, told, answer: (isThere: boolean) => answer(isThere) };
}

it('says nothing before it knows that nobody else has its key', async () => {
  const { online, answer } = beginning();
  expect([online.maySpeak(), online.isListening()]).toEqual([false, false]);
  answer(false);
  await until(online.isListening, 'it listens');
  expect(online.maySpeak()).toBe(true);
});

it('never speaks beside another process with its key', async () => {
  const { online, told, answer } = beginning();
  answer(true);
  await until(() => told.rivals > 0, 'it hears of the other');
  expect([online.maySpeak(), online.isListening()]).toEqual([false, false]);
});

it('speaks at once when its stream refuses the other, and tells of it all the same', async () => {
  const { online, told, answer } = beginning({ isFenced: true });
  await until(online.isListening, 'it listens');
  expect(online.maySpeak()).toBe(true);
  answer(true);
  await until(() => told.rivals > 0, 'it hears of the other');
  expect(online.maySpeak()).toBe(true);
});
