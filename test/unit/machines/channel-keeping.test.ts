import { describe, expect, it } from 'vitest';
import { forget } from '../../../machines/channel/locks.ts';
import { keeperId } from '../../../machines/keeper/keeping.ts';
import {
  addLock,
  expireLock,
  openChannel,
  received,
  secretRegistered,
  unlock,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  at,
  CHANNEL,
  CONFIRMATIONS,
  closed,
  EXPIRATION,
  hashOf,
  PARTNER,
  settled,
  stamped,
} from '../../support/makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const unanswered = (side: 'own' | 'partner', n = 1) =>
  stamped({
    type: 'actor.unanswered',
    side,
    secrethash: hashOf(n),
    isPublic: false,
  } as const);

describe('a lock for which nobody answers', () => {
  const { ours } = withPartnersLock();
  const both = ours.tell(addLock({ n: 2 }));

  it.each([['partner', 1] as const, ['own', 2] as const])(
    'of the %s side gets a keeper that protects it',
    (side, n) => {
      const kept = both.tell(unanswered(side, n));
      expect(kept.effects).toEqual([
        {
          type: 'spawn.keeper',
          id: keeperId(CHANNEL, side, hashOf(n)),
          input: {
            id: keeperId(CHANNEL, side, hashOf(n)),
            channel: CHANNEL,
            side,
            amount: 10n,
            expiration: EXPIRATION,
            secrethash: hashOf(n),
            confirmations: CONFIRMATIONS,
            isUnexplained: true,
            isPublic: false,
            transfer: null,
          },
        },
      ]);
    },
  );

  it('gets a keeper in a closed channel, too', () => {
    const late = both.tell(closed(PARTNER)).tell(unanswered('partner'));
    expect(effectOf(late, 'spawn.keeper').input.amount).toBe(10n);
  });

  it('gets no keeper when the lock is gone', () => {
    expect(both.tell(unanswered('partner', 2)).effects).toEqual([]);
  });

  it('is reported to its keeper as gone when the channel is settled', () => {
    const told = effectsOf(both.tell(closed(PARTNER), settled()), 'notify').map(
      ({ to, event }) => `${to} ${event.type}`,
    );
    expect(told).toContain(`${keeperId(CHANNEL, 'partner', hashOf(1))} actor.lockGone`);
    expect(told).toContain(`${keeperId(CHANNEL, 'own', hashOf(2))} actor.ownLockGone`);
  });
});

describe('what a channel knows of a secret on chain', () => {
  const { ours, theirs } = withPartnersLock();
  const expired = received(theirs.tell(expireLock()));
  const late = at(EXPIRATION + CONFIRMATIONS, expired);

  it('outlives a lock of this node with the same hash while the partner’s stands', () => {
    const paid = ours.tell(addLock({ n: 1 }), secretRegistered(), unlock());
    expect(paid.tell(late).effects).toMatchObject([{ type: 'report.refused' }]);
  });

  it('does not outlive the last lock, so that a later one can expire', () => {
    const gone = ours.tell(received(theirs.tell(unlock())), secretRegistered());
    expect(gone.snapshot.context.registered).toEqual([]);
  });

  it('is forgotten with a lock of this node that has run out', () => {
    const own = openChannel().tell(addLock(), secretRegistered(), expireLock());
    expect(own.snapshot.context.registered).toEqual([]);
  });

  it('is kept while its own lock is pending, though another lock ends', () => {
    const both = openChannel().tell(addLock({ n: 1 }), addLock({ n: 2 }));
    const one = both.tell(secretRegistered(1), secretRegistered(2), unlock(1));
    expect(one.snapshot.context.registered).toEqual([hashOf(2)]);
  });

  it('stays for a lock of this node while the partner’s with the same hash goes', () => {
    const { context } = ours.tell(addLock({ n: 1 }), secretRegistered()).snapshot;
    const partnerEnd = { ...context.partnerEnd, locks: [] };
    expect(forget({ ...context, partnerEnd }, hashOf(1)).registered).toEqual([hashOf(1)]);
    const neither = { ...context, partnerEnd, ownEnd: partnerEnd };
    expect(forget(neither, hashOf(1)).registered).toEqual([]);
  });
});
