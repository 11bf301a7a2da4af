/** What is set aside for an update: the price at which the newest thing was promised with it. */
import { describe, expect, it } from 'vitest';
import { createGasBudgets } from '../../../src/node/chain/gas/gas-budgets.ts';
import { createPendingLocks } from '../../../src/node/chain/pending-locks.ts';
import type { ForcedRow } from '../../../src/store/base/batch.ts';
import { openChannel, withEnds, withPartnersLock } from '../../support/channel-makers.ts';
import { CHANNEL, hashOf } from '../../support/makers.ts';
import { forMediator, mediator } from '../../support/mediation-makers.ts';
import { revealSecret } from '../../support/payment-makers.ts';
import { note } from '../../support/risk-makers.ts';

const PRICE = 10n ** 9n;
const [UPDATE, REGISTRATION] = [110_000n, 60_000n];
const MEDIATOR = `mediator:${hashOf(1)}`;
const withLock = withPartnersLock().ours;
const paid = (amount: bigint) => withEnds(withLock, { partner: { transferred: amount } });
const passedOn = mediator({ amount: 50n }).tell(forMediator.forwarded(), revealSecret());

function bookOf({
  rows = [],
  spare = 10n ** 18n,
}: {
  rows?: readonly ForcedRow[];
  spare?: bigint;
} = {}) {
  const now = { price: PRICE, block: 1n, spare };
  const pending = createPendingLocks({
    money: () => ({ spare: now.spare, price: now.price }),
    forced: rows,
    nowBlock: () => now.block,
  });
  return { now, pending };
}
/** Wei for so much gas at this price. */
const aside = (gas: bigint, price: bigint) => 3n * gas * price;

describe('an update that was promised', () => {
  it('keeps its price when gas gets dearer, whatever money there is', () => {
    const { now, pending } = bookOf();
    note(pending, CHANNEL, paid(50n));
    expect(pending.promised()).toBe(aside(UPDATE, PRICE));
    Object.assign(now, { price: 10n * PRICE, spare: 0n });
    pending.reconsider(true);
    note(pending, CHANNEL, paid(50n));
    expect(pending.promised()).toBe(aside(UPDATE, PRICE));
  });

  it('is asked for anew with a lock at a higher price, and has that price then', () => {
    const { now, pending } = bookOf();
    note(pending, CHANNEL, paid(50n));
    now.price = 10n * PRICE;
    const before = pending.promised();
    const asked = pending.promisedWithOneMore(CHANNEL, false).all - before;
    expect(asked).toBe(aside(REGISTRATION + UPDATE, 10n * PRICE) - aside(UPDATE, PRICE));
    note(pending, MEDIATOR, passedOn);
    expect(pending.promised()).toBe(before + asked);
  });

  it('has the price of what the partner paid last, if there is money for it', () => {
    const { now, pending } = bookOf();
    note(pending, CHANNEL, paid(50n));
    Object.assign(now, { price: 2n * PRICE, spare: 0n });
    note(pending, CHANNEL, paid(60n));
    expect(pending.promised()).toBe(aside(UPDATE, PRICE));
    now.spare = 10n ** 18n;
    note(pending, CHANNEL, paid(70n));
    expect(pending.promised()).toBe(aside(UPDATE, 2n * PRICE));
  });

  it('has a lower price a thousand blocks after a spike, and not sooner', () => {
    const { now, pending } = bookOf();
    now.price = 20n * PRICE;
    note(pending, CHANNEL, paid(50n));
    pending.reconsider(false);
    Object.assign(now, { price: PRICE, block: 1_000n });
    pending.reconsider(false);
    expect(pending.promised()).toBe(aside(UPDATE, 20n * PRICE));
    now.block = 1_001n;
    pending.reconsider(false);
    expect(pending.promised()).toBe(aside(UPDATE, PRICE));
  });

  it('is so after a new start, at its price, until the channel is gone', () => {
    const first = bookOf();
    note(first.pending, CHANNEL, paid(50n));
    const rows = first.pending.changedPrices();
    expect(first.pending.changedPrices()).toEqual([]);
    const { now, pending } = bookOf({ rows, spare: 0n });
    now.price = 7n * PRICE;
    note(pending, CHANNEL, paid(50n));
    expect([pending.promised(), pending.isUpdatePromised(CHANNEL)]).toEqual([
      aside(UPDATE, PRICE),
      true,
    ]);
    pending.forget(CHANNEL);
    expect(pending.changedPrices()).toEqual([{ account: `update ${CHANNEL}`, fullBlock: 0n }]);
    // Without the row there is no money for it.
    const other = bookOf({ spare: 0n });
    note(other.pending, CHANNEL, paid(50n));
    expect(other.pending.isUpdatePromised(CHANNEL)).toBe(false);
  });
});

it('what was promised with a lock keeps its price when a new start learns what gas costs now', () => {
  const first = bookOf();
  note(first.pending, CHANNEL, withLock);
  note(first.pending, MEDIATOR, passedOn);
  const forced = first.pending.changedPrices();
  let price: bigint | null = null;
  const pending = createPendingLocks({
    money: () => (price === null ? null : { spare: 10n ** 18n, price }),
    forced,
  });
  note(pending, CHANNEL, withLock);
  note(pending, MEDIATOR, passedOn);
  price = 7n * PRICE;
  pending.reconsider(true);
  expect([pending.asideOf(CHANNEL), pending.asideOf(MEDIATOR)]).toEqual([
    aside(UPDATE, PRICE),
    aside(REGISTRATION, PRICE),
  ]);
});

it('a registration under way has its money when its lock is paid, until it has ended', () => {
  const { pending } = bookOf();
  note(pending, CHANNEL, openChannel());
  note(pending, MEDIATOR, passedOn);
  const before = pending.promised();
  pending.begin(MEDIATOR);
  pending.forget(MEDIATOR);
  expect([pending.promised(), pending.asideOf(MEDIATOR)]).toEqual([
    before,
    aside(REGISTRATION, PRICE),
  ]);
  pending.end(MEDIATOR);
  expect([pending.promised(), pending.asideOf(MEDIATOR)]).toEqual([
    before - aside(REGISTRATION, PRICE),
    0n,
  ]);
});

it('what was promised is nobody’s spent budget after a new start', () => {
  const { pending } = bookOf();
  note(pending, CHANNEL, withLock);
  note(pending, MEDIATOR, passedOn);
  const rows = pending.changedPrices();
  expect(rows.length).toBeGreaterThan(1);
  expect(createGasBudgets({ rows, nowBlock: () => 1_000n }).all()).toEqual([]);
});

it('registrations promised at several prices have those after a new start', () => {
  const first = bookOf();
  note(first.pending, CHANNEL, withLock);
  const second = `mediator:${hashOf(2)}`;
  note(first.pending, MEDIATOR, passedOn);
  first.now.price = 3n * PRICE;
  note(first.pending, second, passedOn);
  const forced = first.pending.changedPrices();
  const pending = createPendingLocks({ money: () => null, forced });
  note(pending, CHANNEL, withLock);
  for (const actor of [MEDIATOR, second]) note(pending, actor, passedOn);
  expect([MEDIATOR, second].map(pending.asideOf)).toEqual([
    aside(REGISTRATION, PRICE),
    aside(REGISTRATION, 3n * PRICE),
  ]);
  pending.forget(MEDIATOR);
  expect(pending.changedPrices()).toContainEqual({ account: `claim ${MEDIATOR}`, fullBlock: 0n });
});
