import { expect, it } from 'vitest';
import { createOnline } from '../../../src/node/messaging/online.ts';
import { createBus } from '../../../src/partner/bus.ts';
import type { Rival } from '../../../src/partner/transport.ts';
import { OWN } from '../../support/makers.ts';
import { until } from '../../support/until.ts';

/** A node that begins to listen; the network's answer whether there is another process with its key has yet to come. */
function beginning({ hasTakenOver = false } = {}) {
  const told: string[] = [];
  const ticks = new Map<number, () => void>();
  let answer = (_rival: Rival) => {};
  const findRival = () =>
    new Promise<Rival>((resolve) => {
      answer = resolve;
    });
  const joined = createBus().connect(OWN);
  const online = createOnline({
    transport: { ...joined, findRival, rivalIntervalMs: 60_000 },
    publicKey: new Uint8Array(65),
    inbox: { take() {} },
    outbox: { due: () => ({ entries: [], unanswered: [] }), hurry() {} },
    publisher: { repeat() {}, flush() {} },
    presence: { tick() {}, forgetAll() {} },
    sealing: { renew() {} },
    clock: {
      now: () => 0,
      elapsed: () => 0,
      every(ms, work) {
        ticks.set(ms, work);
        return () => {};
      },
    },
    onUnanswered() {},
    isPressed: () => false,
    writeDone() {},
    onRival: () => void told.push('rival'),
    onFenced: () => void told.push('fenced'),
    hasTakenOver,
    onSpeaking: () => void told.push('speaks'),
  });
  online.begin();
  return {
    online,
    told,
    isJoined: joined.isConnected,
    answer: (rival: Rival) => answer(rival),
    passMinute: () => ticks.get(60_000)?.(),
  };
}

it('says nothing before it knows that nobody else has its key', async () => {
  const { online, answer } = beginning();
  expect([online.maySpeak(), online.isListening()]).toEqual([false, false]);
  answer('none');
  await until(online.isListening, 'it listens');
  expect(online.maySpeak()).toBe(true);
});

it('never speaks beside another process with its key', async () => {
  const { online, told, answer } = beginning();
  answer('free');
  await until(() => told.includes('rival'), 'it hears of the other');
  expect([online.maySpeak(), online.isListening()]).toEqual([false, false]);
});

it('speaks, and tells of it, when the other writes into its own stream, which refuses that one', async () => {
  const { online, told, answer } = beginning();
  expect(online.maySpeak()).toBe(false);
  answer('fenced');
  await until(online.isListening, 'it listens');
  expect([online.maySpeak(), told]).toEqual([true, ['fenced', 'speaks']]);
});

it('speaks at once after it has taken over, and tells of the one that it replaced once', async () => {
  const { online, told, answer } = beginning({ hasTakenOver: true });
  await until(online.isListening, 'it listens');
  expect(online.maySpeak()).toBe(true);
  answer('fenced');
  await until(() => told.includes('fenced'), 'it hears of the other');
  expect([online.maySpeak(), told]).toEqual([true, ['speaks', 'fenced']]);
});

it('is silent after it has taken over as soon as it finds a process of another stream', async () => {
  const { online, told, answer } = beginning({ hasTakenOver: true });
  answer('free');
  await until(() => told.includes('rival'), 'it hears of the other');
  expect(online.maySpeak()).toBe(false);
});

it('is silent as soon as another process is found that came while the servers of the broker had lost each other', async () => {
  const { online, told, answer, passMinute } = beginning();
  answer('none');
  await until(online.isListening, 'it listens');
  answer('none');
  passMinute();
  expect(online.maySpeak()).toBe(true);
  answer('free');
  await until(() => told.includes('rival'), 'it hears of the other');
  expect(online.maySpeak()).toBe(false);
});

it('leaves when it gives way, so that the other does not find it and give way as well', async () => {
  const { online, told, isJoined, answer, passMinute } = beginning();
  answer('none');
  await until(online.isListening, 'it listens');
  answer('fenced');
  passMinute();
  await until(() => told.includes('fenced'), 'it hears of one that its stream keeps out');
  expect(isJoined()).toBe(true);
  answer('free');
  await until(() => told.includes('rival'), 'it hears of the other');
  expect(isJoined()).toBe(false);
});
