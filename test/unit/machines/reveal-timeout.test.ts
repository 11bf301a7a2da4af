import { describe, expect, it } from 'vitest';
import { isSafeToWait } from '../../../src/protocol/channel/expiration.ts';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  addLock,
  type ChannelParts,
  changeIn,
  openChannel,
  type PlayedChannel,
  partnersChannel,
  partnersLock,
  received,
} from '../../support/channel-makers.ts';
import { factOf } from '../../support/fact.ts';
import {
  EXPIRATION,
  NOW,
  OWN,
  PARTNER,
  STRANGER,
  secretRevealed,
  stamped,
} from '../../support/makers.ts';
import { forMediator, forwardLock, mediator } from '../../support/mediation-makers.ts';
import { command, revealSecret, target } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

/** The partner's own channel, in which it may sign the locks of these tests. */
const theirs = partnersChannel({ settleTimeout: 40n });
/** The channel of a partner that ignores the settle timeout. */
const liars = partnersChannel({ settleTimeout: 1_000n });

/** The actor that the channel has just spawned. */
function spawned(channel: PlayedChannel) {
  return target(effectOf(channel, 'judge.lock').taken.input);
}

/**
 * What the channel reserves for a transfer with a lock of so many blocks, and whether the transfer is passed
 * on.
 */
function mediated(lockTimeout: bigint, parts: ChannelParts = {}) {
  const metadata = routesMetadata([PARTNER, OWN, STRANGER]);
  const sent = partnersLock({ lockTimeout, target: STRANGER, metadata });
  const channel = openChannel({ isRevealChosen: false, ...parts });
  const { input } = effectOf(channel.tell(received(theirs.tell(sent))), 'spawn.mediator');
  const spawned = mediator({ ...input, id: 'mediator:1' });
  return { reserves: input.payer.revealTimeout, isPassedOn: spawned.effects.length > 0 };
}

/** The blocks that a payee reserves for a lock of `lockTimeout` blocks. */
function reserved(lockTimeout: bigint, parts: ChannelParts = {}) {
  const payer = lockTimeout > 40n ? liars : theirs;
  const transfer = received(payer.tell(partnersLock({ lockTimeout })));
  const payee = openChannel({ revealTimeout: 18n, ...parts }).tell(transfer);
  const { input } = effectOf(payee, 'judge.lock').taken;
  return {
    revealTimeout: input.revealTimeout,
    isSafe: isSafeToWait(input.expiration, input.revealTimeout, NOW),
  };
}

describe('the reveal timeout of an incoming lock', () => {
  it('is the one that somebody here has chosen, also when the lock is too short for it', () => {
    expect(reserved(15n)).toEqual({ revealTimeout: 18n, isSafe: false });
  });

  it('is half of a shorter lock where nobody here has chosen any', () => {
    expect(reserved(25n, { isRevealChosen: false })).toEqual({ revealTimeout: 12n, isSafe: true });
  });

  it('is the channel’s for a lock that is long enough', () => {
    expect(reserved(40n, { isRevealChosen: false })).toMatchObject({ revealTimeout: 18n });
  });

  it('is never below what the confirmations demand, nor below the minimum of the chain', () => {
    expect(reserved(15n, { isRevealChosen: false })).toEqual({ revealTimeout: 10n, isSafe: true });
    const parts = { isRevealChosen: false, minRevealTimeout: 18n };
    expect(reserved(15n, parts)).toEqual({ revealTimeout: 18n, isSafe: false });
  });

  it('is all of its time for a lock that outlives the settle timeout, so that nothing is asked for it', () => {
    const parts = { isRevealChosen: false, settleTimeout: 40n };
    const longest = 40n + 10n + 1n;
    expect(reserved(longest, parts)).toEqual({ revealTimeout: 18n, isSafe: true });
    expect(reserved(longest + 1n, parts)).toMatchObject({ isSafe: false });
  });

  it('is the operator’s of a transfer to be passed on, however short its lock', () => {
    expect(mediated(15n, { revealTimeout: 18n })).toEqual({ reserves: 18n, isPassedOn: false });
    expect(mediated(20n, { revealTimeout: 18n })).toEqual({ reserves: 18n, isPassedOn: true });
  });

  it('counts as chosen once it was set', () => {
    const channel = openChannel({ isRevealChosen: false }).tell(command.setRevealTimeout(19n));
    expect(channel.snapshot.context).toMatchObject({ revealTimeout: 19n, isRevealChosen: true });
  });
});

describe('a channel whose settle timeout a partner has chosen', () => {
  const short = { revealTimeout: 18n, isRevealChosen: false, settleTimeout: 20n };

  it('has half of it for payments to and from this node, where that is enough', () => {
    expect(reserved(20n, short)).toEqual({ revealTimeout: 10n, isSafe: true });
    const asked = openChannel(short).tell(addLock());
    const { lock } = changeIn(effectOf(asked, 'send.message').message, 'lock');
    expect(lock.expiration).toBe(NOW + 19n);
  });

  it('passes nothing on, and no deposit of its partner is answered', () => {
    expect(mediated(20n, short)).toMatchObject({ isPassedOn: false });
    expect(openChannel(short).effects).toEqual([]);
    expect(openChannel({ ...short, settleTimeout: 36n }).effects).toHaveLength(1);
  });

  it.each([
    ['too short', { ...short, settleTimeout: 19n }],
    ['too short for the confirmations', { ...short, confirmations: 2n }],
    ['too short for the chain', { ...short, minRevealTimeout: 11n }],
    ['too short for what was chosen', { ...short, isRevealChosen: true }],
    ['long, with a reveal timeout that is too short', { revealTimeout: 9n, isRevealChosen: true }],
  ])('takes, asks for, gives and forwards nothing when it is %s', (_, parts) => {
    const channel = openChannel(parts);
    for (const order of [addLock(), forwardLock()]) {
      const refused = channel.tell(order);
      expect(refused.snapshot.context.ownEnd.locks).toEqual([]);
      expect(effectOf(refused, 'notify').event).toMatchObject({ code: 'unsafe_timeouts' });
      expect(factOf(effectOf(refused, 'notify').event, 'detail')).toContain('close the channel');
    }
    expect(reserved(40n, parts)).toMatchObject({ isSafe: false });
    expect(mediated(40n, parts)).toMatchObject({ isPassedOn: false });
    const [refused] = channel.tell(command.deposit(150n)).effects;
    expect(refused).toMatchObject({ type: 'reply.error', code: 'unsafe_timeouts' });
  });

  it('keeps its books: the lock is held, and its balance proof is the partner’s newest', () => {
    const transfer = received(theirs.tell(partnersLock({ lockTimeout: 40n })));
    const held = openChannel({ ...short, settleTimeout: 10n }).tell(transfer);
    expect(held.snapshot.context.partnerEnd.locks).toHaveLength(1);
    expect(held.snapshot.context.partnerProof?.nonce).toBe(1n);
    const target = spawned(held);
    expect([target.snapshot.value, target.effects]).toEqual(['expiring', []]);
    const registered = target.tell(secretRevealed(NOW + 1n));
    expect(effectOf(registered, 'notify').event.type).toBe('actor.secretRegistered');
  });

  it('can be used once the operator has chosen a reveal timeout that fits', () => {
    const chosen = openChannel({ ...short, revealTimeout: 9n, isRevealChosen: true }).tell(
      command.setRevealTimeout(10n),
    );
    expect(effectsOf(chosen.tell(addLock()), 'send.message')).toHaveLength(1);
  });
});

describe('a node that is started with more confirmations', () => {
  const settings = { confirmations: 5n, defaultRevealTimeout: 14n, minRevealTimeout: 14n };
  const told = stamped({ type: 'actor.settings', settings } as const);

  it('uses a channel no more whose chosen reveal timeout has become too short', () => {
    const channel = openChannel({ isRevealChosen: true }).tell(told);
    expect(channel.snapshot.context).toMatchObject({ confirmations: 5n, revealTimeout: 10n });
    const refused = channel.tell(addLock());
    expect(effectOf(refused, 'notify').event).toMatchObject({ code: 'unsafe_timeouts' });
    expect(effectsOf(channel.tell(command.close()), 'tx.close')).toHaveLength(1);
  });

  it('goes on in one for which nobody chose: it has the reveal timeout of the options', () => {
    const channel = openChannel({ isRevealChosen: false }).tell(told);
    expect(channel.snapshot.context.revealTimeout).toBe(14n);
    expect(effectsOf(channel.tell(addLock()), 'send.message')).toHaveLength(1);
  });

  it('registers the secret of a payment that is on its way earlier', () => {
    const waiting = target().tell(revealSecret());
    expect(waiting.snapshot.context.wakeBlock).toBe(EXPIRATION - 10n);
    const earlier = waiting.tell(told);
    expect(earlier.snapshot.context.wakeBlock).toBe(EXPIRATION - 14n);
    expect(target().tell(told).snapshot.context.wakeBlock).toBe(
      target().snapshot.context.wakeBlock,
    );
  });

  it('registers the secret of a transfer that it passed on earlier', () => {
    const waiting = mediator().tell(forMediator.forwarded(), revealSecret());
    expect(waiting.snapshot.context.payerBlock).toBe(EXPIRATION - 10n);
    const { context } = waiting.tell(told).snapshot;
    expect([context.payerBlock, context.wakeBlock]).toEqual([EXPIRATION - 14n, EXPIRATION - 14n]);
    expect(mediator().tell(told).snapshot.context.payerBlock).toBeNull();
  });
});
