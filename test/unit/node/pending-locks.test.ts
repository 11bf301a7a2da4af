import { describe, expect, it } from 'vitest';
import { createPendingLocks } from '../../../src/node/chain/pending-locks.ts';
import { openChannel, withEnds, withPartnersLock } from '../../support/channel-makers.ts';
import { CHANNEL, hashOf, PARTNER, TOKEN } from '../../support/makers.ts';
import { forMediator, mediator } from '../../support/mediation-makers.ts';
import { lockEnded, target } from '../../support/payment-makers.ts';
import { known, note } from '../../support/risk-makers.ts';

describe('what is pending in all channels', () => {
  it('comes back to nothing when everything has ended', () => {
    const { ours } = withPartnersLock();
    const pending = createPendingLocks();
    const empty = [pending.gas(), pending.gasAtStake()];
    note(pending, CHANNEL, ours);
    note(pending, `target:${hashOf(1)}`, target());
    expect(pending.of(PARTNER).all).toBe(1);
    expect(pending.gas()).toBeGreaterThan(empty[0] ?? 0n);
    note(pending, `target:${hashOf(1)}`, target().tell(lockEnded.unlocked()));
    pending.forget(CHANNEL);
    expect(pending.of(PARTNER)).toEqual({ all: 0, small: 0 });
    expect([pending.gas(), pending.gasAtStake()]).toEqual(empty);
    expect([pending.waiting(), pending.byTimeout(), pending.channel(CHANNEL)]).toEqual([
      [],
      [],
      null,
    ]);
  });

  it('knows with whom this node has put money into a channel', () => {
    const pending = createPendingLocks();
    note(pending, CHANNEL, openChannel({ deposit: 0n }));
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

  it('knows the mediators that wait for somebody to take their transfer', () => {
    const pending = known([`mediator:${hashOf(1)}`, mediator()]);
    expect(pending.waiting()).toEqual([`mediator:${hashOf(1)}`]);
    const on = mediator().tell(forMediator.forwarded());
    note(pending, `mediator:${hashOf(1)}`, on);
    expect(pending.waiting()).toEqual([]);
  });
});
