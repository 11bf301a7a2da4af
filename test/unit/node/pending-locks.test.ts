import { describe, expect, it } from 'vitest';
import { createPendingLocks, type PendingLocks } from '../../../src/node/chain/pending-locks.ts';
import { openChannel, withEnds, withPartnersLock } from '../../support/channel-makers.ts';
import { CHANNEL, hashOf, PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';
import { forMediator, mediator } from '../../support/mediation-makers.ts';
import { lockEnded, revealSecret, target } from '../../support/payment-makers.ts';
import { knowing, known, type Living, note } from '../../support/risk-makers.ts';

describe('what is pending in all channels', () => {
  it('comes back to nothing when everything has ended', () => {
    const { ours } = withPartnersLock();
    const pending = createPendingLocks({ money: () => ({ spare: 0n, price: 10n ** 9n }) });
    const empty = [pending.gas(), pending.promised()];
    note(pending, CHANNEL, ours);
    const shown = target({ initiator: STRANGER }).tell(revealSecret());
    note(pending, `target:${hashOf(1)}`, shown);
    expect(pending.of(PARTNER).all).toBe(1);
    expect(pending.promised()).toBeGreaterThan(0n);
    note(pending, `target:${hashOf(1)}`, shown.tell(lockEnded.unlocked()));
    pending.forget(CHANNEL);
    expect(pending.of(PARTNER)).toEqual({ all: 0, small: 0 });
    expect([pending.gas(), pending.promised()]).toEqual(empty);
    expect([pending.waiting(), pending.byTimeout(), pending.channel(CHANNEL)]).toEqual([
      [],
      [],
      null,
    ]);
  });

  it('counts a payment to this node from when its secret is shown to who does not have it', () => {
    const waiting = target({ initiator: STRANGER });
    const shown = waiting.tell(revealSecret());
    const direct = target().tell(revealSecret());
    const id = `target:${hashOf(1)}`;
    const counted = [waiting, direct, shown].map((one) => known([id, one]).of(PARTNER).all);
    expect(counted).toEqual([0, 0, 1]);
  });

  it('counts no payment to this node that is not worth the gas of its claim', () => {
    const rich: [string, Living] = [CHANNEL, openChannel({ deposit: 100_000n })];
    const of = (amount: bigint): [string, Living] => [
      `target:${hashOf(1)}`,
      target({ initiator: STRANGER, amount }).tell(revealSecret()),
    ];
    expect([62n, 63n].map((amount) => known(rich, of(amount)).of(PARTNER).all)).toEqual([0, 1]);
    const valued = (value: bigint) => {
      const pending = createPendingLocks({
        values: new Map([[TOKEN, value]]),
        money: () => ({ spare: 10n ** 18n, price: 1n }),
      });
      note(pending, CHANNEL, openChannel());
      note(pending, ...of(1n));
      return pending.of(PARTNER).all;
    };
    const worth = 60_000n * 10n ** 18n;
    expect([valued(worth - 1n), valued(worth)]).toEqual([0, 1]);
  });

  it('knows with whom this node itself has put money into a channel, whoever else did', () => {
    const pending = createPendingLocks();
    note(pending, CHANNEL, openChannel({ deposit: 1n, funded: 0n }));
    expect(pending.isStranger(PARTNER)).toBe(true);
    note(pending, CHANNEL, openChannel({ deposit: 1n }));
    expect(pending.isStranger(PARTNER)).toBe(false);
    pending.forget(CHANNEL);
    expect(pending.isStranger(PARTNER)).toBe(true);
  });

  it('measures amounts by what this node has put into a token, also when it has spent all of it', () => {
    const spent = withEnds(openChannel({ deposit: 1_000_000n }), {
      own: { transferred: 1_000_000n },
    });
    const pending = known([CHANNEL, spent]);
    expect([pending.isSmall(1n, TOKEN), pending.isSmall(1_000n, TOKEN)]).toEqual([true, false]);
  });

  it('compares amounts of tokens by their value, or else by what this node has of them', () => {
    const guess = (pending: PendingLocks) =>
      [TOKEN, STRANGER].map((one) => pending.guessOf(5n, one));
    const rich: [string, Living] = [CHANNEL, openChannel({ deposit: 1_000n })];
    expect(guess(known(rich))).toEqual([5n * 10n ** 15n, 0n]);
    const value = 3n * 10n ** 18n;
    expect(guess(knowing(new Map([[STRANGER, value]]), rich))).toEqual([5n * 10n ** 15n, 15n]);
  });

  it('knows the mediators that wait for somebody to take their transfer', () => {
    const pending = known([`mediator:${hashOf(1)}`, mediator()]);
    expect(pending.waiting()).toEqual([`mediator:${hashOf(1)}`]);
    const on = mediator().tell(forMediator.forwarded());
    note(pending, `mediator:${hashOf(1)}`, on);
    expect(pending.waiting()).toEqual([]);
  });
});
