import { describe, expect, it } from 'vitest';
import type { Send } from '../../../machines/effects.ts';
import { createOutbox } from '../../../src/node/runtime/outbox/outbox.ts';
import { createRoundTrip } from '../../../src/node/runtime/outbox/round-trips.ts';
import {
  CHANNEL,
  EXPIRATION,
  hashOf,
  PARTNER,
  STRANGER,
  secretOf,
  TOKEN,
} from '../../support/makers.ts';
import { updateOf } from '../../support/update-makers.ts';

/** What this node, a target, asks whoever a stranger has named as the initiator of a lock of one unit. */
function request(n: number): Send {
  const numbers = { paymentId: 1n, amount: 1n, expiration: EXPIRATION, token: TOKEN };
  const message = { type: 'SecretRequest', ...numbers, secrethash: hashOf(n) } as const;
  return { type: 'send.message', key: `request:target:${n}`, to: PARTNER, queue: null, message };
}
function reveal(n: number): Send {
  const message = { type: 'RevealSecret', secret: secretOf(n) } as const;
  return { type: 'send.message', key: `reveal:${n}`, to: PARTNER, queue: null, message };
}
function lockExpired(nonce: bigint): Send {
  const message = updateOf(nonce);
  return { type: 'send.message', key: `${CHANNEL}:${nonce}`, to: PARTNER, queue: CHANNEL, message };
}

function world() {
  const clock = { now: 0 };
  let drawn = 100n;
  const box = createOutbox({ rows: [], drawId: () => ++drawn, elapsed: () => clock.now });
  const sends: [string, number][] = [];
  const send = (effect: Send) => {
    const { key, messageId } = box.add(effect);
    box.stored(key, messageId);
    const entry = box.get(key);
    if (entry !== undefined) box.noteSent(entry);
    return messageId;
  };
  /** The ticks of so many milliseconds; what is due is sent. */
  const pass = (ms: number) => {
    for (const end = clock.now + ms; clock.now < end; clock.now += 100)
      for (const entry of box.due().entries) {
        box.noteSent(entry);
        sends.push([entry.key, clock.now]);
      }
  };
  const times = (key: string) => sends.filter(([one]) => one === key).map(([, at]) => at);
  return { clock, box, send, pass, times };
}

describe('messages to a recipient whose key is not known', () => {
  it('make it be asked after a second, and then after twice as long, however many wait', () => {
    const { box, clock } = world();
    const asked: number[] = [];
    for (let n = 1; n <= 8; n++) {
      const { key, messageId } = box.add(reveal(n));
      box.stored(key, messageId);
    }
    const all = Array.from({ length: 8 }, (_, n) => box.get(`reveal:${n + 1}`));
    for (const entry of all) if (entry !== undefined) box.noteUnsealable(entry);
    for (; clock.now < 8_000; clock.now += 100) {
      const { entries } = box.due();
      if (entries.length > 0) asked.push(clock.now);
      for (const entry of entries) box.noteUnsealable(entry);
    }
    expect(asked).toEqual([1_000, 3_000, 7_000]);
  });
});

describe('a request that is never answered, since a stranger has named an initiator that gave no lock', () => {
  it('does not keep a lost RevealSecret from being repeated', () => {
    const { send, pass, times } = world();
    send(request(1));
    pass(5_000);
    send(reveal(2));
    pass(600_000);
    expect(times('reveal:2').length).toBeGreaterThan(0);
  });

  it('does not keep it from being repeated when its recipient is back', () => {
    const { send, pass, times, box } = world();
    send(request(1));
    pass(5_000);
    send(reveal(2));
    pass(5_000);
    box.hurry(PARTNER);
    pass(2_000);
    expect(times('reveal:2').length).toBeGreaterThan(0);
  });

  it('is repeated ever more seldom', () => {
    const { send, pass, times } = world();
    send(request(1));
    // As long as a lock may last: a thousand blocks.
    pass(12_000_000);
    expect(times('request:target:1').length).toBeLessThan(60);
  });

  it('does not slow down what is repeated in channels with the same partner', () => {
    const { send, pass, times, box, clock } = world();
    // The partner answers in its channel within 50 ms.
    const first = send(lockExpired(1n));
    clock.now += 50;
    box.acknowledge(first, PARTNER);
    send(request(1));
    pass(300_000);
    const at = clock.now;
    send(lockExpired(2n));
    pass(60_000);
    expect((times(`${CHANNEL}:2`)[0] ?? Number.POSITIVE_INFINITY) - at).toBeLessThan(2_000);
  });

  it('does not keep it from being repeated while the stranger ends one request after the other', () => {
    const { send, pass, times, box } = world();
    send(reveal(2));
    for (let n = 10; n < 60; n++) {
      send(request(n));
      pass(150);
      box.remove(`request:target:${n}`, STRANGER);
    }
    expect(times('reveal:2').length).toBeGreaterThan(2);
  });

  it('does not let others choose how long this partner is waited for', () => {
    const { send, pass, times, box, clock } = world();
    const first = send(lockExpired(1n));
    clock.now += 50;
    box.acknowledge(first, PARTNER);
    // Whoever gave the lock knows its secret, and shows it itself: just before the request would be repeated.
    const known = createRoundTrip();
    known.note(50);
    for (let n = 1; n <= 30; n++) {
      send(request(n));
      const waited = known.pause(0) - 1;
      clock.now += waited;
      known.note(waited);
      box.remove(`request:target:${n}`, STRANGER);
    }
    const at = clock.now;
    send(lockExpired(2n));
    pass(60_000);
    expect((times(`${CHANNEL}:2`)[0] ?? Number.POSITIVE_INFINITY) - at).toBeLessThan(2_000);
  });
});
