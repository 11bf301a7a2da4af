import { describe, expect, it } from 'vitest';
import type { Send } from '../../../machines/effects.ts';
import { createOutbox } from '../../../src/node/runtime/outbox.ts';
import { NO_LOCKS_ROOT } from '../../../src/protocol/lock.ts';
import { encode } from '../../../src/store/codec.ts';
import {
  CHANNEL,
  EXPIRATION,
  hashOf,
  NETWORK,
  OWN,
  PARTNER,
  STRANGER,
  secretOf,
} from '../../support/makers.ts';
import { OTHER_CHANNEL } from '../../support/payment-makers.ts';

const place = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };
const toPartner = (nonce: bigint) => ({ key: `${CHANNEL}:${nonce}`, to: PARTNER, queue: CHANNEL });

function lockExpired(nonce: bigint): Send {
  const amounts = { transferredAmount: 0n, lockedAmount: 0n, locksroot: NO_LOCKS_ROOT };
  const rest = { recipient: PARTNER, secrethash: hashOf(1) };
  const message = { type: 'LockExpired', ...place, ...amounts, ...rest, nonce } as const;
  return { type: 'send.message', ...toPartner(nonce), message };
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

function outbox(clock = { now: 0 }) {
  let drawn = 100n;
  return createOutbox({ rows: [], drawId: () => ++drawn, elapsed: () => clock.now });
}

/** Takes the message, whose batch is then on disk. */
function stored(box: ReturnType<typeof outbox>, effect: Send) {
  const entry = box.get(box.add(effect).key);
  if (entry === undefined) throw new Error('the outbox lost a message');
  box.noteStored(entry);
}

describe('the outbox', () => {
  it('lets nothing leave that is not on disk yet, however urgent it is', () => {
    const box = outbox();
    stored(box, lockExpired(1n));
    box.add(lockExpired(2n));
    box.hurry(PARTNER);
    expect(box.due().map(({ nonce }) => nonce)).toEqual([1n]);
    expect(box.ofQueue(CHANNEL).map(({ nonce }) => nonce)).toEqual([1n]);
  });

  it('may send a message that it has read back from disk', () => {
    const row = outbox().add(lockExpired(1n));
    const box = createOutbox({ rows: [row], drawId: () => 1n, elapsed: () => 0 });
    expect(box.due()).toHaveLength(1);
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
    expect(box.acknowledge(7n, PARTNER)).toBe(`${CHANNEL}:1`);
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
    expect(box.acknowledge(101n, PARTNER)).toBe(`${CHANNEL}:2`);
  });

  it('holds a request for consent back until no balance proof before it is left', () => {
    const box = outbox();
    for (const effect of [lockExpired(1n), withdrawRequest(2n, 7n), lockExpired(3n)])
      stored(box, effect);
    const ready = () => box.due().map(({ nonce }) => nonce);
    expect(ready()).toEqual([1n, 3n]);
    expect(box.ofQueue(CHANNEL)).toHaveLength(2);
    box.remove(`${CHANNEL}:1`);
    expect(ready()).toEqual([2n, 3n]);
  });

  it('repeats what a request waits for no sooner because of it', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (const effect of [lockExpired(1n), withdrawRequest(2n, 7n)]) stored(box, effect);
    for (const entry of box.due()) box.noteSent(entry);
    clock.now = 499;
    expect(box.due()).toEqual([]);
    clock.now = 500;
    expect(box.due().map(({ nonce }) => nonce)).toEqual([1n]);
  });

  it('keeps a request for consent until it is answered, whatever is acknowledged', () => {
    const box = outbox();
    box.add(withdrawRequest(1n, 7n));
    expect(box.acknowledge(7n, PARTNER)).toBeNull();
    expect(box.remove(`${CHANNEL}:1`)).toBe(`${CHANNEL}:1`);
  });

  it('holds a request back only for balance proofs of its own channel', () => {
    const box = outbox();
    stored(box, { ...lockExpired(1n), key: 'other', queue: OTHER_CHANNEL });
    stored(box, withdrawRequest(2n, 7n));
    expect(box.ofQueue(CHANNEL)).toHaveLength(1);
  });
});

describe('an acknowledgement', () => {
  it('ends a message only when the recipient itself sends it', () => {
    const box = outbox();
    const { messageId } = box.add(lockExpired(1n));
    expect(box.acknowledge(messageId, STRANGER)).toBeNull();
    expect(box.acknowledge(messageId, PARTNER)).toBe(`${CHANNEL}:1`);
    expect(box.acknowledge(messageId, PARTNER)).toBeNull();
  });

  it('ends no reveal and no request of a secret: the next message of the payment does', () => {
    const box = outbox();
    const facts = { paymentId: 1n, secrethash: hashOf(1), amount: 10n, expiration: EXPIRATION };
    const request = { type: 'SecretRequest', ...facts } as const;
    const asking: Send = { ...reveal(), key: 'request', message: request };
    for (const effect of [reveal(), asking]) {
      const { key, messageId } = box.add(effect);
      expect(box.acknowledge(messageId, PARTNER)).toBeNull();
      expect(box.get(key)).toBeDefined();
    }
  });

  it('of a message that another has replaced since does not end that one', () => {
    const box = outbox();
    const { messageId } = box.add(lockExpired(1n));
    box.add(lockExpired(1n));
    expect(box.acknowledge(messageId, PARTNER)).toBeNull();
    expect(box.size()).toBe(1);
  });
});

describe('a message that is not acknowledged', () => {
  it('is repeated after pauses that double, up to half a minute', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    stored(box, reveal());
    const pauses = Array.from({ length: 8 }, () => {
      const begin = clock.now;
      for (const entry of box.due()) box.noteSent(entry);
      for (let n = 0; n < 100 && box.due().length === 0; n++) clock.now += 500;
      return clock.now - begin;
    });
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('is repeated with all others of its channel, in the order of their nonces', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    stored(box, lockExpired(1n));
    stored(box, { ...lockExpired(1n), key: 'other', queue: OTHER_CHANNEL });
    for (const entry of box.due()) box.noteSent(entry);
    stored(box, lockExpired(2n));
    expect(box.due().map(({ key }) => key)).toEqual([`${CHANNEL}:1`, `${CHANNEL}:2`]);
  });

  it('is not repeated when it was answered while it was being sent', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    stored(box, reveal());
    const taken = box.due();
    for (const { key } of taken) box.remove(key);
    for (const entry of taken) box.noteSent(entry);
    clock.now = 60_000;
    expect(taken).toHaveLength(1);
    expect(box.due()).toEqual([]);
  });

  it('is repeated at once, and soon again, when its recipient is back', () => {
    const clock = { now: 0 };
    const box = outbox(clock);
    for (const to of [PARTNER, STRANGER]) stored(box, reveal(to));
    const sendAll = () => {
      const entries = box.due();
      for (const entry of entries) box.noteSent(entry);
      return entries.map(({ to }) => to);
    };
    expect([sendAll(), sendAll()]).toEqual([[PARTNER, STRANGER], []]);
    box.hurry(PARTNER);
    expect(sendAll()).toEqual([PARTNER]);
    clock.now = 500;
    expect(box.due()).toHaveLength(2);
  });
});
