import { describe, expect, it } from 'vitest';
import { stopRevealing } from '../../../machines/initiator/lock.ts';
import { type MediatorContext, woken } from '../../../machines/mediator/context.ts';
import { expirePayee, unlockPayee, watchPayee } from '../../../machines/mediator/payee.ts';
import { noteSettings, passBack, register, registered } from '../../../machines/mediator/payer.ts';
import {
  at,
  blockReached,
  EXPIRATION,
  hashOf,
  REVEAL_TIMEOUT,
  secretOf,
  txFailed,
} from '../../support/makers.ts';
import { forMediator, mediator, PAYEE, PAYEE_CHANNEL } from '../../support/mediation-makers.ts';
import { initiator, revealSecret } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const DANGER = EXPIRATION - REVEAL_TIMEOUT;
const KNOWN = {
  payee: { channel: PAYEE_CHANNEL, partner: PAYEE, amount: 9n },
  secret: secretOf(1),
};

const contextOf = (parts: Partial<MediatorContext> = {}): MediatorContext => ({
  ...mediator().snapshot.context,
  ...parts,
});

describe('a mediator whose node confirms later than before', () => {
  /** As many confirmations as make the least reveal timeout ten blocks longer than the channel's. */
  const confirmations = REVEAL_TIMEOUT + 1n;
  const settings = { confirmations, minRevealTimeout: 1n, defaultRevealTimeout: 100n };
  const told = { type: 'actor.settings', settings } as const;
  const sooner = DANGER - 10n;

  it.each<[string, bigint | null, bigint | null]>([
    ['stops waiting for the payer earlier', DANGER, sooner],
    ['keeps to a block that is early enough', sooner, sooner],
    ['keeps to a block that is earlier still', sooner - 1n, sooner - 1n],
    ['waits for no block when it waited for none', null, null],
  ])('%s', (_, payerBlock, expected) => {
    const { patch, effects } = noteSettings(contextOf({ payerBlock }), told);
    expect(patch.payerBlock).toBe(expected);
    expect(patch.payer?.revealTimeout).toBe(REVEAL_TIMEOUT + 10n);
    expect(effects).toEqual([]);
  });
});

describe('a mediator that waits for both sides', () => {
  it.each<[string, bigint | null, bigint | null, bigint | null]>([
    ['the payer', 5n, 7n, 5n],
    ['the payee', 7n, 5n, 5n],
    ['the payer alone', 7n, null, 7n],
    ['the payee alone', null, 7n, 7n],
    ['nobody', null, null, null],
  ])('attends next to %s', (_, payerBlock, payeeBlock, wakeBlock) => {
    expect(woken(contextOf(), { payerBlock, payeeBlock }).wakeBlock).toBe(wakeBlock);
  });
});

describe('a mediator that has only to wait', () => {
  const forwarded = mediator().tell(forMediator.forwarded());

  it('asks for nothing when the transfer went on, or when a registration failed', () => {
    expect(forwarded.effects).toEqual([]);
    const registering = forwarded.tell(revealSecret(PAYEE), blockReached(DANGER));
    const { key } = effectOf(registering, 'tx.registerSecret');
    expect(registering.tell(txFailed(key)).effects).toEqual([]);
  });

  it('asks for nothing at a block that is nobody’s', () => {
    const shown = forwarded.tell(revealSecret(PAYEE));
    expect(shown.tell(blockReached(DANGER - 1n)).effects).toEqual([]);
    const registering = forwarded.tell(revealSecret(PAYEE), blockReached(DANGER));
    const next = registering.tell(blockReached(DANGER + 1n));
    expect(next.effects).toEqual([]);
    expect(next.snapshot.value).toEqual(registering.snapshot.value);
  });

  it('asks for no more than the unlock and the reveal when the payee shows the secret', () => {
    const types = forwarded.tell(revealSecret(PAYEE)).effects.map(({ type }) => type);
    expect(types).toEqual(['send.message', 'notify']);
  });
});

describe('the payer', () => {
  it('is sent no secret before the mediator knows it', () => {
    expect(passBack(contextOf())).toEqual([]);
    expect(passBack(contextOf(KNOWN))).toMatchObject([{ message: { secret: secretOf(1) } }]);
  });

  it('has the secret registered one block before its lock runs out, under another key each time', () => {
    const { patch, effects } = register(contextOf({ ...KNOWN, jobs: 2 }));
    expect(patch).toMatchObject({ jobs: 3, payerBlock: null });
    expect(effects).toEqual([
      {
        type: 'tx.registerSecret',
        from: `mediator:${hashOf(1)}`,
        key: `secret:mediator:${hashOf(1)}:3`,
        deadlineBlock: EXPIRATION - 1n,
        secret: secretOf(1),
      },
    ]);
    expect(() => register(contextOf())).toThrow('a secret that it does not know');
  });

  it('is told of a registration only through its channel, and only when the mediator knows the secret', () => {
    expect(registered(contextOf(KNOWN), undefined)).toEqual([]);
    expect(registered(contextOf(), 'channel:1')).toEqual([]);
    expect(registered(contextOf(KNOWN), 'channel:1')).toMatchObject([{ to: 'channel:1' }]);
  });
});

describe('the payee', () => {
  it('is watched until its lock runs out when its channel is closed', () => {
    const { patch, effects } = watchPayee(contextOf(KNOWN));
    expect(patch).toMatchObject({ payeeBlock: EXPIRATION, wakeBlock: EXPIRATION });
    expect(effects).toEqual([]);
  });

  it('loses its lock through its channel, which is asked for nothing when there was no lock', () => {
    const { patch, effects } = expirePayee(contextOf({ ...KNOWN, payeeBlock: 7n }));
    expect(patch).toMatchObject({ payeeBlock: null });
    expect(effects).toEqual([
      {
        type: 'notify',
        to: PAYEE_CHANNEL,
        event: { type: 'actor.expireLock', secrethash: hashOf(1) },
      },
    ]);
    expect(expirePayee(contextOf()).effects).toEqual([]);
  });

  it('is paid with the secret that came too late to wait, once the payer’s lock was paid on chain', () => {
    const late = mediator().tell(forMediator.forwarded(), at(DANGER, revealSecret(PAYEE)));
    expect(effectsOf(late, 'notify')).toEqual([]);
    const paid = late.tell(forMediator.paidOnChain);
    expect(effectOf(paid, 'notify')).toMatchObject({
      to: PAYEE_CHANNEL,
      event: { type: 'actor.unlock', secret: secretOf(1) },
    });
  });

  it('is not paid before its secret is known, although the payer’s lock was paid on chain', () => {
    const paid = mediator().tell(forMediator.forwarded(), forMediator.paidOnChain);
    expect(effectsOf(paid, 'notify')).toEqual([]);
    const shown = paid.tell(revealSecret(PAYEE));
    expect(effectOf(shown, 'notify').event.type).toBe('actor.unlock');
  });

  it('is never paid without a lock, or without its secret', () => {
    expect(unlockPayee(contextOf(KNOWN))).toMatchObject([{ event: { type: 'actor.unlock' } }]);
    for (const missing of [{ payee: null }, { secret: null }])
      expect(() => unlockPayee(contextOf({ ...KNOWN, ...missing }))).toThrow('lock or secret');
  });
});

it('an initiator whose channel is closed repeats the secret no more', () => {
  const { context } = initiator().snapshot;
  expect(stopRevealing(context).effects).toEqual([
    { type: 'done.message', key: `reveal:${context.id}` },
  ]);
});
