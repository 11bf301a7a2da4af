import { describe, expect, it } from 'vitest';
import { lateBlock } from '../../../src/protocol/channel/expiration.ts';
import {
  at,
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NOW,
  PARTNER,
  REVEAL_TIMEOUT,
  SETTLE_TIMEOUT,
  STRANGER,
  secretOf,
  secretRevealed,
  TOKEN,
  txDone,
  txFailed,
} from '../../support/makers.ts';
import {
  forMediator,
  mediator,
  PAYEE,
  PAYEE_CHANNEL,
  type PlayedMediator,
  payerSide,
} from '../../support/mediation-makers.ts';
import { channelClosed, lockEnded, revealSecret } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const { forwarded, refused, nobody, refunded, ownLockGone, paidOnChain } = forMediator;
const DANGER = EXPIRATION - REVEAL_TIMEOUT;
const LATE = lateBlock(NOW, DANGER);
const REMOVAL = EXPIRATION + 2n * CONFIRMATIONS;
const KEY = `secret:mediator:${hashOf(1)}:1`;

const pending = () => mediator().tell(forwarded());
const told = (state: PlayedMediator) =>
  effectsOf(state, 'notify').map(({ to, event }) => `${event.type} ${to}`);
const asked = (state: PlayedMediator) => effectsOf(state, 'notify').map(({ to }) => to);
const payerOf = ({ snapshot }: PlayedMediator) => snapshot.value.payer;
const payeeOf = ({ snapshot }: PlayedMediator) => snapshot.value.payee;
const unlockTold = `actor.unlock ${PAYEE_CHANNEL}`;
const registeredTold = `actor.secretRegistered ${CHANNEL}`;

describe('a transfer that has come', () => {
  it('asks the channel with the next hop for a lock that ends when the payer’s does', () => {
    const { to, event } = effectOf(mediator(), 'notify');
    expect(to).toBe(`hop:${TOKEN}:${PAYEE}`);
    expect(event).toMatchObject({ expiration: EXPIRATION, amountIn: 10n, secrethash: hashOf(1) });
  });

  it.each([refused(), refused('channel_not_open'), nobody])(
    'asks the next hop when one does not take it: $type',
    (answer) => {
      const second = mediator({ hops: [PAYEE, STRANGER] }).tell(answer);
      expect(asked(second)).toEqual([`hop:${TOKEN}:${STRANGER}`]);
      expect(second.tell(answer).effects).toEqual([]);
    },
  );

  it('asks all of them again at each block, as long as it is safe', () => {
    const waiting = mediator().tell(refused());
    expect(waiting.snapshot.context.wakeBlock).toBe(NOW + 1n);
    const again = waiting.tell(blockReached(DANGER - 1n));
    expect(asked(again)).toEqual([`hop:${TOKEN}:${PAYEE}`]);
    expect(again.snapshot.context.wakeBlock).toBe(DANGER);
    const over = again.tell(refused(), blockReached(DANGER));
    expect(over.effects).toEqual([]);
    expect(payeeOf(over)).toBe('unforwarded');
    expect(over.snapshot.context.wakeBlock).toBeNull();
  });

  it.each<[string, bigint, boolean]>([
    ['one block more than it takes to claim', NOW + REVEAL_TIMEOUT + 1n, true],
    ['the blocks that it takes to claim', NOW + REVEAL_TIMEOUT, false],
    ['the payer’s settle timeout', NOW + SETTLE_TIMEOUT, true],
    ['one block more than the payer’s settle timeout', NOW + SETTLE_TIMEOUT + 1n, false],
  ])('with %s left is passed on or not', (_, expiration, isPassedOn) => {
    expect(payeeOf(mediator({ expiration }))).toBe(isPassedOn ? 'waiting' : 'unforwarded');
  });

  it('is not passed on any more when the payer’s channel closes', () => {
    const closed = mediator().tell(refused(), channelClosed(CHANNEL));
    expect(payeeOf(closed)).toBe('unforwarded');
    expect(asked(closed.tell(blockReached(NOW + 1n)))).toEqual([]);
  });

  // R8: whoever shows a secret late must not make this node pay for a transaction.
  it('that never went on is not worth a transaction, whoever shows the secret', () => {
    const waiting = mediator().tell(refused());
    const shown = waiting.tell(
      revealSecret(STRANGER),
      blockReached(DANGER),
      at(DANGER, revealSecret(STRANGER)),
      at(DANGER, channelClosed(CHANNEL)),
      at(DANGER, revealSecret(STRANGER)),
    );
    expect(effectsOf(shown, 'tx.registerSecret')).toEqual([]);
    expect(effectsOf(shown, 'send.message')).toEqual([]);
  });

  it('that never went on ends with the payer’s lock', () => {
    const over = mediator().tell(refused(), lockEnded.lockGone());
    expect(over.snapshot.status).toBe('done');
  });
});

describe('a secret that is shown in time', () => {
  const shown = pending().tell(revealSecret(PAYEE));

  it('goes back to the payer, and the payee is paid', () => {
    const { message, to, key } = effectOf(shown, 'send.message');
    expect({ type: message.type, to, key }).toEqual({
      type: 'RevealSecret',
      to: PARTNER,
      key: `reveal:mediator:${hashOf(1)}`,
    });
    expect(told(shown)).toEqual([unlockTold]);
  });

  it('may come from anybody', () => {
    expect(told(pending().tell(revealSecret(STRANGER)))).toEqual([unlockTold]);
  });

  it('pays once, however often it is shown', () => {
    expect(shown.tell(revealSecret(PAYEE), revealSecret(STRANGER)).effects).toEqual([]);
  });

  it('is repeated to the payer until the payer unlocks', () => {
    const paid = shown.tell(lockEnded.unlocked());
    expect(effectOf(paid, 'done.message').key).toBe(`reveal:mediator:${hashOf(1)}`);
    expect(paid.snapshot.status).toBe('done');
  });

  it('earns the fee when both sides are paid, and not before', () => {
    expect(effectsOf(shown, 'record.mediated')).toEqual([]);
    expect(effectOf(shown.tell(lockEnded.unlocked()), 'record.mediated').fee).toBe(1n);
  });

  it('goes to the chain when waiting for the payer gets dangerous', () => {
    const danger = shown.tell(blockReached(DANGER));
    expect(effectOf(danger, 'tx.registerSecret')).toMatchObject({
      key: KEY,
      secret: secretOf(1),
      deadlineBlock: EXPIRATION - 1n,
    });
  });

  it('goes to the chain at once when the payer’s channel closes', () => {
    const closed = shown.tell(channelClosed(CHANNEL));
    expect(effectsOf(closed, 'tx.registerSecret')).toHaveLength(1);
  });
});

// Else whoever pays over two nodes could choose when the payee shows the secret: too late for the first of them, whose
// reveal timeout is longer, and in time for the second, which then had to register it and to call the first a bad payer.
describe.each([
  ['before half of the time is over', LATE - 1n, false],
  ['when half of the time is over', LATE, true],
  ['in the last safe block', DANGER - 1n, true],
] as const)('a secret that is shown %s', (_, block, isLate) => {
  const shownWith = (mayBeLate: boolean) =>
    pending().tell(at(block, revealSecret(PAYEE, 1, mayBeLate)));

  it(isLate ? 'is paid for off chain only if it may be late' : 'is always paid for', () => {
    expect(told(shownWith(true))).toEqual([unlockTold]);
    expect(told(shownWith(false))).toEqual(isLate ? [] : [unlockTold]);
    expect(effectsOf(shownWith(false), 'send.message')).toHaveLength(isLate ? 0 : 1);
  });

  it(isLate ? 'is counted as late when it is paid for' : 'is not counted as late', () => {
    expect(effectsOf(shownWith(true), 'record.late')).toHaveLength(isLate ? 1 : 0);
    expect(effectsOf(shownWith(false), 'record.late')).toEqual([]);
  });
});

it('a late secret that is not paid for at once is paid for when the payer has paid', () => {
  const shown = pending().tell(at(LATE, revealSecret(PAYEE, 1, false)));
  expect(told(shown.tell(at(LATE, lockEnded.unlocked())))).toEqual([unlockTold]);
});

// R1: the same event in the blocks around the two that count.
describe.each([
  ['two blocks before the danger', DANGER - 2n],
  ['in the last safe block', DANGER - 1n],
  ['in the first dangerous block', DANGER],
  ['one block later', DANGER + 1n],
  ['two blocks before the expiration', EXPIRATION - 2n],
  ['in the last block in which it counts on chain', EXPIRATION - 1n],
  ['at the expiration', EXPIRATION],
  ['one block after the expiration', EXPIRATION + 1n],
  ['when the payer’s partner may remove its lock', EXPIRATION + CONFIRMATIONS],
  ['one block before our lock may be removed', REMOVAL - 1n],
  ['when our lock may be removed', REMOVAL],
] as const)('%s', (_, block) => {
  const isSafe = block < DANGER;
  const isInTime = block < EXPIRATION;

  it('the payee is paid off chain for a secret only if it is safe', () => {
    const shown = pending().tell(at(block, revealSecret(PAYEE)));
    expect(told(shown)).toEqual(isSafe ? [unlockTold] : []);
  });

  // Nothing was paid for it. Who has paid for it, or wants to be paid, brings it on chain.
  it('a secret that comes too late to pay for it costs this node no gas', () => {
    const shown = pending().tell(at(block, revealSecret(PAYEE)));
    expect(effectsOf(shown, 'tx.registerSecret')).toEqual([]);
    expect(effectsOf(shown, 'send.message')).toHaveLength(isSafe ? 1 : 0);
  });

  it('a secret that comes after the payer’s channel closed is registered if it is paid for', () => {
    const shown = pending().tell(channelClosed(CHANNEL), at(block, revealSecret(PAYEE)));
    expect(effectsOf(shown, 'tx.registerSecret')).toHaveLength(isSafe ? 1 : 0);
    expect(told(shown)).toEqual(isSafe ? [unlockTold] : []);
    expect(effectsOf(shown, 'send.message')).toEqual([]);
  });

  it('a secret on chain counts only below the expiration', () => {
    const seen = pending().tell(secretRevealed(block));
    const channels = [`actor.secretRegistered ${PAYEE_CHANNEL}`, registeredTold, unlockTold];
    expect(told(seen)).toEqual(isInTime ? channels : []);
    expect(effectsOf(seen, 'send.message')).toHaveLength(isInTime ? 1 : 0);
  });

  it('a registration counts only when it was mined below the expiration', () => {
    const registering = pending().tell(revealSecret(PAYEE), blockReached(DANGER));
    const ended = registering.tell(at(block, txDone(KEY, block)));
    expect(told(ended).includes(registeredTold)).toBe(isInTime);
    expect(payerOf(ended)).toEqual({ unpaid: isInTime ? 'registered' : 'expiring' });
  });

  it('the payer’s unlock pays the payee', () => {
    expect(told(pending().tell(at(block, lockEnded.unlocked())))).toEqual([unlockTold]);
  });

  it('our lock is removed only when its time has come, and never once it was paid', () => {
    const expired = [`actor.expireLock ${PAYEE_CHANNEL}`];
    const isOver = block >= REMOVAL;
    expect(told(pending().tell(blockReached(block)))).toEqual(isOver ? expired : []);
    const late = pending().tell(at(EXPIRATION - 1n, revealSecret(PAYEE)), blockReached(block));
    expect(told(late)).toEqual(isOver ? expired : []);
    const paid = pending().tell(revealSecret(PAYEE), blockReached(block));
    expect(told(paid)).not.toContain(expired[0]);
    const onChain = pending().tell(secretRevealed(EXPIRATION - 1n), blockReached(block));
    expect(told(onChain)).not.toContain(expired[0]);
  });
});

describe('a registration', () => {
  const registering = pending().tell(revealSecret(PAYEE), blockReached(DANGER));

  it('that failed is tried at the next block, until the lock has expired', () => {
    const failed = registering.tell(at(DANGER + 1n, txFailed(KEY)));
    expect(failed.snapshot.context.wakeBlock).toBe(DANGER + 2n);
    const again = failed.tell(blockReached(DANGER + 2n));
    expect(effectOf(again, 'tx.registerSecret').key).toBe(`secret:mediator:${hashOf(1)}:2`);
    const late = failed.tell(blockReached(EXPIRATION));
    expect(effectsOf(late, 'tx.registerSecret')).toEqual([]);
    expect(payerOf(late)).toEqual({ unpaid: 'expiring' });
  });

  it('is charged to the payer, once, however often it is tried', () => {
    const forced = { type: 'record.forced', payer: PARTNER };
    expect(effectsOf(registering, 'record.forced')).toEqual([forced]);
    const failed = registering.tell(at(DANGER + 1n, txFailed(KEY)));
    expect(effectsOf(failed.tell(blockReached(DANGER + 2n)), 'record.forced')).toEqual([]);
  });

  // R7: whoever was first, the secret stands on chain in time.
  it('counts whichever side made it', () => {
    const others = registering.tell(secretRevealed(DANGER + 1n));
    expect(told(others)).toEqual([registeredTold]);
    const both = others.tell(at(DANGER + 2n, txFailed(KEY)), blockReached(DANGER + 3n));
    expect(effectsOf(both, 'tx.registerSecret')).toEqual([]);
    expect(told(both)).toEqual([]);
  });

  it('that came too late by us counts when another was in time', () => {
    const late = registering.tell(
      secretRevealed(EXPIRATION - 1n),
      at(EXPIRATION, txDone(KEY, EXPIRATION)),
    );
    expect(payerOf(late)).toEqual({ unpaid: 'registered' });
  });

  it('keeps our lock from being declared expired', () => {
    const registered = registering.tell(txDone(KEY, EXPIRATION - 1n), blockReached(REMOVAL));
    expect(told(registered)).not.toContain(`actor.expireLock ${PAYEE_CHANNEL}`);
  });
});

describe('a secret that is shown too late to pay for it', () => {
  const late = pending().tell(at(DANGER, revealSecret(PAYEE)));

  it('is kept, but nothing is done about it however often it is shown', () => {
    expect(late.snapshot.context.secret).toBe(secretOf(1));
    const again = late.tell(at(DANGER + 1n, revealSecret(PAYEE)), blockReached(DANGER + 2n));
    expect(again.effects).toEqual([]);
    expect(again.snapshot.value).toEqual(pending().snapshot.value);
  });

  it('pays everybody when the payee brings it on chain in time', () => {
    const claimed = late.tell(secretRevealed(EXPIRATION - 1n));
    expect(told(claimed)).toEqual([
      `actor.secretRegistered ${PAYEE_CHANNEL}`,
      registeredTold,
      unlockTold,
    ]);
    expect(effectOf(claimed, 'send.message').to).toBe(PARTNER);
  });

  it('lets both locks run out when nobody brings it on chain', () => {
    const over = late.tell(blockReached(REMOVAL), lockEnded.lockGone());
    expect(told(late.tell(blockReached(REMOVAL)))).toEqual([`actor.expireLock ${PAYEE_CHANNEL}`]);
    expect(over.snapshot.status).toBe('done');
  });
});

describe('a payee whose channel closed', () => {
  const disputed = pending().tell(channelClosed(PAYEE_CHANNEL));

  // R25: what is learned on chain is passed on.
  it('and that claims on chain gives the secret to the payer', () => {
    const claimed = disputed.tell(secretRevealed(EXPIRATION - 1n));
    expect(effectOf(claimed, 'send.message').to).toBe(PARTNER);
    expect(told(claimed)).toEqual([`actor.secretRegistered ${PAYEE_CHANNEL}`, registeredTold]);
  });

  it('gets no unlock, but the mediator passes its secret back, and registers it when waiting gets dangerous', () => {
    const shown = disputed.tell(revealSecret(PAYEE));
    expect(told(shown)).toEqual([]);
    expect(effectOf(shown, 'send.message').to).toBe(PARTNER);
    const registering = shown.tell(blockReached(DANGER));
    expect(effectsOf(registering, 'tx.registerSecret')).toHaveLength(1);
    const registered = registering.tell(txDone(KEY, EXPIRATION - 1n));
    expect(payeeOf(registered)).toBe('claimable');
    expect(told(registered)).toContain(`actor.secretRegistered ${PAYEE_CHANNEL}`);
  });

  // R24: the payer's side is not given up before the payee's claim is dead.
  it('can claim until the expiration, and the mediator lives as long', () => {
    const paidBack = disputed.tell(lockEnded.lockGone());
    expect(paidBack.tell(blockReached(EXPIRATION - 1n)).snapshot.status).toBe('active');
    expect(paidBack.tell(blockReached(EXPIRATION)).snapshot.status).toBe('done');
  });

  it('with our lock gone from the chain is owed nothing', () => {
    expect(payeeOf(disputed.tell(ownLockGone()))).toBe('expired');
    expect(payeeOf(pending().tell(ownLockGone()))).toBe('expired');
  });
});

describe('a mediator', () => {
  it('that learns of no secret ends when both locks are gone', () => {
    const expired = pending().tell(blockReached(REMOVAL));
    expect(expired.snapshot.status).toBe('active');
    expect(expired.tell(lockEnded.lockGone()).snapshot.status).toBe('done');
  });

  it('does not take another channel’s word', () => {
    const other = 'channel:other:1';
    const same = pending().tell(
      lockEnded.unlocked(other),
      lockEnded.lockGone(other),
      lockEnded.lockGone(PAYEE_CHANNEL),
      lockEnded.unlocked(PAYEE_CHANNEL),
      channelClosed(other),
      ownLockGone(other),
      ownLockGone(CHANNEL),
      refunded(other),
    );
    expect(same.snapshot.value).toEqual(pending().snapshot.value);
    expect(same.effects).toEqual([]);
  });

  it('keeps its own lock pending when the payee gives the transfer back', () => {
    const given = pending().tell(refunded());
    expect(given.snapshot.context.isRefunded).toBe(true);
    expect(given.effects).toEqual([]);
    expect(told(given.tell(revealSecret(PAYEE)))).toEqual([unlockTold]);
  });

  it('is paid by a claim on chain, too', () => {
    const closed = pending().tell(
      revealSecret(PAYEE),
      channelClosed(CHANNEL),
      secretRevealed(EXPIRATION - 1n),
      paidOnChain,
    );
    expect(closed.snapshot.status).toBe('done');
    expect(effectOf(closed, 'record.mediated').fee).toBe(1n);
  });

  it('records no fee when it has not paid the payee', () => {
    const unpaid = pending().tell(channelClosed(PAYEE_CHANNEL), lockEnded.unlocked());
    expect(effectsOf(unpaid, 'record.mediated')).toEqual([]);
  });

  it('keeps the shorter reveal timeout of a short lock', () => {
    const short = mediator({ payer: payerSide({ revealTimeout: 3n }) }).tell(forwarded());
    const shown = short.tell(at(EXPIRATION - 4n, revealSecret(PAYEE)));
    expect(told(shown)).toEqual([unlockTold]);
    expect(told(short.tell(at(EXPIRATION - 3n, revealSecret(PAYEE))))).toEqual([]);
  });
});
