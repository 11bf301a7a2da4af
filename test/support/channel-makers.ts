/** Channels, and what payments and the partner tell them. */
import { initialTransition } from 'xstate';
import type { ChannelInput } from '../../machines/base/inputs.ts';
import { channelMachine } from '../../machines/channel/chart.ts';
import type { Effect, Send } from '../../machines/effects.ts';
import type { ChangeFacts, FromPartner, UpdateReceived } from '../../machines/events/messages.ts';
import type { AddLock } from '../../machines/events/notices.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import type { Address, Secret } from '../../src/basics/hex.ts';
import type { ChannelEnd } from '../../src/protocol/channel/channel-end.ts';
import type { FeeTerms } from '../../src/protocol/fees/fee-terms.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type {
  Change,
  ExpiredChange,
  LockChange,
  UnlockChange,
} from '../../src/protocol/messages/changes.ts';
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
import { effectOf, effectsIn, effectsOf, type Played, played } from './played.ts';

/** `deposit`: what is on this node's side; `funded`: what it has put there itself, else all of it. */
export type ChannelParts = Partial<ChannelInput> & {
  deposit?: bigint;
  partnerDeposit?: bigint;
  funded?: bigint;
};
export type PlayedChannel = Played<typeof channelMachine>;

/** The state of a channel in which nothing is under way. */
export const AT_REST = { opened: { deposit: 'idle', withdraw: 'idle' } };

/** An open channel whose deposits are confirmed. */
export function openChannel(parts: ChannelParts = {}): PlayedChannel {
  const { deposit = 100n, partnerDeposit = 100n, funded = deposit, ...given } = parts;
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
  const channel = signingEach(played(channelMachine, snapshot, effectsIn(actions)));
  return channel.tell(
    deposited(input.own, deposit),
    deposited(input.partner, partnerDeposit),
    stamped({ type: 'actor.funded', added: funded }),
  );
}

/** As the runtime does when each event is a batch of its own: what it changes is signed before the next. */
function signingEach(channel: PlayedChannel): PlayedChannel {
  return {
    ...channel,
    tell(...events) {
      let state = channel;
      const effects: Effect[] = [];
      for (const event of events) {
        state = state.tell(event);
        effects.push(...state.effects.filter(({ type }) => type !== 'sign'));
        if (state.snapshot.context.unsigned === null) continue;
        state = state.tell(SIGN);
        effects.push(...state.effects);
      }
      return signingEach({ ...state, effects });
    },
  };
}

/** The same channel as it is within one batch: it signs when it is told to. */
export const inOneBatch = ({ snapshot, effects }: PlayedChannel): PlayedChannel =>
  played(channelMachine, snapshot, effects);

/** The batch is about to be written. */
export const SIGN = stamped({ type: 'actor.sign' } as const);

/** The same channel when its sides have moved money before. */
export function withEnds(
  { snapshot }: PlayedChannel,
  { own = {}, partner = {} }: { own?: Partial<ChannelEnd>; partner?: Partial<ChannelEnd> },
): PlayedChannel {
  const { value, context } = snapshot;
  const ownEnd = { ...context.ownEnd, ...own };
  const partnerEnd = { ...context.partnerEnd, ...partner };
  const moved = { value, context: { ...context, ownEnd, partnerEnd } };
  return signingEach(played(channelMachine, channelMachine.resolveState(moved)));
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

export type Incoming = Stamped<UpdateReceived>;

type Receipt = { sender?: Address; messageId?: bigint; fees?: FeeTerms; secret?: Secret };

/** The Update in `effects` as the other side receives it. */
export const received = (state: { effects: readonly Effect[] }, parts: Receipt = {}): Incoming =>
  receivedAs(effectOf(state, 'send.message').message, parts);

/** All Updates in `effects`, each as the other side receives it. */
export const receivedAll = (state: { effects: readonly Effect[] }): Incoming[] =>
  effectsOf(state, 'send.message').map(({ message }) => receivedAs(message, {}));

function receivedAs(message: Send['message'], parts: Receipt): Incoming {
  const { sender = PARTNER, messageId = 7n, fees = FREE, secret = null } = parts;
  if (message.type !== 'Update') throw new Error(`${message.type} is no Update`);
  const facts = message.changes.map((change) => factsOf(change, { fees, secret }));
  const from = { sender, signature: SIGNATURE, nowBlock: NOW };
  return { type: 'msg.update', message: { ...message, messageId }, facts, ...from };
}

function factsOf(change: Change, given: { fees: FeeTerms; secret: Secret | null }): ChangeFacts {
  const { type } = change;
  switch (type) {
    case 'lock':
      return { type, ...given };
    case 'refund':
      return { type, sent: null };
    case 'unlock':
      return { type, secrethash: secrethashOf(change.secret) };
    case 'expired':
      return { type };
  }
}

type Sent = Extract<ChangeFacts, { type: 'refund' }>['sent'];

/** The same lock, when it gives a transfer back. `sent`: what this node knows of the payment. */
export function asRefund(event: Incoming, sent: Sent): Incoming {
  const change: Change = { ...changeIn(event.message, 'lock'), type: 'refund' };
  const message = { ...event.message, changes: [change] };
  return { ...event, message, facts: [{ type: 'refund', sent }] };
}

/** The event with other fields in its first change, whose type stays. */
export function changeAltered(event: Incoming, fields: AnyChange): Incoming {
  const [first, ...others] = event.message.changes;
  const changes = first === undefined ? [] : [{ ...first, ...fields }, ...others];
  return { ...event, message: { ...event.message, changes } };
}
/** Fields of any change but its type. */
export type AnyChange = Partial<
  Pick<LockChange, 'lock' | 'recipient' | 'token' | 'paymentId' | 'target' | 'metadata'> &
    Pick<ExpiredChange, 'secrethash'> &
    Pick<UnlockChange, 'secret'>
>;

/** The only change of the message. */
export function changeIn<T extends Change['type']>(
  message: { type: string; changes?: readonly Change[] },
  type: T,
): Extract<Change, { type: T }> {
  const [change, second] = message.changes ?? [];
  if (change === undefined || second !== undefined || !isOf(change, type))
    throw new Error(`not exactly one ${type}`);
  return change;
}
const isOf = <T extends Change['type']>(
  change: Change,
  type: T,
): change is Extract<Change, { type: T }> => change.type === type;

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
