import { describe, expect, it } from 'vitest';
import type { Served } from '../../../machines/events/stamps.ts';
import type { Address } from '../../../src/basics/hex.ts';
import { MAX_PENDING_LOCKS } from '../../../src/protocol/channel/lock.ts';
import {
  addLock,
  openChannel,
  type PlayedChannel,
  unlock,
  withEnds,
} from '../../support/channel-makers.ts';
import { EXPIRATION, hashOf, PARTNER, STRANGER } from '../../support/makers.ts';
import { forwardLock, PAYEE, payerSide } from '../../support/mediation-makers.ts';
import { effectsOf } from '../../support/played.ts';

const OWN_SLOTS = 16;
const OTHERS = MAX_PENDING_LOCKS - OWN_SLOTS;
const CUSTOMERS = OTHERS / 4;
/** What payers share that are no customers, when there are some. */
const SHARED = OTHERS - CUSTOMERS;
const rich = () => openChannel({ deposit: 100_000n });

/** A transfer of `payer`, with the secrethash of number `n`. */
const transfer = (n: number, payer: Address, amountIn = 1n, stamp: Served = {}) =>
  forwardLock({
    ...stamp,
    secrethash: hashOf(n),
    amountIn,
    payer: payerSide({
      channel: `channel:of:${payer}`,
      partner: payer,
      balance: 900n,
      receivable: 900n,
    }),
  });
/** What the channel answers: the code of its refusal, or null. */
function answer(channel: PlayedChannel) {
  const told = effectsOf(channel, 'notify').at(-1)?.event;
  return told?.type === 'actor.lockRefused' ? told['code'] : null;
}
/** Gives the payers in turn one transfer after the other until all are refused; how many each has. */
function fill(channel: PlayedChannel, payers: readonly Address[], first = 1_000, stamp?: Served) {
  const held = payers.map(() => 0);
  let full = channel;
  let n = first;
  for (let isOver = false; !isOver; ) {
    isOver = true;
    for (const [index, payer] of payers.entries()) {
      const next = full.tell(transfer(n++, payer, 1n, stamp));
      if (answer(next) !== null) continue;
      held[index] = (held[index] ?? 0) + 1;
      full = next;
      isOver = false;
    }
  }
  return { held, full };
}
const addressOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`;

describe('the lock slots of a channel into which transfers are passed on', () => {
  it('are open to one payer up to half of those for mediated transfers, at least 64', () => {
    const { held, full } = fill(rich(), [PARTNER]);
    expect(held).toEqual([OTHERS / 2]);
    expect(answer(full.tell(transfer(1, PARTNER)))).toBe('too_many_locks');
  });

  it('are left for another payer when one has taken all that it may', () => {
    const { full } = fill(rich(), [PARTNER]);
    const { held } = fill(full, [STRANGER], 2_000);
    expect(held).toEqual([OTHERS / 4]);
  });

  it('are kept for customers in a quarter, if there are any, however many others take what they can', () => {
    const of = (own: number) => ({ slots: { kept: CUSTOMERS, own } });
    const others = Array.from({ length: 200 }, (_, n) => addressOf(n + 1));
    const { held, full } = fill(rich(), others, 1_000, of(0));
    expect(held.reduce((sum, one) => sum + one, 0)).toBe(SHARED);
    const first = fill(full, [PARTNER], 2_000, of(CUSTOMERS - 1));
    expect(first.held).toEqual([CUSTOMERS - 1]);
    const second = fill(first.full, [STRANGER], 3_000, of(1));
    expect(second.held).toEqual([1]);
    expect(fill(second.full, [PAYEE], 4_000, of(1)).held).toEqual([0]);
  });

  it('are open to the only customer as if there were none', () => {
    const slots = { kept: CUSTOMERS, own: CUSTOMERS };
    expect(fill(rich(), [PARTNER], 1_000, { slots }).held).toEqual([OTHERS / 2]);
    expect(fill(rich(), [PARTNER], 1_000, { slots: { ...slots, own: 0 } }).held).toEqual([
      SHARED / 2,
    ]);
  });

  it.each([1, 2, 3, 11, 143])(
    'are not all taken by %d payers that work together: another payer’s share is left',
    (count) => {
      const payers = Array.from({ length: count }, (_, n) => addressOf(n + 1));
      const { held, full } = fill(rich(), payers);
      const taken = held.reduce((sum, one) => sum + one, 0);
      expect(OTHERS - taken).toBeGreaterThanOrEqual(Math.floor(OTHERS / (count + 1)));
      expect(answer(full.tell(transfer(1, STRANGER)))).toBeNull();
    },
  );

  it('are left for this node’s own payments however many transfers are passed on', () => {
    const payers = Array.from({ length: 200 }, (_, n) => addressOf(n + 1));
    const { held, full } = fill(rich(), payers);
    expect(held.reduce((sum, one) => sum + one, 0)).toBe(OTHERS);
    let own = full;
    for (let n = 1; n <= OWN_SLOTS; n++) own = own.tell(addLock({ n, amount: 1n }));
    expect(answer(own)).toBeNull();
    expect(own.snapshot.context.ownEnd.locks).toHaveLength(MAX_PENDING_LOCKS);
    expect(answer(own.tell(addLock({ n: 99 })))).toBe('too_many_locks');
  });

  it('may all be taken by this node, and then by nobody else', () => {
    let own = rich();
    for (let n = 1; n <= MAX_PENDING_LOCKS; n++) own = own.tell(addLock({ n, amount: 1n }));
    expect(answer(own.tell(transfer(1_000, STRANGER)))).toBe('too_many_locks');
  });

  it('are as few as the payments of this node leave', () => {
    let own = rich();
    for (let n = 1; n <= 100; n++) own = own.tell(addLock({ n, amount: 1n }));
    expect(fill(own, [PARTNER]).held).toEqual([(MAX_PENDING_LOCKS - 100) / 2]);
  });

  it('are free again when a lock was paid or has run out', () => {
    const { full } = fill(rich(), [PARTNER]);
    const [first, second] = full.snapshot.context.forwarded;
    if (first === undefined || second === undefined) throw new Error('nothing was passed on');
    const paid = full.tell({ ...unlock(1_000), secrethash: first.secrethash });
    const expired = paid.tell({
      type: 'actor.expireLock',
      secrethash: second.secrethash,
      nowBlock: EXPIRATION + 2n,
    });
    expect(expired.snapshot.context.forwarded).toHaveLength(OTHERS / 2 - 2);
    expect(fill(expired, [PARTNER], 2_000).held).toEqual([2]);
  });
});

describe('the capacity of a channel into which transfers are passed on', () => {
  const channel = () => openChannel({ deposit: 800n });

  it('may all be used by one mediated transfer while there is no other', () => {
    expect(answer(channel().tell(transfer(1, PARTNER, 800n)))).toBeNull();
    expect(answer(channel().tell(transfer(1, PARTNER, 801n)))).toBe('insufficient_balance');
    const mixed = channel().tell(addLock({ n: 9, amount: 400n }));
    expect(answer(mixed.tell(transfer(1, PARTNER, 400n)))).toBeNull();
  });

  it('may all be used again once the only mediated transfer is paid', () => {
    const paid = channel().tell(transfer(1, PARTNER, 400n), unlock(1));
    expect(paid.snapshot.context.forwarded).toEqual([]);
    expect(answer(paid.tell(transfer(2, PARTNER, 400n)))).toBeNull();
  });

  it('may be used by one payer up to seven eighths, in several transfers', () => {
    const half = channel().tell(transfer(1, PARTNER, 350n));
    expect(answer(half.tell(transfer(2, PARTNER, 350n)))).toBeNull();
    expect(answer(half.tell(transfer(2, PARTNER, 351n)))).toBe('insufficient_balance');
  });

  it('may be used by the next payer up to seven eighths of what the first has left', () => {
    const first = channel().tell(transfer(1, PARTNER, 700n));
    expect(answer(first.tell(transfer(2, STRANGER, 87n)))).toBeNull();
    expect(answer(first.tell(transfer(2, STRANGER, 88n)))).toBe('insufficient_balance');
  });

  it('may all be used by this node itself', () => {
    const first = channel().tell(transfer(1, PARTNER, 700n));
    expect(answer(first.tell(addLock({ n: 2, amount: 100n })))).toBeNull();
  });

  it('is not diminished by what this node has locked for payments of its own', () => {
    const own = channel().tell(addLock({ n: 9, amount: 400n }));
    expect(answer(own.tell(transfer(1, PARTNER, 350n)))).toBeNull();
  });

  it('is charged to the payer alone for a lock that is passed on', () => {
    const before = withEnds(channel(), { own: { transferred: 0n } });
    const passed = before.tell(transfer(1, PAYEE, 100n));
    expect(passed.snapshot.context.forwarded).toEqual([{ secrethash: hashOf(1), payer: PAYEE }]);
  });
});
