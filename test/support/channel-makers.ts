/** Channels, and what payments and the partner tell them. */
import { initialTransition } from 'xstate';
import { channelMachine } from '../../machines/channel/chart.ts';
import type { Effect } from '../../machines/effects.ts';
import type {
  FromPartner,
  LockExpiredReceived,
  LockedTransferReceived,
  UnlockReceived,
} from '../../machines/events/messages.ts';
import type { AddLock } from '../../machines/events/notices.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import type { ChannelInput } from '../../machines/inputs.ts';
import type { Address, Secret } from '../../src/basics/hex.ts';
import type { ChannelEnd } from '../../src/protocol/channel/channel-end.ts';
import type { FeeTerms } from '../../src/protocol/fees/fee-terms.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { Sync } from '../../src/protocol/messages/sync.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import {
  CHANNEL,
  CONFIRMATIONS,
  deposited,
  hashOf,
  NETWORK,
  NOW,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  SETTLE_TIMEOUT,
  SIGNATURE,
  secretOf,
  stamped,
  TOKEN,
} from './makers.ts';
import { effectOf, effectsIn, type Played, played } from './played.ts';

export type ChannelParts = Partial<ChannelInput> & { deposit?: bigint; partnerDeposit?: bigint };
export type PlayedChannel = Played<typeof channelMachine>;

/** The state of a channel in which nothing is under way. */
export const AT_REST = { opened: { deposit: 'idle', withdraw: 'idle' } };

/** An open channel whose deposits are confirmed. */
export function openChannel(parts: ChannelParts = {}): PlayedChannel {
  const { deposit = 100n, partnerDeposit = 100n, ...given } = parts;
  const input = {
    id: CHANNEL,
    chainId: 1n,
    tokenNetwork: NETWORK,
    channelId: 1n,
    token: TOKEN,
    own: OWN,
    partner: PARTNER,
    settleTimeout: SETTLE_TIMEOUT,
    revealTimeout: REVEAL_TIMEOUT,
    isRevealChosen: true,
    minRevealTimeout: 1n,
    openBlock: 10n,
    confirmations: CONFIRMATIONS,
    ...given,
  };
  const [snapshot, actions] = initialTransition(channelMachine, input);
  const channel = played(channelMachine, snapshot, effectsIn(actions));
  return channel.tell(deposited(input.own, deposit), deposited(input.partner, partnerDeposit));
}

/** The same channel when its sides have moved money before. */
export function withEnds(
  { snapshot }: PlayedChannel,
  { own = {}, partner = {} }: { own?: Partial<ChannelEnd>; partner?: Partial<ChannelEnd> },
): PlayedChannel {
  const { value, context } = snapshot;
  const ownEnd = { ...context.ownEnd, ...own };
  const partnerEnd = { ...context.partnerEnd, ...partner };
  const moved = { value, context: { ...context, ownEnd, partnerEnd } };
  return played(channelMachine, channelMachine.resolveState(moved));
}

/** The partner's own view of the channel that `openChannel` makes with the same parts. */
export function partnersChannel({ deposit = 100n, partnerDeposit = 100n, ...given }: ChannelParts) {
  const roles = { own: PARTNER, partner: OWN, deposit: partnerDeposit, partnerDeposit: deposit };
  return openChannel({ ...given, ...roles });
}

export function addLock(parts: Partial<AddLock> & { n?: number } = {}): Stamped<AddLock> {
  const { n = 1, ...given } = parts;
  return stamped({
    type: 'actor.addLock',
    from: `initiator:${hashOf(n)}`,
    paymentId: BigInt(n),
    amount: 10n,
    secrethash: hashOf(n),
    lockTimeout: null,
    initiator: OWN,
    target: PARTNER,
    metadata: routesMetadata([OWN, PARTNER]),
    ...given,
  });
}

/** The order to the partner's own channel to lock an amount for OWN. */
export const partnersLock = (parts: Partial<AddLock> & { n?: number } = {}) =>
  addLock({ initiator: PARTNER, target: OWN, ...parts });

export const unlock = (n = 1) =>
  stamped({
    type: 'actor.unlock',
    secrethash: hashOf(n),
    secret: secretOf(n),
    paymentId: BigInt(n),
  } as const);
export const expireLock = (n = 1) =>
  stamped({ type: 'actor.expireLock', secrethash: hashOf(n) } as const);
export const secretRegistered = (n = 1) =>
  stamped({
    type: 'actor.secretRegistered',
    secrethash: hashOf(n),
    secret: secretOf(n),
  } as const);

/** A node that passes transfers on for nothing. */
export const FREE: FeeTerms = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };

export type Incoming = Stamped<LockedTransferReceived | UnlockReceived | LockExpiredReceived>;

/** The balance-proof message in `effects` as the other side receives it. */
export function received(
  state: { effects: readonly Effect[] },
  parts: { sender?: Address; messageId?: bigint; fees?: FeeTerms; secret?: Secret } = {},
): Incoming {
  const { sender = PARTNER, messageId = 7n, fees = FREE, secret = null } = parts;
  const { message } = effectOf(state, 'send.message');
  const from = { sender, signature: SIGNATURE, nowBlock: NOW };
  switch (message.type) {
    case 'LockedTransfer':
      return {
        type: 'msg.lockedTransfer',
        message: { ...message, messageId },
        fees,
        secret,
        ...from,
      };
    case 'Unlock': {
      const secrethash = secrethashOf(message.secret);
      return { type: 'msg.unlock', secrethash, message: { ...message, messageId }, ...from };
    }
    case 'LockExpired':
      return { type: 'msg.lockExpired', message: { ...message, messageId }, ...from };
    default:
      throw new Error(`${message.type} is no balance-proof message`);
  }
}

/** A channel that holds a pending lock of the partner, and the partner's view of it. */
export function withPartnersLock(parts: ChannelParts & { n?: number; amount?: bigint } = {}) {
  const { n = 1, amount = 10n, ...given } = parts;
  const theirs = partnersChannel(given).tell(partnersLock({ n, amount }));
  return { ours: openChannel(given).tell(received(theirs)), theirs };
}

export function sync(
  parts: Partial<Sync> & { sender?: Address; isProven?: boolean } = {},
): Stamped<{ type: 'msg.sync'; isProven: boolean } & FromPartner<Sync>> {
  const { sender = PARTNER, isProven = true, ...given } = parts;
  const message: Sync = {
    type: 'Sync',
    messageId: 5n,
    chainId: 1n,
    tokenNetwork: NETWORK,
    channelId: 1n,
    signedNonce: 0n,
    acceptedNonce: 0n,
    balanceHash: hashOf(1),
    additionalHash: hashOf(2),
    proofSignature: SIGNATURE,
    answer: false,
    ...given,
  };
  return stamped({ type: 'msg.sync', isProven, message, sender });
}
