/** Payments, token networks and the node, with what they are told. */

import { initialTransition } from 'xstate';
import { tokenActorId } from '../../machines/base/actor-ids.ts';
import type {
  Attempt,
  InitiatorInput,
  PaymentOrder,
  TargetInput,
  TokenNetworkInput,
} from '../../machines/base/inputs.ts';
import type { DepositLimits, Open, Withdraw } from '../../machines/events/commands.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import { initiatorMachine } from '../../machines/initiator/chart.ts';
import { nodeMachine } from '../../machines/node/chart.ts';
import { targetMachine } from '../../machines/target/chart.ts';
import { tokenNetworkMachine } from '../../machines/token-network/chart.ts';
import type { Address } from '../../src/basics/hex.ts';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { SecretRequest } from '../../src/protocol/messages/secret-request.ts';
import {
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NETWORK,
  NOW,
  OWN,
  onChannel,
  PARTNER,
  position,
  REVEAL_TIMEOUT,
  SETTLE_TIMEOUT,
  STRANGER,
  secretOf,
  stamped,
  TOKEN,
} from './makers.ts';
import { effectsIn, type Played, played } from './played.ts';

export type PlayedInitiator = Played<typeof initiatorMachine>;
export type PlayedTarget = Played<typeof targetMachine>;

export function orderOf(parts: Partial<PaymentOrder> & { n?: number } = {}): PaymentOrder {
  const { n = 1, ...given } = parts;
  return {
    token: TOKEN,
    tokenNetwork: NETWORK,
    target: PARTNER,
    amount: 10n,
    paymentId: BigInt(n),
    secret: secretOf(n),
    secrethash: hashOf(n),
    lockTimeout: null,
    channel: CHANNEL,
    partner: PARTNER,
    route: [OWN, PARTNER],
    lockAmount: 10n,
    requestId: `initiator:${hashOf(n)}`,
    attempt: 1,
    alternatives: [],
    sealedSecret: null,
    ...given,
  };
}

/** Another way of the same payment, with the secret of number `n`. */
export function attemptOf(parts: Partial<Attempt> & { n?: number } = {}): Attempt {
  const { n = 2, ...given } = parts;
  return {
    secret: secretOf(n),
    secrethash: hashOf(n),
    channel: OTHER_CHANNEL,
    partner: STRANGER,
    route: [OWN, STRANGER, PARTNER],
    lockAmount: 11n,
    ...given,
  };
}
export const OTHER_CHANNEL = 'channel:other:1';

/** A payment that has just asked its channel for a lock. */
export function initiator(parts: Partial<InitiatorInput> = {}): PlayedInitiator {
  const order = orderOf();
  const input = { id: `initiator:${order.secrethash}`, own: OWN, confirmations: CONFIRMATIONS };
  const [snapshot, actions] = initialTransition(initiatorMachine, { ...input, order, ...parts });
  return played(initiatorMachine, snapshot, effectsIn(actions));
}

/** A payment of 10 by PARTNER that has just reached OWN. */
export function target(parts: Partial<TargetInput> = {}): PlayedTarget {
  const [snapshot, actions] = initialTransition(targetMachine, {
    id: `target:${hashOf(1)}`,
    own: OWN,
    confirmations: CONFIRMATIONS,
    channel: CHANNEL,
    payer: PARTNER,
    initiator: PARTNER,
    paymentId: 1n,
    amount: 10n,
    secrethash: hashOf(1),
    expiration: EXPIRATION,
    secret: null,
    revealTimeout: REVEAL_TIMEOUT,
    token: TOKEN,
    tokenNetwork: NETWORK,
    nowBlock: NOW,
    ...parts,
  });
  return played(targetMachine, snapshot, effectsIn(actions));
}

const lockAdded = stamped({ type: 'actor.lockAdded', expiration: EXPIRATION } as const);

/** What an initiator is told. */
export const forInitiator = {
  lockAdded,
  lockRefused: (code: Code) => stamped({ type: 'actor.lockRefused', code, detail: 'why' } as const),
  refunded: (channel = CHANNEL) => stamped({ type: 'actor.refunded', channel } as const),
  secretRequest: (
    parts: Partial<Pick<SecretRequest, 'amount' | 'expiration' | 'paymentId' | 'token'>> & {
      sender?: Address;
    } = {},
  ) => {
    const { sender = PARTNER, ...given } = parts;
    const facts = { messageId: 3n, paymentId: 1n, secrethash: hashOf(1), token: TOKEN };
    const message = {
      type: 'SecretRequest',
      ...facts,
      amount: 10n,
      expiration: EXPIRATION,
      ...given,
    } as const;
    return stamped({ type: 'msg.secretRequest', message, sender } as const);
  },
};

/** `mayBeLate`: whether a mediator may pay for it when it is late. */
export function revealSecret(sender = PARTNER, n = 1, mayBeLate = true) {
  const message = { type: 'RevealSecret', messageId: 4n, secret: secretOf(n) } as const;
  const secrethash = hashOf(n);
  return stamped({ type: 'msg.revealSecret', secrethash, mayBeLate, message, sender } as const);
}

export const channelClosed = (channel = CHANNEL) =>
  stamped({ type: 'actor.channelClosed', channel } as const);

/** What a target is told by its channel. */
export const lockEnded = {
  unlocked: (channel = CHANNEL) =>
    stamped({ type: 'actor.unlocked', channel, secret: secretOf(1) } as const),
  lockGone: (channel = CHANNEL) => stamped({ type: 'actor.lockGone', channel } as const),
};

export type PlayedNetwork = Played<typeof tokenNetworkMachine>;
export type PlayedNode = Played<typeof nodeMachine>;
export const NETWORK_ACTOR = tokenActorId(TOKEN);
export const NODE_FACTS = {
  chainId: 1n,
  own: OWN,
  confirmations: CONFIRMATIONS,
  defaultRevealTimeout: 9n,
  minRevealTimeout: 1n,
};

/** A token whose network is known, or being registered when it is null. */
export function tokenNetwork(parts: Partial<TokenNetworkInput> = {}): PlayedNetwork {
  const known = { token: TOKEN, tokenNetwork: NETWORK, requestId: null };
  const input = { id: NETWORK_ACTOR, ...NODE_FACTS, ...known, ...parts };
  const [snapshot, actions] = initialTransition(tokenNetworkMachine, input);
  return played(tokenNetworkMachine, snapshot, effectsIn(actions));
}

/** A node that has just started. */
export function node(): PlayedNode {
  const [snapshot, actions] = initialTransition(nodeMachine, NODE_FACTS);
  return played(nodeMachine, snapshot, effectsIn(actions));
}

export const tokenNetworkCreated = stamped({
  type: 'chain.tokenNetworkCreated',
  token: TOKEN,
  tokenNetwork: NETWORK,
  at: position(),
} as const);

export function channelOpened(
  parts: { participant1?: Address; participant2?: Address } = {},
): Stamped<Extract<ChannelLog, { type: 'chain.channelOpened' }>> {
  const pair = { participant1: OWN, participant2: PARTNER, settleTimeout: SETTLE_TIMEOUT };
  return stamped({ type: 'chain.channelOpened', ...onChannel(), ...pair, ...parts });
}

/** Commands; each is asked under its own request id. */
export const command = {
  open(parts: Partial<Omit<Open, 'type' | 'limits'>> & { limits?: Partial<Open['limits']> } = {}) {
    const { limits, ...given } = parts;
    return stamped({
      type: 'cmd.open',
      requestId: 'open',
      partner: PARTNER,
      totalDeposit: 0n,
      settleTimeout: SETTLE_TIMEOUT,
      revealTimeout: REVEAL_TIMEOUT,
      hasChannel: false,
      canPayGas: true,
      limits: {
        participantLimit: 500n,
        networkRoom: 300n,
        ownTokens: 200n,
        minSettleTimeout: 20n,
        maxSettleTimeout: 500n,
        minRevealTimeout: 7n,
        ...limits,
      },
      ...given,
    } as const);
  },
  registerToken: (requestId = 'register') =>
    stamped({ type: 'cmd.registerToken', requestId, token: TOKEN } as const),
  pay: (requestId = `initiator:${hashOf(1)}`) =>
    stamped({ type: 'cmd.pay', requestId, id: requestId, payment: orderOf() } as const),
  mint(requestId = 'mint') {
    const order = { token: TOKEN, to: PARTNER, value: 5n, method: 'mintFor' } as const;
    return stamped({ type: 'cmd.mint', requestId, ...order } as const);
  },
  close: (requestId = 'close') => stamped({ type: 'cmd.close', requestId } as const),
  deposit(totalDeposit: bigint, limits: Partial<DepositLimits> = {}, requestId = 'deposit') {
    const wide = { participantLimit: 500n, networkRoom: 300n, ownTokens: 200n };
    const facts = { requestId, totalDeposit, limits: { ...wide, ...limits } };
    return stamped({ type: 'cmd.deposit', ...facts } as const);
  },
  /** Its request will have the identifier 70. */
  withdraw: (totalWithdraw: bigint, parts: Partial<Omit<Withdraw, 'type'>> = {}) =>
    stamped({
      type: 'cmd.withdraw',
      requestId: 'withdraw',
      totalWithdraw,
      messageId: 70n,
      isPartnerThere: true,
      canPayGas: true,
      ...parts,
    } as const),
  setRevealTimeout: (revealTimeout: bigint, minimum = 7n) =>
    stamped({
      type: 'cmd.setRevealTimeout',
      requestId: 'timeout',
      revealTimeout,
      minimum,
    } as const),
};
