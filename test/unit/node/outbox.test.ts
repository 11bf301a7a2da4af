import { describe, expect, it } from 'vitest';
import type { Send } from '../../../machines/effects.ts';
import { createOutbox } from '../../../src/node/runtime/outbox.ts';
import { NO_LOCKS_ROOT } from '../../../src/protocol/lock.ts';
import { CHANNEL, EXPIRATION, hashOf, NETWORK, OWN, PARTNER } from '../../support/makers.ts';

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

function outbox(now = () => 0) {
  let drawn = 100n;
  return createOutbox({ rows: [], drawId: () => ++drawn, now });
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
    const box = createOutbox({ rows: [row], drawId: () => 1n, now: () => 0 });
    expect(box.due()).toHaveLength(1);
  });

  it('gives no two messages that wait the same identifier, whatever is drawn', () => {
    const drawn = [7n, 7n, 7n, 8n];
    const box = createOutbox({ rows: [], drawId: () => drawn.shift() ?? 9n, now: () => 0 });
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
    let time = 0;
    const box = outbox(() => time);
    for (const effect of [lockExpired(1n), withdrawRequest(2n, 7n)]) stored(box, effect);
    for (const entry of box.due()) box.noteSent(entry);
    time = 499;
    expect(box.due()).toEqual([]);
    time = 500;
    expect(box.due().map(({ nonce }) => nonce)).toEqual([1n]);
  });

  it('keeps a request for consent until it is answered, whatever is acknowledged', () => {
    const box = outbox();
    box.add(withdrawRequest(1n, 7n));
    expect(box.acknowledge(7n, PARTNER)).toBeNull();
    expect(box.remove(`${CHANNEL}:1`)).toBe(`${CHANNEL}:1`);
  });
});
