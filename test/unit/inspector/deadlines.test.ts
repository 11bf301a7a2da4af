import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../machines/contexts.ts';
import { deadlineOf, deadlinesOf } from '../../../src/inspector/deadlines/deadlines.ts';
import { seenOf } from '../../../src/inspector/replay/contexts.ts';
import { type StoredState, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import {
  addLock,
  openChannel,
  secretRegistered,
  sync,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  at,
  blockReached,
  CONFIRMATIONS,
  closed,
  EXPIRATION,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  SETTLE_TIMEOUT,
  settled,
  settledProof,
  txDone,
  txFailed,
} from '../../support/makers.ts';
import { forMediator, mediator } from '../../support/mediation-makers.ts';
import {
  attemptOf,
  channelClosed,
  command,
  forInitiator,
  initiator,
  lockEnded,
  node,
  orderOf,
  revealSecret,
  target,
} from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';
import { withdrawRequest } from '../../support/withdraw-makers.ts';

type Played = { snapshot: Pick<StoredState, 'value' | 'context'> };

const SENDER_REMOVAL = EXPIRATION + 2n * CONFIRMATIONS;
/** The block at which a partner that owes has had its time: twice the confirmations and the reveal timeout. */
const CLAIM = SENDER_REMOVAL + REVEAL_TIMEOUT;
const RECEIVER_REMOVAL = EXPIRATION + CONFIRMATIONS;
const DANGER = EXPIRATION - REVEAL_TIMEOUT;
const SETTLE = NOW + SETTLE_TIMEOUT + 1n;
/** The partner gets more, and settles before this node does: twice the confirmations and ten blocks. */
const TURN = SETTLE + 2n + 10n;

const seen = (id: string, { snapshot }: Played) => seenOf(stateFrom(id, snapshot));

/** The deadlines of an actor in a node where these others live. */
function deadlines(kind: Kind, actor: Played, others: Record<string, Played> = {}) {
  return deadlinesOf(seen(kind, actor), (id) => {
    const other = others[id];
    return other === undefined ? null : seen(id, other);
  });
}

/** What is planned for the channel when its transaction is sent, and when one of this type waits. */
function actionsWhile(actor: Played, waiting: string) {
  return [null, waiting].flatMap((held) =>
    deadlinesOf(
      seen('channel', actor),
      () => null,
      (type) => (type === held ? 'not worth its gas' : null),
    ).map(({ action }) => action),
  );
}

function nearest(kind: Kind, actor: Played) {
  return deadlineOf(seen(kind, actor));
}

describe('a lock that the partner pays with', () => {
  const { ours } = withPartnersLock();
  const lock = { what: 'lock', side: 'partner', amount: 10n, secrethash: hashOf(1) };
  const asking = target();
  const knowing = asking.tell(revealSecret());

  it('is dangerous one reveal timeout before it expires', () => {
    expect(deadlines('channel', ours, { [`target:${hashOf(1)}`]: asking })).toEqual([
      {
        ...lock,
        dangerBlock: DANGER,
        expiryBlock: EXPIRATION,
        action: `Waits for the secret; without it the lock is void at #${EXPIRATION}.`,
        actionBlock: RECEIVER_REMOVAL,
      },
    ]);
  });

  it('goes on chain at the danger block once the secret is known', () => {
    const [found] = deadlines('channel', ours, { [`target:${hashOf(1)}`]: knowing });
    expect(found).toMatchObject({ ...lock, actionBlock: DANGER });
    expect(found?.action).toContain(`Registers the secret on chain at #${DANGER}`);
    expect(knowing.snapshot.context.wakeBlock).toBe(found?.actionBlock);
  });

  it('has the reveal timeout that its own payment was given', () => {
    const hurried = target({ revealTimeout: 4n });
    const [found] = deadlines('channel', ours, { [`target:${hashOf(1)}`]: hurried });
    expect(found?.dangerBlock).toBe(EXPIRATION - 4n);
  });

  it('has the deadlines of its mediator when it is passed on', () => {
    const forwarded = mediator().tell(forMediator.forwarded());
    const [found] = deadlines('channel', ours, { [`mediator:${hashOf(1)}`]: forwarded });
    expect(found).toMatchObject({ ...lock, dangerBlock: DANGER, expiryBlock: EXPIRATION });
  });

  it('is only held when the payment with its secrethash goes through another channel', () => {
    const elsewhere = target({ channel: 'channel:other:1' });
    const [found] = deadlines('channel', ours, { [`target:${hashOf(1)}`]: elsewhere });
    expect(found).toMatchObject({ ...lock, dangerBlock: null, actionBlock: null });
    expect(found?.action).toMatch(/^No payment/);
  });

  it('cannot expire any more when its secret is on chain in time', () => {
    const certain = ours.tell(secretRegistered());
    const [found] = deadlines('channel', certain);
    expect(found).toMatchObject({ ...lock, expiryBlock: null, actionBlock: CLAIM });
    expect(found?.action).toContain(`is closed at #${CLAIM} to claim it`);
    expect(nearest('channel', certain)).toBe(CLAIM);
    const [closing] = deadlines('channel', certain.tell(command.close()));
    expect(closing).toMatchObject({ ...lock, expiryBlock: null, actionBlock: null });
  });

  it('is due at its expiration', () => {
    expect(nearest('channel', ours)).toBe(EXPIRATION);
  });
});

describe('a lock that this node pays with', () => {
  const ours = openChannel().tell(addLock());
  const locked = initiator().tell(forInitiator.lockAdded);
  const lock = { what: 'lock', side: 'own', amount: 10n, expiryBlock: EXPIRATION };

  it('is expired by its payment, at the block that it wakes at', () => {
    const [found] = deadlines('channel', ours, { [`initiator:${hashOf(1)}`]: locked });
    expect(found).toMatchObject({ ...lock, dangerBlock: null, actionBlock: SENDER_REMOVAL });
    expect(found?.action).toContain(`Takes the lock back at #${SENDER_REMOVAL}`);
    expect(locked.tell(blockReached(SENDER_REMOVAL)).snapshot.value).toBe('failed');
    expect(nearest('channel', ours)).toBe(SENDER_REMOVAL);
  });

  it('comes back after the settlement of a closed channel', () => {
    const disputed = ours.tell(closed(PARTNER));
    const [settle, found] = deadlines('channel', disputed);
    expect(settle).toMatchObject({ what: 'settle', actionBlock: TURN, expiryBlock: null });
    expect(found).toMatchObject({ ...lock, actionBlock: null });
    expect(found?.action).toContain(`registered before #${EXPIRATION}`);
    expect(nearest('channel', disputed)).toBe(TURN);
  });

  it('is not expired by an old copy of the database', () => {
    const stale = ours.tell(sync({ acceptedNonce: 9n }));
    expect(stale.snapshot.value).toBe('stale');
    const [found] = deadlines('channel', stale, { [`initiator:${hashOf(1)}`]: locked });
    expect(found).toMatchObject({ ...lock, actionBlock: null });
    expect(nearest('channel', stale)).toBeNull();
  });
});

describe('a closed channel', () => {
  const { ours } = withPartnersLock();

  it('brings the partner’s newest proof before the first block of a settlement', () => {
    const disputed = ours.tell(closed(PARTNER));
    const [update, settle] = deadlines('channel', disputed);
    expect(update).toMatchObject({ what: 'update', expiryBlock: SETTLE, actionBlock: null });
    expect(update?.action).toContain('(nonce 1)');
    expect(settle).toMatchObject({ what: 'settle', actionBlock: TURN });
    const { deadlineBlock } = effectOf(disputed, 'tx.updateProof');
    expect(update?.expiryBlock).toBe((deadlineBlock ?? 0n) + 1n);
  });

  it('tries a failed update again at the block that the channel wakes at', () => {
    const disputed = ours.tell(closed(PARTNER));
    const { key } = effectOf(disputed, 'tx.updateProof');
    const failed = disputed.tell(txFailed(key));
    const [update] = deadlines('channel', failed);
    expect(update?.actionBlock).toBe(failed.snapshot.context.wakeBlock);
    expect(nearest('channel', failed)).toBe(failed.snapshot.context.wakeBlock);
  });

  it('has nothing to bring when this node closed it', () => {
    const kinds = deadlines('channel', ours.tell(closed(OWN))).map(({ what }) => what);
    expect(kinds).toEqual(['settle', 'lock']);
  });

  it('settles when the partner, who gets more, has had its turn', () => {
    const disputed = openChannel().tell(closed(PARTNER));
    expect(disputed.tell(blockReached(TURN - 1n)).snapshot.value).toBe('closed');
    const settling = disputed.tell(blockReached(TURN));
    expect(settling.snapshot.value).toBe('settling');
    expect(deadlines('channel', settling)).toMatchObject([{ what: 'settle', actionBlock: null }]);
    expect(actionsWhile(settling, 'tx.settle')).toEqual([
      'The settlement is on its way.',
      'The settlement is not sent now: not worth its gas.',
    ]);
    expect(nearest('channel', settling)).toBeNull();
    const { key } = effectOf(settling, 'tx.settle');
    const again = settling.tell(at(TURN, txFailed(key)));
    expect(deadlines('channel', again)[0]?.actionBlock).toBe(again.snapshot.context.wakeBlock);
  });

  it('unlocks what a settlement left, and then has no deadline', () => {
    const certain = ours.tell(secretRegistered(), closed(OWN, { balanceHash: hashOf(8) }));
    const claiming = certain.tell(
      settled({
        partnerRoot: hashOf(7),
        partner: settledProof({ locked: 10n, claimable: 10n }),
      }),
    );
    expect(claiming.snapshot.value).toBe('claiming');
    expect(deadlines('channel', claiming)).toMatchObject([
      { what: 'unlock', side: 'partner', amount: 10n, actionBlock: null },
    ]);
    expect(actionsWhile(claiming, 'tx.unlock')).toEqual([
      'The unlock of what the settlement left is on its way.',
      'The unlock of what the settlement left is not sent now: not worth its gas.',
    ]);
  });
});

describe('a withdrawal', () => {
  it('is given up by its side when it can no longer be on chain', () => {
    const asking = openChannel().tell(command.withdraw(25n));
    const facts = { what: 'withdraw', side: 'own', amount: 25n, expiryBlock: EXPIRATION };
    expect(deadlines('channel', asking)).toMatchObject([
      { ...facts, actionBlock: SENDER_REMOVAL, dangerBlock: null },
    ]);
    expect(nearest('channel', asking)).toBe(SENDER_REMOVAL);
  });

  it('of the partner stays reserved until the partner gives it up', () => {
    const agreed = openChannel().tell(withdrawRequest({ totalWithdraw: 25n }));
    expect(deadlines('channel', agreed)).toMatchObject([
      { what: 'withdraw', side: 'partner', amount: 25n, actionBlock: RECEIVER_REMOVAL },
    ]);
    expect(nearest('channel', agreed)).toBe(RECEIVER_REMOVAL);
  });

  it('from the user deposit may be made from its block on, which is no deadline', () => {
    const plan = { withdrawal: 'withdrawal:1', amount: 5n, withdrawBlock: 300n };
    const context = {
      id: 'userDeposit',
      plan,
      changedBlock: 0n,
      pending: null,
      withdrawals: 0,
      deposits: 0,
      wakeBlock: null,
    };
    const actor = { kind: 'userDeposit', value: 'idle', state: 'idle', context } as const;
    expect(deadlinesOf(actor, () => null)).toMatchObject([
      { what: 'plan', amount: 5n, actionBlock: 300n, expiryBlock: null },
    ]);
    expect(deadlineOf(actor)).toBeNull();
  });
});

describe('a payment', () => {
  it('of this node has no deadline before its lock, and none after its end', () => {
    expect(nearest('initiator', initiator())).toBeNull();
    const locked = initiator().tell(forInitiator.lockAdded);
    expect(nearest('initiator', locked)).toBe(SENDER_REMOVAL);
    const failed = locked.tell(blockReached(SENDER_REMOVAL));
    expect(nearest('initiator', failed)).toBeNull();
    expect(deadlines('initiator', failed)).toEqual([]);
  });

  it('says what follows an expired lock', () => {
    const order = orderOf({ alternatives: [attemptOf()] });
    const [found] = deadlines('initiator', initiator({ order }).tell(forInitiator.lockAdded));
    expect(found?.action).toContain('then another way is tried');
  });

  it('registers a secret before the lock expires', () => {
    const registering = target().tell(revealSecret(), blockReached(DANGER));
    expect(registering.snapshot.value).toBe('registering');
    expect(nearest('target', registering)).toBe(EXPIRATION);
    const { key } = effectOf(registering, 'tx.registerSecret');
    const failed = registering.tell(at(DANGER, txFailed(key)));
    expect(nearest('target', failed)).toBe(DANGER + 1n);
    expect(deadlines('target', failed)[0]?.action).toContain(`once more at #${DANGER + 1n}`);
    expect(nearest('target', registering.tell(txDone(key, DANGER)))).toBeNull();
  });

  it('that has reached this node waits for its lock to be resolved', () => {
    expect(nearest('target', target())).toBe(RECEIVER_REMOVAL);
    expect(deadlines('target', target().tell(channelClosed()))[0]?.action).toContain('as soon as');
    expect(deadlines('target', target().tell(revealSecret(), lockEnded.unlocked()))).toEqual([]);
  });

  it('that is passed on has a deadline on each side', () => {
    const waiting = mediator();
    expect(deadlines('mediator', waiting).map(({ side }) => side)).toEqual(['partner', null]);
    expect(nearest('mediator', waiting)).toBe(NOW + 1n);
    const forwarded = waiting.tell(forMediator.forwarded());
    expect(deadlines('mediator', forwarded)).toMatchObject([
      { side: 'partner', amount: 10n, dangerBlock: DANGER, expiryBlock: EXPIRATION },
      { side: 'own', amount: 9n, actionBlock: SENDER_REMOVAL, expiryBlock: EXPIRATION },
    ]);
    expect(nearest('mediator', forwarded)).toBe(SENDER_REMOVAL);
    const ended = forwarded.tell(revealSecret(), forMediator.paidOnChain);
    expect(deadlines('mediator', ended)).toEqual([]);
    expect(nearest('mediator', ended)).toBeNull();
  });
});

it('the node itself has no deadline', () => {
  expect(nearest('node', node())).toBeNull();
});
