import { describe, expect, it } from 'vitest';
import type { Send } from '../../../machines/effects.ts';
import type { Address } from '../../../src/basics/hex.ts';
import { createOutbox } from '../../../src/node/runtime/outbox/outbox.ts';
import { encode } from '../../../src/store/base/codec.ts';
import {
  CHANNEL,
  EXPIRATION,
  hashOf,
  NETWORK,
  OWN,
  PARTNER,
  STRANGER,
  secretOf,
  TOKEN,
} from '../../support/makers.ts';
import { OTHER_CHANNEL } from '../../support/payment-makers.ts';
import { lockChange, updateOf } from '../../support/update-makers.ts';

const place = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };
const toPartner = (nonce: bigint) => ({ key: `${CHANNEL}:${nonce}`, to: PARTNER, queue: CHANNEL });

function lockExpired(nonce: bigint): Send {
  return { type: 'send.message', ...toPartner(nonce), message: updateOf(nonce) };
}

const facts = { ...place, participant: OWN, totalWithdraw: 30n, expiration: EXPIRATION };

function withdrawRequest(nonce: bigint, messageId: bigint): Send {
  const message = { type: 'WithdrawRequest', ...facts, nonce, coopSettle: false } as const;
  return { type: 'send.message', ...toPartner(nonce), messageId, message };
}

function withdrawExpired(nonce: bigint): Send {
  const message = { type: 'WithdrawExpired', ...facts, nonce } as const;
  return { type: 'send.message', ...toPartner(nonce), message };
}

function reveal(to = PARTNER): Send {
  const message = { type: 'RevealSecret', secret: secretOf(1) } as const;
  return { type: 'send.message', key: `reveal:${to}`, to, queue: null, message };
}

type Box = ReturnType<typeof createOutbox>;

function outbox(clock = { now: 0 }) {
  let drawn = 100n;
  return createOutbox({ rows: [], drawId: () => ++drawn, elapsed: () => clock.now });
}

/** Takes the message, whose batch is then on disk. */
function stored(box: Box, effect: Send) {
  const { key, messageId } = box.add(effect);
  box.stored(key, messageId);
  return messageId;
}

/** Takes the message, and sends it. */
function sent(box: Box, effect: Send): bigint {
  const messageId = stored(box, effect);
  const entry = box.get(effect.key);
  if (entry === undefined) throw new Error('the outbox lost a message');
  box.noteSent(entry);
  return messageId;
}

/** Sends what is due now, and answers what that was. */
function sendDue(box: Box): string[] {
  const { entries } = box.due();
  for (const entry of entries) box.noteSent(entry);
  return entries.map(({ key }) => key);
}

/** A transfer that passes on one of `giver`, with so much metadata. */
function transfer(nonce: bigint, { giver, bytes = 2 }: { giver?: Address; bytes?: number } = {}) {
  const metadata = `"${'x'.repeat(bytes - 2)}"`;
  return {
    type: 'send.message' as const,
    ...toPartner(nonce),
    ...(giver === undefined ? {} : { givers: [{ giver, bytes }] }),
    message: updateOf(nonce, [lockChange({ n: Number(nonce), metadata })]),
  };
}

describe('the outbox', () => {
  it('lets nothing leave that is not on disk yet, however urgent it is', () => {
    const box = outbox();
    stored(box, lockExpired(1n));
    box.add(lockExpired(2n));
    box.hurry(PARTNER);
    expect(box.due().entries.map(({ nonce }) => nonce)).toEqual([1n]);
    expect(box.lacking(CHANNEL).map(({ nonce }) => nonce)).toEqual([1n]);
  });

  it('lets a message leave once, however often it is asked for until it has left', () => {
    const box = outbox();
    stored(box, lockExpired(1n));
    for (const entry of box.lacking(CHANNEL)) entry.isLeaving = true;
    box.hurry(PARTNER);
    expect([box.lacking(CHANNEL), box.due().entries]).toEqual([[], []]);
  });

  it('answers for no message that another has replaced before it was on disk', () => {
    const box = outbox();
    const { key, messageId } = box.add(lockExpired(1n));
    const { messageId: later } = box.add(lockExpired(1n));
    expect(box.stored(key, messageId)).toBeNull();
    expect(box.stored(key, later)?.message.messageId).toBe(later);
  });

  it('may send a message that it has read back from disk', () => {
    const row = outbox().add(lockExpired(1n));
    const box = createOutbox({ rows: [row], drawId: () => 1n, elapsed: () => 0 });
    expect(box.due().entries).toHaveLength(1);
  });

  it.each([
    ['nothing', null],
    ['text', 'RevealSecret'],
    ['a message without an identifier', { type: 'RevealSecret' }],
    ['an identifier without a message', { messageId: 1n }],
  ])('refuses a row of the disk that holds %s', (_, body) => {
    const row = { ...outbox().add(lockExpired(1n)), body: encode(body) };
    const read = () => createOutbox({ rows: [row], drawId: () => 1n, elapsed: () => 0 });
    expect(read).toThrow('a row holds no message');
  });

  it('gives no two messages that wait the same identifier, whatever is drawn', () => {
    const drawn = [7n, 7n, 7n, 8n];
    const box = createOutbox({ rows: [], drawId: () => drawn.shift() ?? 9n, elapsed: () => 0 });
    const ids = [1n, 2n].map((nonce) => box.add(lockExpired(nonce)).messageId);
    expect(ids).toEqual([7n, 8n]);
    expect(box.acknowledge(7n, PARTNER)).toEqual([`${CHANNEL}:1`]);
    expect(box.get(`${CHANNEL}:2`)).toBeDefined();
  });

  it('keeps withdraw messages when a balance proof shows what the partner holds', () => {
    const box = outbox();
    for (const effect of [
      lockExpired(1n),
      withdrawRequest(2n, 7n),
      withdrawExpired(3n),
      lockExpired(4n),
      lockExpired(5n),
    ])
      box.add(effect);
    expect(box.dropQueue(CHANNEL, 4n)).toEqual([`${CHANNEL}:1`, `${CHANNEL}:4`]);
    expect(box.size()).toBe(3);
    expect(box.dropQueue(CHANNEL, null)).toHaveLength(3);
  });

  it('gives a message the identifier that was drawn before, and draws the others', () => {
    const box = outbox();
    expect(box.add(withdrawRequest(1n, 7n)).messageId).toBe(7n);
    expect(box.add(withdrawExpired(2n)).messageId).toBe(101n);
    expect(box.acknowledge(101n, PARTNER)).toEqual([`${CHANNEL}:2`]);
  });

  it('holds a request for consent back until no balance proof before it is left', () => {
    const box = outbox();
    const first = sent(box, lockExpired(1n));
    stored(box, withdrawRequest(2n, 7n));
    sent(box, lockExpired(3n));
    expect(box.lacking(CHANNEL)).toEqual([]);
    box.hurry(PARTNER);
    expect(sendDue(box)).toEqual([`${CHANNEL}:1`]);
    box.acknowledge(first, PARTNER);
    expect(sendDue(box)).toEqual([`${CHANNEL}:2`]);
  });

  it('keeps a request for consent until it is answered, whatever is acknowledged', () => {
    const box = outbox();
    box.add(withdrawRequest(1n, 7n));
    expect(box.acknowledge(7n, PARTNER)).toEqual([]);
    expect(box.remove(`${CHANNEL}:1`)).toBe(`${CHANNEL}:1`);
  });

  it('holds a request back only for balance proofs of its own channel', () => {
    const box = outbox();
    stored(box, { ...lockExpired(1n), key: 'other', queue: OTHER_CHANNEL });
    stored(box, withdrawRequest(2n, 7n));
    expect(box.lacking(CHANNEL)).toHaveLength(1);
  });
});

describe('an acknowledgement', () => {
  it('ends a message only when the recipient itself sends it', () => {
    const box = outbox();
    const { messageId } = box.add(lockExpired(1n));
    expect(box.acknowledge(messageId, STRANGER)).toEqual([]);
    expect(box.acknowledge(messageId, PARTNER)).toEqual([`${CHANNEL}:1`]);
    expect(box.acknowledge(messageId, PARTNER)).toEqual([]);
  });

  it('ends no reveal and no request of a secret: the next message of the payment does', () => {
    const box = outbox();
    const facts = { paymentId: 1n, secrethash: hashOf(1), amount: 10n, expiration: EXPIRATION };
    const request = { type: 'SecretRequest', ...facts, token: TOKEN } as const;
    const asking: Send = { ...reveal(), key: 'request', message: request };
    for (const effect of [reveal(), asking]) {
      const { key, messageId } = box.add(effect);
      expect(box.acknowledge(messageId, PARTNER)).toEqual([]);
      expect(box.get(key)).toBeDefined();
    }
  });

  it('of a message that another has replaced since does not end that one', () => {
    const box = outbox();
    const { messageId } = box.add(lockExpired(1n));
    box.add(lockExpired(1n));
    expect(box.acknowledge(messageId, PARTNER)).toEqual([]);
    expect(box.size()).toBe(1);
  });

  it('of a balance proof ends those before it, too, but no withdraw message', () => {
    const box = outbox();
    for (const effect of [lockExpired(1n), withdrawExpired(2n), lockExpired(3n)]) sent(box, effect);
    const fourth = sent(box, lockExpired(4n));
    sent(box, lockExpired(5n));
    expect(box.acknowledge(fourth, PARTNER)).toEqual(
      [1n, 3n, 4n].map((nonce) => `${CHANNEL}:${nonce}`),
    );
    expect(box.size()).toBe(2);
  });
});

describe('a message that is not acknowledged', () => {
  it('is repeated after pauses that double, up to half a minute', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    sent(box, reveal());
    const pauses = Array.from({ length: 7 }, () => {
      const begin = clock.now;
      while (sendDue(box).length === 0) clock.now += 500;
      return clock.now - begin;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('is repeated alone: of a channel only the oldest, and both sides compare what they hold', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (const nonce of [1n, 2n, 3n]) sent(box, lockExpired(nonce));
    sent(box, { ...lockExpired(1n), key: 'other', queue: OTHER_CHANNEL });
    clock.now = 1_000;
    const { entries, unanswered } = box.due();
    expect(entries.map(({ key }) => key)).toEqual([`${CHANNEL}:1`, 'other']);
    expect(unanswered).toEqual([CHANNEL, OTHER_CHANNEL]);
  });

  it('waits a while longer with each answer to one before it', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    const ids = [1n, 2n].map((nonce) => sent(box, lockExpired(nonce)));
    clock.now = 900;
    box.acknowledge(ids[0] ?? 0n, PARTNER);
    clock.now = 3_500;
    expect(sendDue(box)).toEqual([]);
    clock.now = 3_600;
    expect(sendDue(box)).toEqual([`${CHANNEL}:2`]);
  });

  it('is repeated after a pause made of measured answers, of those to messages sent once', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    const answerAfter = (ms: number) => {
      const messageId = sent(box, lockExpired(9n));
      clock.now += ms;
      box.acknowledge(messageId, PARTNER);
    };
    for (let n = 0; n < 50; n++) answerAfter(600);
    sent(box, lockExpired(1n));
    // The answers are as steady as can be, and yet a moment's standstill repeats nothing.
    clock.now += 790;
    expect(sendDue(box)).toEqual([]);
    clock.now += 20;
    expect(sendDue(box)).toEqual([`${CHANNEL}:1`]);
  });

  it('keeps its longer pause for the next one, until a message that was sent once is answered', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    const first = sent(box, lockExpired(1n));
    clock.now = 1_000;
    sendDue(box);
    clock.now = 2_000;
    box.acknowledge(first, PARTNER);
    const second = sent(box, lockExpired(2n));
    clock.now = 3_999;
    expect(sendDue(box)).toEqual([]);
    box.acknowledge(second, PARTNER);
    sent(box, lockExpired(3n));
    clock.now += 10_000;
    expect(sendDue(box)).toEqual([`${CHANNEL}:3`]);
  });

  it('is not repeated when it was answered while it was being sent', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    sent(box, reveal());
    clock.now = 1_000;
    const { entries } = box.due();
    for (const { key } of entries) box.remove(key);
    for (const entry of entries) box.noteSent(entry);
    clock.now = 60_000;
    expect(entries).toHaveLength(1);
    expect(sendDue(box)).toEqual([]);
  });

  it('is repeated at once, and soon again, when its recipient is back', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (const to of [PARTNER, STRANGER]) sent(box, reveal(to));
    clock.now = 20_000;
    expect(sendDue(box)).toHaveLength(2);
    box.hurry(PARTNER);
    expect(sendDue(box)).toEqual([`reveal:${PARTNER}`]);
    clock.now = 21_000;
    expect(sendDue(box)).toEqual([`reveal:${PARTNER}`]);
  });

  it('is asked for again at once when its recipient’s key becomes known', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    stored(box, reveal());
    const entry = box.get(`reveal:${PARTNER}`);
    if (entry !== undefined) box.noteUnsealable(entry);
    expect(sendDue(box)).toEqual([]);
    box.hurry(PARTNER);
    expect(sendDue(box)).toEqual([`reveal:${PARTNER}`]);
  });

  it('outside of channels counts as lost when what was sent clearly later is answered', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    sent(box, { ...reveal(), key: 'lost' });
    sent(box, { ...reveal(), key: 'lost with it' });
    clock.now = 500;
    sent(box, { ...reveal(), key: 'answered' });
    sent(box, { ...reveal(), key: 'on its way' });
    clock.now = 700;
    expect(sendDue(box)).toEqual([]);
    box.remove('answered', PARTNER);
    expect(sendDue(box)).toEqual(['lost', 'lost with it']);
  });
});

describe('messages outside of channels', () => {
  /** Sends one, answers it after so many milliseconds, and says how often it was sent until then. */
  function sendsUntilAnswered(box: Box, clock: { now: number }, ms: number): number {
    const begun = clock.now;
    sent(box, reveal());
    let sends = 1;
    for (; clock.now < begun + ms; clock.now += 50) sends += sendDue(box).length;
    box.remove(reveal().key, PARTNER);
    return sends;
  }

  it('are sent once when the line has become slow, after a few that were sent too often', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (let count = 0; count < 20; count++) sendsUntilAnswered(box, clock, 50);
    const sends = Array.from({ length: 5 }, () => sendsUntilAnswered(box, clock, 2_000));
    expect(sends).toEqual([4, 1, 1, 1, 1]);
  });

  it('do not count as lost because the first copy of a later one is answered after its second', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (let count = 0; count < 20; count++) sendsUntilAnswered(box, clock, 50);
    sent(box, { ...reveal(), key: 'answered' });
    clock.now += 240;
    sent(box, { ...reveal(), key: 'on its way' });
    clock.now += 20;
    expect(sendDue(box)).toEqual(['answered']);
    clock.now += 120;
    box.remove('answered', PARTNER);
    expect(sendDue(box)).toEqual([]);
  });

  it('to a recipient that answers none of them have pauses that others do not lengthen', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (let count = 0; count < 5; count++) sent(box, { ...reveal(), key: `silent ${count}` });
    for (; clock.now < 60_000; clock.now += 100) sendDue(box);
    sent(box, { ...reveal(), key: 'honest' });
    clock.now += 1_000;
    expect(sendDue(box)).toContain('honest');
  });
});

describe('what a partner lacks of a channel', () => {
  it('is sent again in order when it says what it holds, and not while it may be under way', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (const nonce of [1n, 2n, 3n]) sent(box, lockExpired(nonce));
    expect(box.lacking(CHANNEL)).toEqual([]);
    clock.now = 100;
    const again = box.lacking(CHANNEL);
    expect(again.map(({ nonce }) => nonce)).toEqual([1n, 2n, 3n]);
    for (const entry of again) box.noteSent(entry);
    expect(box.lacking(CHANNEL)).toEqual([]);
  });

  it('is sent again as soon as it can have been answered, on a line that is known to be fast', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    const messageId = sent(box, lockExpired(1n));
    clock.now = 3;
    box.acknowledge(messageId, PARTNER);
    sent(box, lockExpired(2n));
    clock.now = 10;
    expect(box.lacking(CHANNEL)).toEqual([]);
    clock.now = 13;
    expect(box.lacking(CHANNEL).map(({ nonce }) => nonce)).toEqual([2n]);
  });

  it('is sent again a slice at a time: 128 messages, or 256 kB', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (let nonce = 1n; nonce <= 500n; nonce++) sent(box, lockExpired(nonce));
    const large = outbox(clock);
    for (let nonce = 1n; nonce <= 60n; nonce++) sent(large, transfer(nonce, { bytes: 16_000 }));
    clock.now = 60_000;
    expect(box.lacking(CHANNEL)).toHaveLength(128);
    expect(large.lacking(CHANNEL)).toHaveLength(15);
    expect(box.due().entries).toHaveLength(1);
  });

  it('after a start is its oldest message, and the rest when the partner asks for it', () => {
    const rows = [1n, 2n, 3n].map((nonce) => outbox().add(lockExpired(nonce)));
    const box = createOutbox({ rows, drawId: () => 1n, elapsed: () => 0 });
    expect(sendDue(box)).toEqual([`${CHANNEL}:1`]);
    expect(box.dropQueue(CHANNEL, 1n)).toHaveLength(1);
    expect(box.lacking(CHANNEL).map(({ nonce }) => nonce)).toEqual([2n, 3n]);
  });

  it('is due for 64 lanes at a time, and for the others when it is asked again', () => {
    const rows = Array.from({ length: 100 }, (_, at) =>
      outbox().add({ ...lockExpired(1n), key: `${at}`, queue: `channel:${at}` }),
    );
    let drawn = 0n;
    const own = rows.map((row) => ({ ...row, messageId: ++drawn }));
    const box = createOutbox({ rows: own, drawId: () => 1n, elapsed: () => 0 });
    expect([sendDue(box).length, sendDue(box).length, sendDue(box).length]).toEqual([64, 36, 0]);
  });
});

describe('what waits for acknowledgement', () => {
  it('is counted for each channel, and for the partner whose transfers are passed on', () => {
    const box = outbox();
    stored(box, transfer(1n, { giver: STRANGER, bytes: 1_000 }));
    stored(box, transfer(2n, { bytes: 1_000 }));
    const { rows, bytes } = box.backlog(CHANNEL);
    expect([rows, bytes > 2_000, box.queues()]).toEqual([2, true, [CHANNEL]]);
    expect(box.givenBy(CHANNEL, STRANGER)).toBe(1_000);
    expect(box.givenBy(OTHER_CHANNEL, STRANGER)).toBe(0);
    box.dropQueue(CHANNEL, 1n);
    expect([box.givenBy(CHANNEL, STRANGER), box.backlog(CHANNEL).rows]).toEqual([0, 1]);
    box.dropQueue(CHANNEL, null);
    expect([box.backlog(CHANNEL), box.queues()]).toEqual([{ rows: 0, bytes: 0 }, []]);
  });

  it('is counted in bytes, also of metadata in letters that take several', () => {
    const box = outbox();
    const metadata = `"${'\u96ea'.repeat(1_000)}"`;
    const message = updateOf(1n, [lockChange({ metadata })]);
    stored(box, { type: 'send.message', ...toPartner(1n), message });
    expect(box.backlog(CHANNEL).bytes).toBeGreaterThan(3_000);
  });
});
