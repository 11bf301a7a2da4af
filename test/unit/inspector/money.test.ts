import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moneyOf, payoutWith } from '../../../src/inspector/base/money.ts';
import type { Payout } from '../../../src/inspector/wire.ts';
import { EMPTY_END } from '../../../src/protocol/channel/channel-end.ts';
import {
  addLock,
  openChannel,
  type PlayedChannel,
  received,
  unlock,
  withEnds,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import { closed, OWN, PARTNER, withdrawn } from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';

const money = ({ snapshot }: PlayedChannel, isPaying = true) => moneyOf(snapshot.context, isPaying);
const sum = ({ own, partner, ownLocks, partnerLocks }: Payout) =>
  own + partner + ownLocks + partnerLocks;

const amount = fc.bigInt({ min: 0n, max: 1_000n });
/** Two sides that moved what they had, in any way, with some of it withdrawn. */
const ends = fc
  .tuple(amount, amount, amount, amount, amount, amount, amount)
  .map(([deposit, otherDeposit, sent, sentBack, locked, lockedBack, out]) => {
    const least = (...values: bigint[]) => values.reduce((a, b) => (a < b ? a : b));
    const withdrawn = least(out, deposit);
    const own = { ...EMPTY_END, deposit, withdrawn, transferred: sent };
    const partner = { ...EMPTY_END, deposit: otherDeposit, transferred: sentBack };
    return { own: { ...own, locked }, partner: { ...partner, locked: lockedBack } };
  });

describe('the money of a channel', () => {
  it('counts what is locked in the balance and out of the capacity', () => {
    const { own, partner, isConserved } = money(openChannel().tell(addLock({ amount: 30n })));
    expect(own).toEqual({
      address: OWN,
      deposit: 100n,
      withdrawn: 0n,
      reserved: 0n,
      balance: 100n,
      locked: 30n,
      capacity: 70n,
      nonce: 1n,
    });
    expect(partner).toMatchObject({ address: PARTNER, balance: 100n, locked: 0n, capacity: 100n });
    expect(isConserved).toBe(true);
  });

  it('keeps a withdrawal that is asked for out of the balance, and gives it back at a close', () => {
    const asking = openChannel().tell(command.withdraw(25n));
    const { own, isConserved, closedNow } = money(asking);
    expect(own).toMatchObject({ withdrawn: 0n, reserved: 25n, balance: 75n, capacity: 75n });
    expect(isConserved).toBe(true);
    expect(closedNow).toEqual({ own: 100n, partner: 100n, ownLocks: 0n, partnerLocks: 0n });
    const taken = money(asking.tell(withdrawn(OWN, 25n)));
    expect(taken.own).toMatchObject({ withdrawn: 25n, reserved: 0n, balance: 75n });
    expect(taken.closedNow.own).toBe(75n);
  });

  it('shows no capacity in a channel that is not open', () => {
    const { own } = money(openChannel().tell(closed(PARTNER)), false);
    expect(own).toMatchObject({ balance: 100n, capacity: 0n });
  });

  it('pays at a close what was transferred, and keeps what is locked for the unlocks', () => {
    const { ours, theirs } = withPartnersLock({ amount: 10n });
    expect(money(ours).closedNow).toEqual({
      own: 100n,
      partner: 90n,
      ownLocks: 0n,
      partnerLocks: 10n,
    });
    const paid = ours.tell(received(theirs.tell(unlock())));
    expect(money(paid).closedNow).toMatchObject({ own: 110n, partner: 90n, partnerLocks: 0n });
  });

  it('is not conserved when a side has moved more than it had', () => {
    const broken = withEnds(openChannel(), { own: { transferred: 101n } });
    expect(money(broken).isConserved).toBe(false);
    const uncounted = withEnds(openChannel(), { own: { locked: 5n } });
    expect(money(uncounted).isConserved).toBe(false);
  });

  it('is nobody’s when an old copy knows of more withdrawn than deposited', () => {
    const { context } = withEnds(openChannel(), { partner: { withdrawn: 300n } }).snapshot;
    const { closedNow, isConserved } = moneyOf(context, false);
    expect(sum(closedNow)).toBe(0n);
    expect(isConserved).toBe(false);
  });
});

describe('a settlement with any two proofs', () => {
  it('pays out what was deposited and not withdrawn, to the unit', () => {
    fc.assert(
      fc.property(ends, ({ own, partner }) => {
        const channel = { ownEnd: own, partnerEnd: partner };
        const held = own.deposit + partner.deposit - own.withdrawn;
        expect(sum(payoutWith(channel, { own, partner }))).toBe(held);
        const none = { transferred: 0n, locked: 0n };
        expect(sum(payoutWith(channel, { own: none, partner }))).toBe(held);
        expect(sum(payoutWith(channel, { own, partner: none }))).toBe(held);
      }),
    );
  });

  it('pays the same whichever side is called the own one', () => {
    fc.assert(
      fc.property(ends, ({ own, partner }) => {
        const ours = payoutWith({ ownEnd: own, partnerEnd: partner }, { own, partner });
        const theirs = payoutWith(
          { ownEnd: partner, partnerEnd: own },
          { own: partner, partner: own },
        );
        expect(theirs).toEqual({
          own: ours.partner,
          partner: ours.own,
          ownLocks: ours.partnerLocks,
          partnerLocks: ours.ownLocks,
        });
      }),
    );
  });

  it('pays with the newest proofs of an honest channel each side its balance, less its locks', () => {
    const { ours } = withPartnersLock({ amount: 10n });
    const { own, partner, closedNow } = money(ours.tell(addLock({ n: 2, amount: 7n })));
    expect(closedNow.own).toBe(own.balance - own.locked);
    expect(closedNow.partner).toBe(partner.balance - partner.locked);
    expect([closedNow.ownLocks, closedNow.partnerLocks]).toEqual([7n, 10n]);
  });

  it('pays with an older proof what had been moved by then', () => {
    const { context } = withEnds(openChannel(), { own: { transferred: 40n } }).snapshot;
    const older = { transferred: 15n, locked: 0n };
    const payout = payoutWith(context, { own: older, partner: context.partnerEnd });
    expect(payout).toMatchObject({ own: 85n, partner: 115n });
  });
});
