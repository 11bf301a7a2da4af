import { describe, expect, it } from 'vitest';
import {
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NOW,
  PARTNER,
  secretOf,
  secretRevealed,
} from '../../support/makers.ts';
import {
  attemptOf,
  channelClosed,
  forInitiator,
  initiator,
  OTHER_CHANNEL,
  orderOf,
  type PlayedInitiator,
  revealSecret,
} from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const { lockAdded, lockRefused, refunded, secretRequest } = forInitiator;
const REMOVAL = blockReached(EXPIRATION + 2n * CONFIRMATIONS);
const SECOND = attemptOf();
const THIRD = attemptOf({ n: 3, lockAmount: 12n });

/** A payment with two more ways, each with a secret of its own. */
const begun = initiator({ order: orderOf({ alternatives: [SECOND, THIRD] }) });
const locked = begun.tell(lockAdded);

const same = { secret: secretOf(1), secrethash: hashOf(1) };
const chosen = initiator({
  order: orderOf({ alternatives: [attemptOf(same), attemptOf({ ...same, channel: CHANNEL })] }),
});

const told = (payment: PlayedInitiator) =>
  effectsOf(payment, 'notify').map(({ to, event }) => [to, event.type]);

/** That the next attempt is on its way, and that nobody was answered. */
function expectSuccessor(payment: PlayedInitiator): void {
  expect(effectOf(payment, 'spawn.initiator')).toMatchObject({
    id: `initiator:${hashOf(2)}`,
    input: {
      id: `initiator:${hashOf(2)}`,
      order: {
        ...SECOND,
        target: PARTNER,
        amount: 10n,
        paymentId: 1n,
        attempt: 2,
        alternatives: [THIRD],
        requestId: `initiator:${hashOf(1)}`,
      },
    },
  });
  expect(effectOf(payment, 'report.route')).toMatchObject({ isGood: false });
  const types = payment.effects.map(({ type }) => type);
  for (const type of ['record.paymentFailed', 'reply.error', 'send.message'])
    expect(types).not.toContain(type);
}

describe('an attempt whose lock is refused by the own channel', () => {
  it('goes over the next way with the same secret, which nobody has seen', () => {
    const again = begun.tell(lockRefused('too_many_locks'));
    expect(again.snapshot.value).toBe('locking');
    expect(effectOf(again, 'notify')).toMatchObject({
      to: OTHER_CHANNEL,
      event: { type: 'actor.addLock', amount: 11n, secrethash: hashOf(1) },
    });
    expect(again.effects).toHaveLength(1);
  });

  it('does so with a secret that the caller chose, too', () => {
    const again = chosen.tell(lockRefused('too_many_locks'));
    const paid = again.tell(lockAdded, secretRequest(), revealSecret(attemptOf().partner));
    expect(effectOf(paid, 'reply.ok').value).toMatchObject({
      order: { ...same, channel: OTHER_CHANNEL, attempt: 2 },
    });
  });

  it('fails with the reason for which the last route was refused', () => {
    const failed = begun.tell(
      lockRefused('too_many_locks'),
      lockRefused('invalid_timeout'),
      lockRefused('insufficient_balance'),
    );
    expect(effectOf(failed, 'reply.error').code).toBe('insufficient_balance');
    expect(effectOf(failed, 'record.paymentFailed').attempts).toBe(3);
  });

  it('goes over the next way when its channel is gone', () => {
    expect(told(begun.tell(blockReached(NOW)))).toEqual([[OTHER_CHANNEL, 'actor.addLock']]);
  });
});

describe('an attempt whose lock ran out', () => {
  it.each([
    ['before the target asked', locked],
    ['after the target asked for something else', locked.tell(secretRequest({ amount: 9n }))],
  ])('%s is followed by another with a fresh secret, once the lock is gone', (_, payment) => {
    const over = payment.tell(REMOVAL);
    expect(over.snapshot.value).toBe('replaced');
    expect(told(over)).toEqual([[CHANNEL, 'actor.expireLock']]);
    expect(over.effects[0]?.type).toBe('notify');
    expectSuccessor(over);
  });

  it('is not followed by any when the secret was revealed', () => {
    const failed = locked.tell(secretRequest(), REMOVAL);
    expect(effectOf(failed, 'reply.error').code).toBe('lock_expired');
    expect(effectsOf(failed, 'spawn.initiator')).toEqual([]);
  });

  it('is not followed by any when the caller chose the secret: it is good for one lock', () => {
    const failed = chosen.tell(lockAdded, REMOVAL);
    expect(effectOf(failed, 'reply.error').code).toBe('lock_expired');
    expect(effectsOf(failed, 'spawn.initiator')).toEqual([]);
  });
});

describe('an attempt that cannot arrive any more while its lock stands', () => {
  const cases: [string, PlayedInitiator][] = [
    ['because the first hop gave it back', locked.tell(refunded())],
    ['because its channel closed', locked.tell(channelClosed())],
  ];

  it.each(cases)('%s is followed by another at once', (_, payment) => {
    expect(payment.snapshot.value).toBe('abandoned');
    expectSuccessor(payment);
    expect(told(payment)).toEqual([]);
  });

  it.each(cases)('%s keeps its secret, whoever asks', (_, payment) => {
    const asked = payment.tell(secretRequest(), revealSecret(), refunded(), channelClosed());
    expect(asked.effects).toEqual([]);
    expect(asked.snapshot.value).toBe('abandoned');
  });

  it.each(cases)('%s ends with its lock, and answers nobody', (_, payment) => {
    const over = payment.tell(REMOVAL);
    expect(over.snapshot.status).toBe('done');
    expect(over.effects.map(({ type }) => type)).toEqual(['notify']);
    expect(told(over)).toEqual([[CHANNEL, 'actor.expireLock']]);
  });

  it.each(cases)('%s still unlocks when the secret came on chain in time', (_, payment) => {
    const over = payment.tell(secretRevealed(EXPIRATION - 1n));
    expect(told(over)).toEqual([
      [CHANNEL, 'actor.secretRegistered'],
      [CHANNEL, 'actor.unlock'],
    ]);
    expect(effectsOf(over, 'record.paymentSent')).toEqual([]);
    expect(effectsOf(over, 'reply.ok')).toEqual([]);
  });
});

describe('a payment that the first hop gave back', () => {
  it('hides its secret and waits for its lock when no other way is left', () => {
    const back = initiator().tell(lockAdded, refunded());
    expect(back.effects).toEqual([]);
    expect(back.tell(secretRequest()).effects).toEqual([]);
    const failed = back.tell(REMOVAL);
    expect(effectOf(failed, 'reply.error').detail).toContain('found no way on');
  });

  it('counts as given back only by its own channel', () => {
    const after = locked.tell(refunded('channel:none:1'));
    expect(after.effects).toEqual([]);
    expect(after.tell(secretRequest()).snapshot.value).toBe('revealed');
  });

  it('is too late once the secret was revealed', () => {
    const after = locked.tell(secretRequest()).tell(refunded());
    expect(after.effects).toEqual([]);
    expect(after.tell(revealSecret()).snapshot.value).toBe('paid');
  });
});

describe('the last attempt', () => {
  it('answers under the name of the first, with its own secret and the intended amount', () => {
    const order = { ...orderOf(), ...SECOND, attempt: 2, alternatives: [] };
    const last = initiator({ id: `initiator:${hashOf(2)}`, order });
    const paid = last.tell(lockAdded, secretRequest(), revealSecret(SECOND.partner));
    const reply = effectOf(paid, 'reply.ok');
    expect(reply.requestId).toBe(`initiator:${hashOf(1)}`);
    expect(reply.value).toMatchObject({ order: { secrethash: hashOf(2), amount: 10n } });
    const facts = { amount: 10n, attempts: 2, channel: OTHER_CHANNEL, secrethash: hashOf(2) };
    expect(effectOf(paid, 'record.paymentSent')).toMatchObject(facts);
    expect(effectOf(paid, 'report.route')).toMatchObject({ route: SECOND.route, isGood: true });
  });
});
