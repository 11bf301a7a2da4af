import { describe, expect, it } from 'vitest';
import { channelTags } from '../../../machines/tags.ts';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import { toHex } from '../../../src/basics/hex.ts';
import { viewOf } from '../../../src/node/api/views.ts';
import { balanceHash } from '../../../src/protocol/channel/balance-proof.ts';
import { encodeLock, locksroot, NO_LOCKS_ROOT } from '../../../src/protocol/channel/lock.ts';
import {
  addLock,
  changeIn,
  expireLock,
  openChannel,
  type PlayedChannel,
  received,
  unlock,
  withEnds,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import { factOf } from '../../support/fact.ts';
import {
  at,
  CHANNEL,
  closed,
  EXPIRATION,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  SETTLE_TIMEOUT,
  secretOf,
} from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const ends = ({ snapshot }: PlayedChannel) => snapshot.context;
const lock = { amount: 10n, expiration: EXPIRATION, secrethash: hashOf(1) };
const encoded = toHex(encodeLock(lock));

describe('adding a lock', () => {
  it('signs a transfer with the next nonce, keeps the proof and tells the payment', () => {
    const { snapshot, effects } = openChannel().tell(addLock());
    expect(snapshot.context.ownEnd).toEqual({
      deposit: 100n,
      withdrawn: 0n,
      withdraws: [],
      transferred: 0n,
      locked: 10n,
      locks: [lock],
      nonce: 1n,
    });
    const amounts = { transferredAmount: 0n, lockedAmount: 10n, locksroot: locksroot([lock]) };
    expect(effects).toMatchObject([
      {
        type: 'notify',
        to: `initiator:${hashOf(1)}`,
        event: { type: 'actor.lockAdded', expiration: EXPIRATION },
      },
      {
        type: 'record.proof',
        channel: CHANNEL,
        side: 'own',
        nonce: 1n,
        ...amounts,
        balanceHash: balanceHash(amounts),
        changes: [{ kind: 'add', lock: encoded, secrethash: hashOf(1) }],
      },
      {
        type: 'send.message',
        key: `${CHANNEL}:1`,
        to: PARTNER,
        queue: CHANNEL,
        message: {
          type: 'Update',
          nonce: 1n,
          ...amounts,
          changes: [{ type: 'lock', lock, recipient: PARTNER }],
        },
      },
    ]);
  });

  it('counts the lock timeout from the newest confirmed block', () => {
    const { snapshot } = openChannel().tell(at(NOW + 7n, addLock({ lockTimeout: 30n })));
    expect(snapshot.context.ownEnd.locks[0]?.expiration).toBe(NOW + 7n + 30n - 1n);
  });

  it('goes on while a deposit is on its way', () => {
    const limits = { participantLimit: 200n, networkRoom: 200n, ownTokens: 200n };
    const depositing = openChannel().tell({
      type: 'cmd.deposit',
      requestId: 'r',
      totalDeposit: 150n,
      limits,
      nowBlock: NOW,
    });
    expect(ends(depositing.tell(addLock())).ownEnd.nonce).toBe(1n);
  });

  it('may use what was received and everything that is not locked', () => {
    const { ours, theirs } = withPartnersLock({ amount: 40n });
    const paid = ours.tell(received(theirs.tell(unlock())));
    expect(ends(paid.tell(addLock({ n: 2, amount: 140n }))).ownEnd.locked).toBe(140n);
  });
});

describe('a lock is refused', () => {
  const locked160 = () =>
    openChannel({ deposit: 1_000n }).tell(
      ...Array.from({ length: 160 }, (_, n) => addLock({ n: n + 1, amount: 1n })),
    );
  const spent = openChannel().tell(addLock({ n: 2, amount: 60n }));
  const timeout = (lockTimeout: bigint) => openChannel().tell(addLock({ lockTimeout }));

  it.each<[string, () => PlayedChannel, string]>([
    [
      'above the balance',
      () => openChannel().tell(addLock({ amount: 101n })),
      'insufficient_balance',
    ],
    [
      'above what other locks leave',
      () => spent.tell(addLock({ amount: 41n })),
      'insufficient_balance',
    ],
    [
      'when the node gives none',
      () => openChannel().tell(addLock({ refusal: 'chain_unavailable' })),
      'chain_unavailable',
    ],
    ['when 160 are pending', () => locked160().tell(addLock({ n: 900 })), 'too_many_locks'],
    ['with the hash of a pending one', () => spent.tell(addLock({ n: 2 })), 'secret_used'],
    ['no longer than the reveal timeout', () => timeout(REVEAL_TIMEOUT), 'invalid_timeout'],
    ['longer than the settle timeout', () => timeout(SETTLE_TIMEOUT + 1n), 'invalid_timeout'],
    [
      'in a channel that settles before two reveal timeouts',
      () => openChannel({ settleTimeout: 19n }).tell(addLock({ lockTimeout: 11n })),
      'unsafe_timeouts',
    ],
    [
      'in a closed channel',
      () => openChannel().tell(closed(OWN)).tell(addLock()),
      'channel_not_open',
    ],
  ])('%s', (_, refuse, code) => {
    const refused = refuse();
    expect(refused.effects).toMatchObject([
      {
        type: 'notify',
        to: expect.stringContaining('initiator:'),
        event: { type: 'actor.lockRefused', code },
      },
    ]);
    expect(factOf(effectOf(refused, 'notify').event, 'detail')).not.toBe('');
  });

  it('only beyond the last one that fits', () => {
    const fits = [
      openChannel().tell(addLock({ amount: 100n })),
      spent.tell(addLock({ amount: 40n })),
      locked160(),
      timeout(REVEAL_TIMEOUT + 1n),
      timeout(SETTLE_TIMEOUT),
      openChannel({ settleTimeout: 20n }).tell(addLock()),
    ];
    for (const channel of fits)
      expect(effectsOf(channel, 'notify').at(-1)?.event.type).toBe('actor.lockAdded');
    expect(ends(locked160()).ownEnd.locks).toHaveLength(160);
  });

  it('without any change to the channel', () => {
    expect(ends(spent.tell(addLock({ amount: 41n })))).toEqual(ends(spent));
  });

  it('where the sum of all that was ever sent would leave 256 bits', () => {
    const transferred = MAX_UINT256 - 10n;
    const worn = withEnds(openChannel(), { own: { transferred }, partner: { transferred } });
    expect(effectOf(worn.tell(addLock({ amount: 11n })), 'notify').event).toMatchObject({
      type: 'actor.lockRefused',
      code: 'insufficient_balance',
    });
    expect(ends(worn.tell(addLock({ amount: 10n }))).ownEnd.locked).toBe(10n);
  });
});

describe('the end of an own lock', () => {
  const channel = openChannel().tell(addLock());

  it('is an unlock that moves its amount', () => {
    const paid = channel.tell(unlock());
    expect(ends(paid).ownEnd).toMatchObject({ transferred: 10n, locked: 0n, locks: [], nonce: 2n });
    expect(paid.effects).toMatchObject([
      { type: 'record.proof', side: 'own', nonce: 2n, changes: [{ kind: 'pay', lock: encoded }] },
      {
        type: 'send.message',
        key: `${CHANNEL}:2`,
        message: {
          type: 'Update',
          nonce: 2n,
          transferredAmount: 10n,
          lockedAmount: 0n,
          locksroot: NO_LOCKS_ROOT,
          changes: [{ type: 'unlock', secret: secretOf(1), paymentId: 1n }],
        },
      },
    ]);
  });

  it('is an expiry that moves nothing', () => {
    const expired = channel.tell(expireLock());
    expect(ends(expired).ownEnd).toMatchObject({
      transferred: 0n,
      locked: 0n,
      locks: [],
      nonce: 2n,
    });
    expect(expired.effects).toMatchObject([
      {
        type: 'record.proof',
        side: 'own',
        nonce: 2n,
        changes: [{ kind: 'expire', lock: encoded }],
      },
      {
        type: 'send.message',
        message: {
          type: 'Update',
          nonce: 2n,
          changes: [{ type: 'expired', secrethash: hashOf(1), recipient: PARTNER }],
        },
      },
    ]);
  });

  it('happens once', () => {
    for (const first of [unlock(), expireLock()])
      for (const second of [unlock(), expireLock()]) {
        const once = channel.tell(first);
        const twice = once.tell(second);
        expect(ends(twice)).toEqual(ends(once));
        expect(twice.effects).toEqual([]);
      }
  });

  it('keeps the order of the other locks', () => {
    const three = openChannel().tell(addLock(), addLock({ n: 2 }), addLock({ n: 3 }));
    const left = ends(three.tell(unlock(2))).ownEnd.locks;
    expect(left.map(({ secrethash }) => secrethash)).toEqual([hashOf(1), hashOf(3)]);
  });

  it('is not signed once the channel is closed on chain', () => {
    const wound = channel.tell(closed(PARTNER));
    for (const end of [unlock(), expireLock()]) {
      expect(ends(wound.tell(end)).ownEnd).toEqual(ends(channel).ownEnd);
      expect(effectsOf(wound.tell(end), 'send.message')).toEqual([]);
    }
  });
});

describe('the balance that people see', () => {
  it('leaves out what is locked', () => {
    const { context } = openChannel().tell(addLock({ amount: 30n })).snapshot;
    expect(viewOf({ tags: channelTags('opened'), channel: context }, 'unknown').balance).toBe(70n);
  });

  it('does not count what the partner has only locked', () => {
    const { context } = withPartnersLock({ amount: 30n }).ours.snapshot;
    expect(viewOf({ tags: channelTags('opened'), channel: context }, 'unknown').balance).toBe(100n);
  });
});

describe('a lock that ends while the own close is on its way', () => {
  const close = command.close();
  const closing = openChannel().tell(addLock()).tell(close);

  it('is still unlocked, so that no payment counts as made without its unlock', () => {
    const paid = closing.tell(unlock());
    expect(changeIn(effectOf(paid, 'send.message').message, 'unlock').secret).toBe(secretOf(1));
    expect(ends(paid).ownEnd).toMatchObject({ transferred: 10n, locks: [] });
  });

  it('is still expired, so that it does not stay when the close fails', () => {
    const { message } = effectOf(closing.tell(expireLock()), 'send.message');
    expect(changeIn(message, 'expired').secrethash).toBe(hashOf(1));
  });
});
