/** Transfers that OWN passes on from PARTNER to PAYEE, and what their mediator is told. */

import { initialTransition } from 'xstate';
import { channelActorId } from '../../machines/base/actor-ids.ts';
import type { MediatorInput, PayerSide } from '../../machines/base/inputs.ts';
import type { ForwardLock } from '../../machines/events/notices.ts';
import { mediatorMachine } from '../../machines/mediator/chart.ts';
import type { Address } from '../../src/basics/hex.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import { FREE } from './channel-makers.ts';
import {
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NETWORK,
  NOW,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  SETTLE_TIMEOUT,
  STRANGER,
  stamped,
  TOKEN,
} from './makers.ts';
import { effectsIn, type Played, played } from './played.ts';

export type PlayedMediator = Played<typeof mediatorMachine>;

/** The next hop, and the channel with it. */
export const PAYEE: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
export const PAYEE_CHANNEL = channelActorId({ tokenNetwork: NETWORK, channelId: 2n });

export const payerSide = (parts: Partial<PayerSide> = {}): PayerSide => ({
  channel: CHANNEL,
  partner: PARTNER,
  revealTimeout: REVEAL_TIMEOUT,
  settleTimeout: SETTLE_TIMEOUT,
  balance: 100n,
  receivable: 100n,
  ...parts,
});

const facts = () => ({
  paymentId: 1n,
  secrethash: hashOf(1),
  expiration: EXPIRATION,
  initiator: PARTNER,
  target: STRANGER,
  metadata: routesMetadata([PARTNER, OWN, PAYEE, STRANGER]),
});

/** A transfer of 10 that has just come from PARTNER; PAYEE has been asked to take it. */
export function mediator(parts: Partial<MediatorInput> = {}): PlayedMediator {
  const [snapshot, actions] = initialTransition(mediatorMachine, {
    id: `mediator:${hashOf(1)}`,
    ...facts(),
    confirmations: CONFIRMATIONS,
    payer: payerSide(),
    token: TOKEN,
    tokenNetwork: NETWORK,
    amount: 10n,
    fees: FREE,
    hops: [PAYEE],
    nowBlock: NOW,
    ...parts,
  });
  return played(mediatorMachine, snapshot, effectsIn(actions));
}

/** The order to pass on 10, as a channel gets it. */
export const forwardLock = (parts: Partial<ForwardLock> = {}) =>
  stamped({
    type: 'actor.forwardLock',
    from: `mediator:${hashOf(1)}`,
    ...facts(),
    amountIn: 10n,
    payer: payerSide({ channel: 'channel:other:1' }),
    fees: FREE,
    ...parts,
  } as const);

/** What a mediator is told by the channels that it asks. */
export const forMediator = {
  forwarded: (amount = 9n) =>
    stamped({
      type: 'actor.lockForwarded',
      channel: PAYEE_CHANNEL,
      partner: PAYEE,
      amount,
    } as const),
  refused: (code: Code = 'insufficient_balance') =>
    stamped({ type: 'actor.lockRefused', code, detail: 'why' } as const),
  nobody: stamped({ type: 'actor.nobody', to: `hop:${TOKEN}:${PAYEE}` } as const),
  refunded: (channel = PAYEE_CHANNEL) => stamped({ type: 'actor.refunded', channel } as const),
  ownLockGone: (channel = PAYEE_CHANNEL) =>
    stamped({ type: 'actor.ownLockGone', channel } as const),
  paidOnChain: stamped({ type: 'actor.unlocked', channel: CHANNEL, secret: null } as const),
};
