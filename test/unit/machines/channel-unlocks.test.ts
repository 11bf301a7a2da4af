import { describe, expect, it } from 'vitest';
import { balanceHash } from '../../../src/protocol/balance-proof.ts';
import { balance, proofAmounts } from '../../../src/protocol/channel-end.ts';
import { ZERO_HASH } from '../../../src/protocol/hex.ts';
import {
  addLock,
  openChannel,
  type PlayedChannel,
  secretRegistered,
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
const roots = { ownRoot: own.locksroot, partnerRoot: partner.locksroot };

/** The partner closed with our newest proof, and its own newest was brought. */
const disputed = (channel = busy) =>
  channel
    .tell(closed(PARTNER, { nonce: 1n, balanceHash: ownHash }))
    .tell(proofUpdated(PARTNER, 1n, partnerHash));
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
    expect(effectsOf(known.tell(settled(roots)), 'tx.unlock')).toMatchObject([
      { type: 'tx.unlock', side: 'own', balanceHash: ownHash },
      { type: 'tx.unlock', side: 'partner', balanceHash: partnerHash },
    ]);
  });

  it('a secret that is registered after the close counts too', () => {
    const known = disputed().tell(secretRegistered());
    expect(sides(known.tell(settled(roots)))).toEqual(['own', 'partner']);
  });

  it('each unlock has a job of its own', () => {
    const claiming = disputed(busy.tell(secretRegistered())).tell(settled(roots));
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
      settled({ ...roots, ownRoot: ZERO_HASH }),
    ],
    [
      'no proof of this side stood on chain',
      busy.tell(closed(OWN)),
      settled({ ownRoot: own.locksroot }),
    ],
  ])('nothing is left to do when %s', (_, channel, log) => {
    const gone = channel.tell(log);
    expect(effectsOf(gone, 'tx.unlock')).toEqual([]);
    expect(gone.snapshot.value).toBe('gone');
  });

  // An old proof of this side can give the partner so little that nothing is kept for own locks.
  it.each<[string, { ownAmount: bigint; partnerAmount: bigint }, string[]]>([
    ['nothing at all is left', { ownAmount: 200n, partnerAmount: 0n }, []],
    ['only the partner’s locks are left', { ownAmount: 190n, partnerAmount: 0n }, ['partner']],
    ['one unit more is left', { ownAmount: 189n, partnerAmount: 0n }, ['own', 'partner']],
    ['the partner was paid too', { ownAmount: 180n, partnerAmount: 1n }, ['own', 'partner']],
    ['the log does not tell', { ownAmount: 0n, partnerAmount: 0n }, ['own', 'partner']],
  ])('what is asked for fits what was kept: %s', (_, amounts, expected) => {
    const known = disputed(busy.tell(secretRegistered()));
    const after = known.tell(settled({ ...roots, ...amounts }));
    expect(sides(after)).toEqual(expected);
  });

  it('own locks are asked for when the partner’s proof on chain is not the one that is known', () => {
    const other = disputed().tell(proofUpdated(PARTNER, 1n, hashOf(66)));
    const log = settled({ ...roots, ownAmount: 195n, partnerAmount: 0n });
    expect(sides(other.tell(log))).toContain('own');
  });

  it.each<[string, { ownAmount: bigint; partnerAmount: bigint }, string[]]>([
    [
      'where this side was paid at once',
      { ownAmount: 90n, partnerAmount: 90n },
      ['own', 'partner'],
    ],
    [
      'where more was kept than for own locks',
      { ownAmount: 0n, partnerAmount: 189n },
      ['own', 'partner'],
    ],
    [
      'but not where own locks are all that was kept',
      { ownAmount: 0n, partnerAmount: 190n },
      ['own'],
    ],
  ])(
    'locks of an older proof of the partner are claimed, though they were paid since: %s',
    (_, amounts, expected) => {
      const older = disputed().tell(proofUpdated(PARTNER, 1n, hashOf(66)));
      expect(sides(older.tell(settled({ ...roots, ...amounts })))).toEqual(expected);
    },
  );

  it('the payments of the partner’s locks learn how they ended', () => {
    const told = (state: PlayedChannel) =>
      effectsOf(state, 'tell')
        .filter(({ to }) => to.startsWith('target:'))
        .map(({ event }) => event.type);
    expect(told(disputed().tell(settled({})))).toEqual(['told.lockGone']);
    const paid = disputed(busy.tell(secretRegistered()));
    expect(told(paid.tell(settled({})))).toEqual(['told.unlocked']);
  });
});

describe('a settlement', () => {
  const toldOf = (state: PlayedChannel) =>
    effectsOf(state, 'tell').filter(({ to }) => to === NETWORK_ACTOR);

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
      { type: 'told.channelSettled', left },
    ]);
  });
});

describe('unlocks on chain', () => {
  const claiming = disputed(busy.tell(secretRegistered())).tell(settled(roots));

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
    const half = claiming.tell(unlocked(OWN)).tell(at(NOW + 60n, txFailed('unlock')));
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
});
