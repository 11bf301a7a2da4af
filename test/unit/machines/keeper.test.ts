import { describe, expect, it } from 'vitest';
import { keeperId } from '../../../machines/keeper/keeping.ts';
import { heldTransfer, keeper, type PlayedKeeper } from '../../support/keeper-makers.ts';
import {
  at,
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NOW,
  secretOf,
  secretRevealed,
  txDone,
  txFailed,
} from '../../support/makers.ts';
import { forMediator } from '../../support/mediation-makers.ts';
import { lockEnded, OTHER_CHANNEL, revealSecret } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const REMOVAL = EXPIRATION + 2n * CONFIRMATIONS;
const state = ({ snapshot }: PlayedKeeper) => snapshot.value;
const registeredTold = (secret: string | null) => ({
  type: 'notify',
  to: CHANNEL,
  event: { type: 'actor.secretRegistered', secrethash: hashOf(1), secret },
});

describe('the keeper of a partner’s lock that nobody can explain', () => {
  const registering = keeper().tell(revealSecret());
  const { key } = effectOf(registering, 'tx.registerSecret');

  it('registers the secret as soon as somebody shows it, and passes it to nobody', () => {
    expect(registering.effects).toEqual([
      {
        type: 'tx.registerSecret',
        from: keeperId(CHANNEL, 'partner', hashOf(1)),
        key,
        deadlineBlock: EXPIRATION - 1n,
        secret: secretOf(1),
      },
    ]);
  });

  it.each([EXPIRATION, EXPIRATION + 1n])('pays no gas for a secret at block %d', (block) => {
    const late = keeper().tell(at(block, revealSecret()));
    expect([state(late), late.effects]).toEqual(['holding', []]);
  });

  it('tells the channel when the secret is mined in time', () => {
    const mined = registering.tell(txDone(key, EXPIRATION - 1n));
    expect([state(mined), mined.effects]).toEqual(['registered', [registeredTold(secretOf(1))]]);
  });

  it('claims nothing when the secret is mined too late', () => {
    const mined = registering.tell(txDone(key, EXPIRATION));
    expect([state(mined), mined.effects]).toEqual(['late', []]);
  });

  it('tries again at the next block, with a job of its own, until the lock has expired', () => {
    const failed = registering.tell(txFailed(key));
    expect(failed.snapshot.context.wakeBlock).toBe(NOW + 1n);
    const again = failed.tell(blockReached(NOW + 1n));
    expect(effectOf(again, 'tx.registerSecret').key).not.toBe(key);
    expect([registering, again].map(({ snapshot }) => snapshot.context.jobs)).toEqual([1, 2]);
    expect(again.snapshot.context.wakeBlock).toBeNull();
    expect(state(failed.tell(blockReached(EXPIRATION)))).toBe('late');
  });

  it('learns from the chain what somebody else has registered', () => {
    const learned = keeper().tell(secretRevealed(EXPIRATION - 1n));
    expect(learned.effects).toEqual([registeredTold(secretOf(1))]);
    expect(state(keeper().tell(secretRevealed(EXPIRATION)))).toBe('holding');
  });

  it('takes a secret that was public before as registered in time', () => {
    expect(keeper({ isPublic: true }).effects).toEqual([registeredTold(null)]);
  });

  it.each([lockEnded.unlocked(), lockEnded.lockGone()])('ends with its lock: $type', (end) => {
    for (const kept of [keeper(), registering, keeper({ isPublic: true })])
      expect(kept.tell(end).snapshot.status).toBe('done');
  });

  it.each([
    lockEnded.lockGone(OTHER_CHANNEL),
    lockEnded.unlocked(OTHER_CHANNEL),
    forMediator.ownLockGone(OTHER_CHANNEL),
  ])('does not end with a lock of another channel: $type', (end) => {
    expect(keeper().tell(end).snapshot.status).toBe('active');
  });
});

describe('the keeper of a lock of a transfer that was never passed on', () => {
  const held = keeper({ isUnexplained: false, transfer: heldTransfer });

  it('pays no gas for its secret', () => {
    expect(held.tell(revealSecret()).effects).toEqual([]);
  });

  it('claims the lock when somebody else has registered the secret', () => {
    expect(held.tell(secretRevealed(105n)).effects).toEqual([registeredTold(secretOf(1))]);
  });
});

describe('the keeper of a lock of this node', () => {
  const own = keeper({ side: 'own' });

  it('takes it back when it has run out', () => {
    expect(own.snapshot.context.wakeBlock).toBe(REMOVAL);
    const gone = own.tell(blockReached(REMOVAL));
    expect(gone.effects).toEqual([
      { type: 'notify', to: CHANNEL, event: { type: 'actor.expireLock', secrethash: hashOf(1) } },
    ]);
    expect(gone.snapshot.status).toBe('done');
  });

  it('never pays it off chain', () => {
    expect(own.tell(revealSecret()).effects).toEqual([]);
    const learned = own.tell(secretRevealed(105n));
    expect(learned.effects).toEqual([registeredTold(secretOf(1))]);
  });

  it.each([
    ['now', own.tell(secretRevealed(105n))],
    ['since before it was found', keeper({ side: 'own', isPublic: true })],
  ])('leaves it to the payee whose secret is on chain %s', (_, kept) => {
    expect(kept.snapshot.context.wakeBlock).toBeNull();
    expect(effectsOf(kept.tell(blockReached(REMOVAL)), 'notify')).toEqual([]);
    expect(kept.tell(forMediator.ownLockGone(CHANNEL)).snapshot.status).toBe('done');
  });
});
