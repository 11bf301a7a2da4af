/** Payments whose lock carries the secret, sealed for the target, which need not ask for it. */
import { describe, expect, it } from 'vitest';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  at,
  blockReached,
  CONFIRMATIONS,
  EXPIRATION,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  STRANGER,
  secretOf,
  secretRevealed,
} from '../../support/makers.ts';
import {
  attemptOf,
  channelClosed,
  forInitiator,
  initiator,
  orderOf,
  revealSecret,
  target,
} from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const { lockAdded, lockRefused, refunded, secretRequest } = forInitiator;
const SEALED = `0x${'ab'.repeat(92)}` as const;
const REMOVAL = EXPIRATION + 2n * CONFIRMATIONS;
const DANGER = EXPIRATION - REVEAL_TIMEOUT;

const locking = initiator({ order: orderOf({ sealedSecret: SEALED }) });
const offered = locking.tell(lockAdded);

describe('a payment that sends its secret with the lock', () => {
  it('has the sealed secret in the metadata of its transfer', () => {
    const { event } = effectOf(locking, 'notify');
    expect(event).toMatchObject({ metadata: routesMetadata([OWN, PARTNER], SEALED) });
  });

  it('is made when the target shows the secret, without a request', () => {
    const paid = offered.tell(revealSecret());
    expect(paid.snapshot.value).toBe('paid');
    expect(effectOf(paid, 'record.paymentSent')).toMatchObject({ target: PARTNER });
  });

  it.each([
    [EXPIRATION - 1n, 'paid'],
    [EXPIRATION, 'offered'],
  ])('is with the secret shown at block %d %s', (block, state) => {
    expect(offered.tell(at(block, revealSecret())).snapshot.value).toBe(state);
  });

  it('is not made by a secret that somebody else shows', () => {
    expect(offered.tell(revealSecret(STRANGER)).snapshot.value).toBe('offered');
  });

  it('reveals the secret to a target that asks for it nevertheless', () => {
    const revealed = offered.tell(secretRequest());
    expect(revealed.snapshot.value).toBe('revealed');
    expect(effectOf(revealed, 'send.message').message).toEqual({
      type: 'RevealSecret',
      secret: secretOf(1),
    });
  });

  it('stays as it is when a request does not fit, and when a fitting one follows', () => {
    const after = offered.tell(secretRequest({ amount: 9n }), secretRequest());
    expect([after.snapshot.value, after.effects]).toEqual(['offered', []]);
  });

  it('is paid when the target registers the secret in time', () => {
    expect(offered.tell(secretRevealed(EXPIRATION - 1n)).snapshot.value).toBe('paid');
  });

  it('waits for the chain when the channel is closed, and fails only when the lock has run out', () => {
    const disputed = offered.tell(channelClosed());
    expect([disputed.snapshot.value, disputed.effects]).toEqual(['disputed', []]);
    expect(disputed.snapshot.context.wakeBlock).toBe(REMOVAL);
    expect(disputed.tell(secretRevealed(EXPIRATION - 1n)).snapshot.value).toBe('paid');
  });

  it('says that the next node found no way on when that has given the transfer back', () => {
    const failed = offered.tell(refunded(), blockReached(REMOVAL));
    expect(effectOf(failed, 'reply.error').detail).toContain('found no way on');
  });

  it('fails when the lock has run out', () => {
    const failed = offered.tell(blockReached(REMOVAL));
    expect(failed.snapshot.value).toBe('failed');
    expect(effectOf(failed, 'reply.error').code).toBe('lock_expired');
  });

  it.each([
    ['the channel is closed', channelClosed()],
    ['the lock has run out', blockReached(REMOVAL)],
  ])('begins no other attempt when %s: the target has the secret', (_, event) => {
    const order = orderOf({ sealedSecret: SEALED, alternatives: [attemptOf()] });
    const after = initiator({ order }).tell(lockAdded, event);
    expect(effectsOf(after, 'spawn.initiator')).toEqual([]);
  });

  it('takes the next route without it when the channel refuses the lock', () => {
    const order = orderOf({ sealedSecret: SEALED, alternatives: [attemptOf()] });
    const next = initiator({ order }).tell(lockRefused('insufficient_balance'));
    const { event } = effectOf(next, 'notify');
    expect(event).toMatchObject({ metadata: routesMetadata(attemptOf().route) });
    expect(next.tell(lockAdded).snapshot.value).toBe('locked');
  });
});

describe('a target that gets the secret with the lock', () => {
  const arrived = target({ secret: secretOf(1) });

  it('asks nobody for the secret and shows it to the payer at once', () => {
    expect(arrived.snapshot.value).toBe('revealed');
    const sent = effectsOf(arrived, 'send.message');
    expect(sent.map(({ to, message }) => [to, message])).toEqual([
      [PARTNER, { type: 'RevealSecret', secret: secretOf(1) }],
    ]);
  });

  it('registers the secret when waiting for the unlock gets dangerous', () => {
    expect(arrived.snapshot.context.wakeBlock).toBe(DANGER);
    const registering = arrived.tell(blockReached(DANGER));
    expect(effectOf(registering, 'tx.registerSecret')).toMatchObject({ secret: secretOf(1) });
  });

  it.each([
    [DANGER - 1n, 'revealed'],
    [DANGER, 'expiring'],
  ])('that arrives at block %d is %s', (nowBlock, state) => {
    const late = target({ secret: secretOf(1), nowBlock });
    expect(late.snapshot.value).toBe(state);
    expect(effectsOf(late, 'send.message')).toHaveLength(state === 'revealed' ? 1 : 0);
  });
});
