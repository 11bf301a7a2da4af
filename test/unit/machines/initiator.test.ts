import { describe, expect, it } from 'vitest';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  at,
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  STRANGER,
  secretOf,
  secretRevealed,
} from '../../support/makers.ts';
import {
  channelClosed,
  forInitiator,
  initiator,
  orderOf,
  type PlayedInitiator,
  revealSecret,
} from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const { lockAdded, lockRefused, secretRequest } = forInitiator;
const ID = `initiator:${hashOf(1)}`;
const REVEAL_KEY = `reveal:${ID}`;
/** First block at which this node may declare its lock expired. */
const REMOVAL = EXPIRATION + 2n * CONFIRMATIONS;

const locked = initiator().tell(lockAdded);
const revealed = locked.tell(secretRequest());
const disputed = revealed.tell(channelClosed());

const types = ({ effects }: PlayedInitiator) => effects.map(({ type }) => type);

function expectPaid(paid: PlayedInitiator): void {
  expect(paid.snapshot.value).toBe('paid');
  expect(effectsOf(paid, 'notify').map(({ event }) => event)).toContainEqual({
    type: 'actor.unlock',
    secrethash: hashOf(1),
    secret: secretOf(1),
    paymentId: 1n,
  });
  expect(effectOf(paid, 'record.paymentSent')).toMatchObject({ amount: 10n, target: PARTNER });
  expect(effectOf(paid, 'reply.ok')).toEqual({
    type: 'reply.ok',
    requestId: ID,
    value: { kind: 'payment', order: orderOf() },
  });
}

function expectFailed(failed: PlayedInitiator, code: string): void {
  expect(failed.snapshot.value).toBe('failed');
  expect(effectOf(failed, 'reply.error')).toMatchObject({ requestId: ID, code });
  const { code: recorded, reason } = effectOf(failed, 'record.paymentFailed');
  expect(recorded).toBe(code);
  expect(reason).toBe(effectOf(failed, 'reply.error').detail);
  expect(reason).not.toBe('');
}

describe('a payment', () => {
  it('begins with a lock of its amount in its channel', () => {
    expect(initiator().effects).toEqual([
      {
        type: 'notify',
        to: CHANNEL,
        event: {
          type: 'actor.addLock',
          from: ID,
          initiator: OWN,
          paymentId: 1n,
          amount: 10n,
          secrethash: hashOf(1),
          lockTimeout: null,
          target: PARTNER,
          metadata: routesMetadata([OWN, PARTNER]),
        },
      },
    ]);
  });

  it('fails with the reason of the channel when the lock is refused', () => {
    const failed = initiator().tell(lockRefused('insufficient_balance'));
    expectFailed(failed, 'insufficient_balance');
    expect(effectsOf(failed, 'notify')).toEqual([]);
  });

  it('fails at the next block when there is no channel to answer', () => {
    const { wakeBlock } = initiator().snapshot.context;
    expect(wakeBlock).toBe(0n);
    expectFailed(initiator().tell(blockReached(NOW + 1n)), 'channel_closed');
  });

  it('reveals its secret to the target that asks for what was locked', () => {
    expect(revealed.effects).toEqual([
      {
        type: 'send.message',
        key: REVEAL_KEY,
        to: PARTNER,
        queue: null,
        message: { type: 'RevealSecret', secret: secretOf(1) },
      },
    ]);
  });

  it('is made when the first hop shows the secret', () => {
    const paid = revealed.tell(revealSecret());
    expectPaid(paid);
    expect(effectOf(paid, 'done.message').key).toBe(REVEAL_KEY);
  });

  it('is made when the first hop knows the secret from elsewhere', () => {
    expectPaid(locked.tell(revealSecret()));
  });

  it('ignores the secret from anybody else', () => {
    const after = revealed.tell(revealSecret(STRANGER));
    expect(after.snapshot.value).toBe('revealed');
    expect(after.effects).toEqual([]);
  });

  it.each([
    [EXPIRATION - 2n, 'paid'],
    [EXPIRATION - 1n, 'paid'],
    [EXPIRATION, 'revealed'],
    [EXPIRATION + 1n, 'revealed'],
    [REMOVAL - 1n, 'revealed'],
  ])('with the secret shown at block %d is %s', (block, state) => {
    expect(revealed.tell(at(block, revealSecret())).snapshot.value).toBe(state);
  });
});

describe('a secret request', () => {
  it.each([
    ['less than the amount', secretRequest({ amount: 9n })],
    ['another expiration', secretRequest({ expiration: EXPIRATION + 1n })],
    ['an earlier expiration', secretRequest({ expiration: EXPIRATION - 1n })],
    ['another payment', secretRequest({ paymentId: 2n })],
    ['as much of another token', secretRequest({ token: STRANGER })],
  ])('for %s spoils the payment: not even a right one is answered later', (_, wrong) => {
    const spoilt = locked.tell(wrong);
    expect(spoilt.effects).toEqual([]);
    const asked = spoilt.tell(secretRequest());
    expect(asked.effects).toEqual([]);
    expect(asked.snapshot.value).toBe('locked');
    const failed = asked.tell(blockReached(REMOVAL));
    expectFailed(failed, 'lock_expired');
    expect(effectOf(failed, 'record.paymentFailed').reason).toContain('did not fit');
  });

  it('for more than the amount is fine: the target was promised less', () => {
    expect(locked.tell(secretRequest({ amount: 11n })).snapshot.value).toBe('revealed');
  });

  it('of anybody but the target is ignored, and spoils nothing', () => {
    const ignored = locked.tell(
      secretRequest({ sender: STRANGER }),
      secretRequest({ sender: STRANGER, amount: 1n }),
    );
    expect(ignored.effects).toEqual([]);
    expect(ignored.snapshot.value).toBe('locked');
    expect(ignored.tell(secretRequest()).snapshot.value).toBe('revealed');
  });

  it('is answered once, whatever else is asked for', () => {
    expect(revealed.tell(secretRequest(), secretRequest({ amount: 1n })).effects).toEqual([]);
  });

  it.each([
    [EXPIRATION - 1n, 'revealed'],
    [EXPIRATION, 'locked'],
    [EXPIRATION + 1n, 'locked'],
  ])('at block %d leaves the payment %s', (block, state) => {
    expect(locked.tell(at(block, secretRequest())).snapshot.value).toBe(state);
  });

  it('is not answered any more once the channel closes', () => {
    const closed = locked.tell(channelClosed());
    expect(closed.tell(secretRequest()).effects).toEqual([]);
  });
});

describe('the expiry of a lock', () => {
  it('is waited for from the beginning', () => {
    for (const payment of [locked, revealed, disputed])
      expect(payment.snapshot.context.wakeBlock).toBe(REMOVAL);
  });

  it.each([
    ['before the target asked', locked],
    ['after the secret was revealed', revealed],
  ])('%s takes the lock away and fails the payment', (_, payment) => {
    const failed = payment.tell(blockReached(REMOVAL));
    expectFailed(failed, 'lock_expired');
    // Not that nobody paid the target: a node on the path may have.
    expect(effectOf(failed, 'record.paymentFailed').reason).toBe(
      'lock expired before it was claimed',
    );
    expect(effectsOf(failed, 'notify')).toEqual([
      { type: 'notify', to: CHANNEL, event: { type: 'actor.expireLock', secrethash: hashOf(1) } },
    ]);
    expect(effectOf(failed, 'done.message').key).toBe(REVEAL_KEY);
    expect(effectOf(failed, 'report.route')).toMatchObject({ isGood: false });
  });
});

describe('the end of the channel', () => {
  it('stops the reveal', () => {
    expect(disputed.effects).toEqual([{ type: 'done.message', key: REVEAL_KEY }]);
    expect(disputed.snapshot.value).toBe('disputed');
  });

  it('lets no unlock be signed for a secret that comes off chain', () => {
    expect(disputed.tell(revealSecret()).effects).toEqual([]);
  });

  it('fails the payment when the lock has run out', () => {
    expectFailed(disputed.tell(blockReached(REMOVAL)), 'channel_closed');
  });
});

describe('a secret on chain', () => {
  it.each([
    ['locked', locked],
    ['revealed', revealed],
    ['disputed', disputed],
  ])('pays a %s payment when it was registered in time', (_, payment) => {
    const paid = payment.tell(secretRevealed(EXPIRATION - 1n));
    expectPaid(paid);
    expect(effectsOf(paid, 'notify')[0]).toMatchObject({
      to: CHANNEL,
      event: { type: 'actor.secretRegistered', secrethash: hashOf(1), secret: secretOf(1) },
    });
  });

  it.each([
    [EXPIRATION - 2n, true],
    [EXPIRATION - 1n, true],
    [EXPIRATION, false],
    [EXPIRATION + 1n, false],
  ])('that was registered at block %d is in time: %s', (block, isInTime) => {
    for (const payment of [locked, revealed, disputed]) {
      const after = payment.tell(secretRevealed(block));
      expect(after.snapshot.value === 'paid').toBe(isInTime);
      if (!isInTime) expect(after.effects).toEqual([]);
    }
  });

  it('counts by the block of its registration, not by when it is confirmed', () => {
    const late = at(EXPIRATION + CONFIRMATIONS, secretRevealed(EXPIRATION - 1n));
    expectPaid(revealed.tell(late));
  });
});

describe('a payment that has ended', () => {
  it.each([
    ['paid', revealed.tell(revealSecret())],
    ['failed', revealed.tell(blockReached(REMOVAL))],
  ])('%s takes nothing more', (state, payment) => {
    expect(payment.snapshot.status).toBe('done');
    const after = payment.tell(revealSecret(), secretRevealed(NOW), blockReached(REMOVAL));
    expect(types(after)).toEqual([]);
    expect(after.snapshot.value).toBe(state);
  });
});
