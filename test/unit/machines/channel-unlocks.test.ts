import { describe, expect, it } from 'vitest';
import { unlocksAfterSettle } from '../../../machines/channel/dispute.ts';
import { ZERO_HASH } from '../../../src/basics/hex.ts';
import { balanceHash } from '../../../src/protocol/channel/balance-proof.ts';
import { balance, proofAmounts } from '../../../src/protocol/channel/channel-end.ts';
import { NO_LOCKS_ROOT } from '../../../src/protocol/channel/lock.ts';
import {
  addLock,
  openChannel,
  type PlayedChannel,
  received,
  secretRegistered,
  unlock,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  at,
  blockReached,
  CHANNEL,
  closed,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  proofUpdated,
  settled,
  settledProof,
  txFailed,
  unlocked,
} from '../../support/makers.ts';
import { NETWORK_ACTOR } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const context = ({ snapshot }: PlayedChannel) => snapshot.context;
/** Both sides have a pending lock: own 2, partner's 1. */
const busy = withPartnersLock().ours.tell(addLock({ n: 2 }));
const own = proofAmounts(context(busy).ownEnd);
const partner = proofAmounts(context(busy).partnerEnd);
const ownHash = balanceHash(own);
const partnerHash = balanceHash(partner);
const LOCKED = settledProof({ locked: 10n });
/** No secret was registered in time: each side's lock goes back to it. */
const roots = {
  ownRoot: own.locksroot,
  partnerRoot: partner.locksroot,
  own: LOCKED,
  partner: LOCKED,
};
/** The secret of the partner's lock was registered in time. */
const claimable = { ...roots, partner: { ...LOCKED, claimable: 10n, paid: [hashOf(1)] } };
/** The secret of another lock was, which has been paid off chain since. */
const OTHERS = { ...LOCKED, claimable: 10n, paid: [hashOf(9)] };

/** The partner closed with our newest proof, and its own newest was brought. */
const disputed = (channel = busy) =>
  channel
    .tell(closed(PARTNER, { nonce: 1n, balanceHash: ownHash }))
    .tell(proofUpdated(PARTNER, 1n, partnerHash));
/** All that is left in the contract was unlocked. */
function endOf(claiming: PlayedChannel): PlayedChannel {
  const senders = context(claiming).unlocks.map((side) => (side === 'own' ? OWN : PARTNER));
  return senders.reduce((state, sender) => state.tell(unlocked(sender)), claiming);
}
const sides = (state: PlayedChannel) => effectsOf(state, 'tx.unlock').map(({ side }) => side);

describe('after the settlement', () => {
  it.each([true, false])(
    'own locks are unlocked, so that they come back (first: %s)',
    (ownFirst) => {
      const claiming = disputed().tell(settled({ ...roots, ownFirst }));
      expect(effectsOf(claiming, 'tx.unlock')).toMatchObject([
        { type: 'tx.unlock', from: CHANNEL, channel: CHANNEL, side: 'own', balanceHash: ownHash },
      ]);
      expect(claiming.snapshot.value).toBe('claiming');
    },
  );

  it('locks of the partner are unlocked where a secret was registered in time', () => {
    const known = disputed(busy.tell(secretRegistered()));
    expect(effectsOf(known.tell(settled(claimable)), 'tx.unlock')).toMatchObject([
      { type: 'tx.unlock', side: 'own', balanceHash: ownHash },
      { type: 'tx.unlock', side: 'partner', balanceHash: partnerHash },
    ]);
  });

  it('a secret that is registered after the close counts too', () => {
    const known = disputed().tell(secretRegistered());
    expect(sides(known.tell(settled(claimable)))).toEqual(['own', 'partner']);
  });

  it('each unlock has a job of its own', () => {
    const claiming = disputed(busy.tell(secretRegistered())).tell(settled(claimable));
    expect(new Set(effectsOf(claiming, 'tx.unlock').map(({ key }) => key)).size).toBe(2);
  });

  it.each<[string, PlayedChannel, ReturnType<typeof settled>]>([
    ['no side left locks', disputed(), settled({})],
    [
      'the roots are zero, as after a cooperative one',
      disputed(),
      settled({ ownRoot: ZERO_HASH, partnerRoot: ZERO_HASH }),
    ],
    [
      'only the partner left locks and gains by them',
      disputed(),
      settled({ ...roots, ownRoot: ZERO_HASH, own: settledProof() }),
    ],
    [
      'no proof of this side stood on chain',
      busy.tell(closed(OWN)),
      settled({ ownRoot: own.locksroot, ownAmount: 100n, partnerAmount: 100n }),
    ],
  ])('nothing is left to do when %s', (_, channel, log) => {
    const gone = channel.tell(log);
    expect(effectsOf(gone, 'tx.unlock')).toEqual([]);
    expect(gone.snapshot.value).toBe('gone');
  });

  // An old proof of this side can give the partner so little that nothing is kept for own locks: here the
  // partner's says that it paid `transferred`, and own that 10 are locked.
  it.each<[string, bigint, { ownAmount: bigint; partnerAmount: bigint }, string[]]>([
    [
      'nothing at all is kept for own locks',
      100n,
      { ownAmount: 190n, partnerAmount: 0n },
      ['partner'],
    ],
    ['a part of them is kept', 95n, { ownAmount: 185n, partnerAmount: 0n }, ['own', 'partner']],
    ['the partner was paid too', 80n, { ownAmount: 170n, partnerAmount: 10n }, ['own', 'partner']],
  ])('what is asked for fits what was kept: %s', (_, transferred, amounts, expected) => {
    const log = { ...claimable, ...amounts, partner: { ...claimable.partner, transferred } };
    expect(sides(disputed().tell(settled(log)))).toEqual(expected);
  });

  it('own locks are left to the partner where all of them are paid to it', () => {
    const log = settled({ ...claimable, own: { ...LOCKED, claimable: 10n } });
    expect(sides(disputed().tell(log))).toEqual(['partner']);
  });

  it('locks of an older proof of the partner are claimed, though they were paid since', () => {
    const paid = withPartnersLock();
    const log = settled({
      ...claimable,
      ownRoot: NO_LOCKS_ROOT,
      own: settledProof(),
      ownAmount: 100n,
    });
    const old = disputed(paid.ours.tell(received(paid.theirs.tell(unlock()))));
    expect(context(old).partnerEnd.locks).toEqual([]);
    expect(sides(old.tell(log))).toEqual(['partner']);
  });

  it('nothing is claimed for a secret that was registered too late, whatever is pending', () => {
    const log = settled({ ...roots, ownRoot: NO_LOCKS_ROOT, own: settledProof(), ownAmount: 100n });
    expect(sides(disputed().tell(log))).toEqual([]);
  });

  // A database that an older version filled, or an old copy, does not know everything.
  describe('where not all is known', () => {
    const UNKNOWN = { ...LOCKED, claimable: null };

    it('locks are claimed that may be worth it', () => {
      const log = settled({ ...roots, own: UNKNOWN, partner: UNKNOWN });
      expect(sides(disputed().tell(log))).toEqual(['own', 'partner']);
    });

    it('locks that are not known are not claimed', () => {
      expect(sides(disputed().tell(settled({ ...claimable, partner: null })))).toEqual(['own']);
      expect(sides(disputed().tell(settled({ ...claimable, own: null })))).toEqual(['partner']);
    });

    it('no more is claimed than the settlement has left', () => {
      const known = { ...claimable, own: null };
      const left = { ownAmount: 190n, partnerAmount: 0n };
      expect(sides(disputed().tell(settled({ ...known, ...left })))).toEqual(['partner']);
      const all = { ownAmount: 0n, partnerAmount: 200n };
      expect(sides(disputed().tell(settled({ ...known, ...all })))).toEqual([]);
    });
  });

  // Deposits of 100 and 60, of which 5 and 3 were taken out: 152 are there to be paid.
  describe('where nobody saw the channel close', () => {
    const ends = {
      ownEnd: { ...context(busy).ownEnd, deposit: 100n, withdrawn: 5n },
      partnerEnd: { ...context(busy).partnerEnd, deposit: 60n, withdrawn: 3n },
    };
    const unlocksOf = (parts: Parameters<typeof settled>[0]) =>
      unlocksAfterSettle(
        { ...context(busy), ...ends, dispute: null },
        settled({ ...claimable, ...parts }),
      );

    it('no unlock is asked for: what is needed for it is not known', () => {
      const claiming = busy.tell(settled(claimable));
      expect(claiming.snapshot.value).toBe('claiming');
      expect(effectsOf(claiming, 'tx.unlock')).toEqual([]);
    });

    it('nothing is kept for own locks when all was paid to this side', () => {
      expect(unlocksOf({ ownAmount: 152n, partnerAmount: 0n })).toEqual(['partner']);
      expect(unlocksOf({ ownAmount: 151n, partnerAmount: 0n })).toEqual(['own', 'partner']);
    });

    it('nothing is kept for the partner’s locks when all was paid to the partner', () => {
      expect(unlocksOf({ ownAmount: 0n, partnerAmount: 152n })).toEqual(['own']);
      expect(unlocksOf({ ownAmount: 0n, partnerAmount: 151n })).toEqual(['own', 'partner']);
    });

    it('all locks of a side are kept when the other was paid anything', () => {
      expect(unlocksOf({ ownAmount: 100n, partnerAmount: 52n })).toEqual(['own', 'partner']);
    });

    it.each([true, false])(
      'a side without a locksroot has no locks (own first: %s)',
      (ownFirst) => {
        for (const root of [ZERO_HASH, NO_LOCKS_ROOT]) {
          expect(unlocksOf({ ownFirst, ownRoot: root })).toEqual(['partner']);
          expect(unlocksOf({ ownFirst, partnerRoot: root })).toEqual(['own']);
        }
      },
    );
  });

  it.each([
    ['this side was paid less', { ownAmount: 180n, partnerAmount: 0n }],
    ['the partner was paid more', { ownAmount: 190n, partnerAmount: 5n }],
  ])('the proofs are not believed when %s than they say', (_, amounts) => {
    const proofs = { ...claimable, partner: { ...claimable.partner, transferred: 100n } };
    expect(sides(disputed().tell(settled({ ...proofs, ...amounts })))).toEqual(['own', 'partner']);
  });

  it('the payments of the partner’s locks learn how they ended', () => {
    const told = (state: PlayedChannel) =>
      effectsOf(state, 'notify')
        .filter(({ to }) => to.startsWith('target:'))
        .map(({ event }) => event.type);
    expect(told(disputed().tell(settled({})))).toEqual(['actor.lockGone']);
    const registered = disputed(busy.tell(secretRegistered()));
    const claiming = registered.tell(settled(claimable));
    expect(told(claiming)).toEqual([]);
    expect(told(claiming.tell(unlocked(OWN)).tell(unlocked(PARTNER)))).toEqual(['actor.unlocked']);
  });

  it.each([
    ['a proof from before the lock', settled({})],
    ['a proof that has other locks', settled({ ...claimable, partner: OTHERS })],
    ['a proof that is not known', settled({ ...claimable, partner: null })],
  ])('nobody is told to be paid when %s was settled', (_, log) => {
    const registered = disputed(busy.tell(secretRegistered())).tell(log);
    const gone = registered.snapshot.value === 'gone' ? registered : endOf(registered);
    expect(gone.snapshot.value).toBe('gone');
    const told = effectsOf(gone, 'notify').filter(({ to }) => to === `target:${hashOf(1)}`);
    expect(told.map(({ event }) => event.type)).toEqual(['actor.lockGone']);
  });
});

describe('a settlement', () => {
  const toldOf = (state: PlayedChannel) =>
    effectsOf(state, 'notify').filter(({ to }) => to === NETWORK_ACTOR);

  it.each<[string, PlayedChannel]>([
    ['and that is its end', disputed().tell(settled({}))],
    ['and locks are left to be unlocked', disputed().tell(settled(roots))],
  ])('is told to the token network, with the channel as it was at its close: %s', (_, after) => {
    const { ownEnd, partnerEnd } = disputed().snapshot.context;
    expect(ownEnd.locked).toBeGreaterThan(0n);
    const left = {
      channel: CHANNEL,
      channelId: 1n,
      partner: PARTNER,
      balance: balance(ownEnd, partnerEnd) - ownEnd.locked,
      totalDeposit: 100n,
      totalWithdraw: 0n,
      settleTimeout: 40n,
      revealTimeout: 10n,
    };
    expect(toldOf(after).map(({ event }) => event)).toEqual([
      { type: 'actor.channelSettled', left },
    ]);
  });
});

describe('unlocks on chain', () => {
  const claiming = disputed(busy.tell(secretRegistered())).tell(settled(claimable));

  it('end the channel when the last is confirmed, in either order and by whomever', () => {
    for (const [first, last] of [
      [OWN, PARTNER],
      [PARTNER, OWN],
    ] as const) {
      const half = claiming.tell(unlocked(first));
      expect(half.snapshot.value).toBe('claiming');
      const gone = half.tell(unlocked(last));
      expect(gone.snapshot.value).toBe('gone');
      expect(gone.snapshot.status).toBe('done');
      expect(effectsOf(gone, 'done.queue')).toHaveLength(1);
    }
  });

  it('are tried again after a failure, only for what is left', () => {
    const half = claiming.tell(unlocked(OWN)).tell(at(NOW + 60n, txFailed('unlock-own')));
    expect(context(half).wakeBlock).toBe(NOW + 70n);
    const again = half.tell(blockReached(NOW + 70n));
    expect(effectOf(again, 'tx.unlock').side).toBe('partner');
  });

  it('of the other direction do not end the wait', () => {
    const onlyOwn = disputed().tell(settled(roots));
    expect(onlyOwn.tell(unlocked(PARTNER)).snapshot.value).toBe('claiming');
    expect(onlyOwn.tell(unlocked(OWN)).snapshot.value).toBe('gone');
  });

  it('come from the locks of the proof on chain, whatever was signed since', () => {
    const old = busy
      .tell(addLock({ n: 3 }), addLock({ n: 4 }))
      .tell(closed(PARTNER, { nonce: 1n, balanceHash: ownHash }));
    expect(effectOf(old.tell(settled(roots)), 'tx.unlock').balanceHash).toBe(ownHash);
  });
});

describe('a channel that was never closed', () => {
  it('is gone after a cooperative settlement', () => {
    expect(openChannel().tell(settled({})).snapshot.value).toBe('gone');
  });

  it('has nothing to unlock after one, whatever proofs were signed before', () => {
    const gone = busy.tell(settled({ ...roots, ownRoot: ZERO_HASH, partnerRoot: ZERO_HASH }));
    expect(gone.snapshot.value).toBe('gone');
    expect(effectsOf(gone, 'tx.unlock')).toEqual([]);
  });
});
