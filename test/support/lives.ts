/** One actor of each kind: how it is spawned and what it may be told, with secrets and signatures in it. */

import type { Kind } from '../../machines/contexts.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import type { ActorEvent } from '../../machines/events.ts';
import {
  addLock,
  expireLock,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
  secretRegistered,
  sync,
  unlock,
} from './channel-makers.ts';
import { keeper, keeperInput } from './keeper-makers.ts';
import {
  blockReached,
  CHANNEL,
  closed,
  deposited,
  EXPIRATION,
  hashOf,
  OWN,
  PARTNER,
  secretRevealed,
  settled,
  unlocked,
  withdrawn,
} from './makers.ts';
import { forMediator, forwardLock, mediator } from './mediation-makers.ts';
import {
  attemptOf,
  channelClosed,
  channelOpened,
  command,
  forInitiator,
  initiator,
  lockEnded,
  NETWORK_ACTOR,
  orderOf,
  revealSecret,
  target,
  tokenNetwork,
  tokenNetworkCreated,
} from './payment-makers.ts';
import {
  forWithdrawal,
  fromWithdrawal,
  ordered,
  userDeposit,
  withdrawal,
} from './user-deposit-makers.ts';
import { withdrawConfirmation, withdrawExpired, withdrawRequest } from './withdraw-makers.ts';

type LifeOf = {
  id: string;
  input: object;
  events: readonly Stamped<ActorEvent>[];
  /** Whether its chart asks several guards. */
  isGuarded: boolean;
};

const funded = { deposit: 100n, partnerDeposit: 100n };

function channelEvents(): Stamped<ActorEvent>[] {
  const locked = partnersChannel(funded).tell(partnersLock({ n: 2 }));
  const paid = locked.tell(unlock(2));
  return [
    deposited(OWN, 100n),
    deposited(OWN, 100n),
    deposited(PARTNER, 100n),
    ...[addLock(), addLock({ n: 3 }), unlock(), expireLock(), secretRegistered(2), forwardLock()],
    ...[received(locked), received(locked), received(paid), sync(), sync({ answer: true })],
    command.deposit(50n),
    command.deposit(150n),
    command.withdraw(20n),
    command.close(),
    command.setRevealTimeout(9n),
    withdrawRequest(),
    withdrawConfirmation(),
    withdrawExpired(),
    withdrawn(OWN, 20n),
    closed(PARTNER),
    settled(),
    unlocked(PARTNER),
    blockReached(EXPIRATION + 6n),
    blockReached(200n),
  ];
}

const payment = { secret: null, nowBlock: 100n };

export const LIVES: Record<Kind, LifeOf> = {
  channel: {
    id: CHANNEL,
    input: openChannel().snapshot.context,
    events: channelEvents(),
    isGuarded: true,
  },
  initiator: {
    id: `initiator:${hashOf(1)}`,
    input: {
      ...initiator().snapshot.context,
      order: orderOf({ alternatives: [attemptOf(), attemptOf({ n: 3 })] }),
    },
    events: [
      forInitiator.lockAdded,
      forInitiator.lockRefused('insufficient_balance'),
      forInitiator.refunded(),
      forInitiator.secretRequest(),
      channelClosed(),
      ...[forInitiator.secretRequest({ amount: 1n }), revealSecret(), secretRevealed(105n)],
      blockReached(EXPIRATION + 6n),
    ],
    isGuarded: true,
  },
  mediator: {
    id: `mediator:${hashOf(1)}`,
    input: { ...mediator().snapshot.context, ...payment },
    events: [
      forMediator.forwarded(),
      forMediator.refused(),
      forMediator.nobody,
      forMediator.refunded(),
      forMediator.ownLockGone(),
      forMediator.paidOnChain,
      revealSecret(),
      lockEnded.unlocked(),
      lockEnded.lockGone(),
      channelClosed(),
      secretRevealed(105n),
      blockReached(110n),
      blockReached(EXPIRATION + 6n),
    ],
    isGuarded: true,
  },
  target: {
    id: `target:${hashOf(1)}`,
    input: { ...target().snapshot.context, ...payment },
    events: [
      revealSecret(),
      lockEnded.unlocked(),
      lockEnded.lockGone(),
      channelClosed(),
      secretRevealed(105n),
      blockReached(110n),
      blockReached(EXPIRATION + 6n),
    ],
    isGuarded: true,
  },
  keeper: {
    id: keeperInput().id,
    input: keeper().snapshot.context,
    events: [
      revealSecret(),
      blockReached(110n),
      secretRevealed(105n),
      lockEnded.lockGone(),
      lockEnded.unlocked(),
      forMediator.ownLockGone(),
      blockReached(EXPIRATION + 6n),
    ],
    isGuarded: true,
  },
  tokenNetwork: {
    id: NETWORK_ACTOR,
    input: tokenNetwork().snapshot.context,
    events: [
      ...[command.open(), command.open({ totalDeposit: 5n }), command.registerToken()],
      channelOpened(),
      tokenNetworkCreated,
      blockReached(120n),
    ],
    isGuarded: true,
  },
  node: {
    id: 'node',
    input: {},
    events: [
      command.pay(),
      command.mint(),
      command.registerToken(),
      tokenNetworkCreated,
      ...[
        { type: 'actor.caughtUp', nowBlock: 100n } as const,
        { type: 'actor.fellBehind', nowBlock: 100n } as const,
      ],
    ],
    isGuarded: false,
  },
  userDeposit: {
    id: 'userDeposit',
    input: userDeposit().snapshot.context,
    events: [
      ordered('deposit', 70n),
      ordered('plan', 20n),
      ordered('withdraw', 20n),
      ordered('plan', 900n),
      fromWithdrawal.planEnded(1, 20n),
      fromWithdrawal.ended(),
    ],
    isGuarded: true,
  },
  withdrawal: {
    id: 'withdrawal:1',
    input: withdrawal().snapshot.context,
    events: [forWithdrawal.takeOut(20n), forWithdrawal.replaced],
    isGuarded: true,
  },
};
