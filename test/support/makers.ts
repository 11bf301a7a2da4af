/**
 * Machines that are driven by pure transitions, and the events that they are told. Every maker takes only
 * what a test is about; the rest is one ordinary channel between OWN and PARTNER at block NOW.
 */
import {
  type AnyStateMachine,
  type EventFromLogic,
  initialTransition,
  type SnapshotFrom,
  transition,
} from 'xstate';
import { channelMachine } from '../../machines/channel.ts';
import { channelActorId } from '../../machines/channel-context.ts';
import type { ChannelInput, Effect, InitiatorInput, TargetInput } from '../../machines/effects.ts';
import type {
  AddLock,
  ChannelLog,
  FromPartner,
  LockExpiredReceived,
  LockedTransferReceived,
  PaymentOrder,
  Position,
  SecretRevealed,
  Stamped,
  UnlockReceived,
} from '../../machines/events.ts';
import { initiatorMachine } from '../../machines/initiator.ts';
import { targetMachine } from '../../machines/target.ts';
import type { ChannelEnd } from '../../src/protocol/channel-end.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { Address, Hash, Secret, Signature } from '../../src/protocol/hex.ts';
import { NO_LOCKS_ROOT } from '../../src/protocol/lock.ts';
import type { Sync } from '../../src/protocol/messages.ts';
import { routesMetadata } from '../../src/protocol/metadata.ts';

export const OWN: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const PARTNER: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
export const STRANGER: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
export const TOKEN: Address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
export const NETWORK: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512';
export const CHANNEL = channelActorId(NETWORK, 1n);
export const SIGNATURE: Signature = `0x${'11'.repeat(64)}1b`;

/** The newest confirmed block of every event, unless `at` says otherwise. */
export const NOW = 100n;
export const REVEAL_TIMEOUT = 10n;
export const SETTLE_TIMEOUT = 40n;
export const CONFIRMATIONS = 5n;
/** Of a lock that is added at NOW without a lock timeout of its own. */
export const EXPIRATION = NOW + 2n * REVEAL_TIMEOUT - 1n;

export const secretOf = (n: number): Secret => `0x${n.toString(16).padStart(64, '0')}`;
export const hashOf = (n: number): Hash => secrethashOf(secretOf(n));

/** A machine's state after some events, with what it asked for on the way. */
export type Played<M extends AnyStateMachine> = {
  snapshot: SnapshotFrom<M>;
  /** Since the last `tell`, in order. */
  effects: readonly Effect[];
  /** The state after these events; this one stays as it is. */
  tell(...events: EventFromLogic<M>[]): Played<M>;
};

type Actions = readonly { type: string; params: unknown }[];

export function played<M extends AnyStateMachine>(
  machine: M,
  snapshot: SnapshotFrom<M>,
  effects: readonly Effect[] = [],
): Played<M> {
  return {
    snapshot,
    effects,
    tell(...events) {
      let state = snapshot;
      const asked: Effect[] = [];
      for (const event of events) {
        const [next, actions] = transition(machine, state, event);
        asked.push(...effectsIn(actions));
        state = next;
      }
      return played(machine, state, asked);
    },
  };
}

/** The effects among the actions of a transition. A machine may ask for nothing else. */
export function effectsIn(actions: Actions): Effect[] {
  return actions.map(({ type, params }) => {
    if (type !== 'xstate.emit' || !isEmission(params)) throw new Error(`a machine did ${type}`);
    return params.event;
  });
}

function isEmission(params: unknown): params is { event: Effect } {
  return typeof params === 'object' && params !== null && 'event' in params;
}

/** The effects of one type, in order. */
export function effectsOf<T extends Effect['type']>(
  { effects }: { effects: readonly Effect[] },
  type: T,
): Extract<Effect, { type: T }>[] {
  return effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type);
}

/** The only effect of its type. */
export function effectOf<T extends Effect['type']>(
  state: { effects: readonly Effect[] },
  type: T,
): Extract<Effect, { type: T }> {
  const [first, second] = effectsOf(state, type);
  if (first === undefined || second !== undefined) throw new Error(`not exactly one ${type}`);
  return first;
}

/** The same event when another block is the newest confirmed one. */
export const at = <E>(nowBlock: bigint, event: E): E => ({ ...event, nowBlock });

const stamped = <E extends { type: string }>(event: E): Stamped<E> => ({ ...event, nowBlock: NOW });

export const position = (block = NOW): Position => ({
  block,
  logIndex: 0,
  transactionHash: hashOf(9),
});

// Channels

export type ChannelParts = Partial<ChannelInput> & { deposit?: bigint; partnerDeposit?: bigint };
export type PlayedChannel = Played<typeof channelMachine>;

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
    type: 'told.addLock',
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

/** A lock that the partner's channel is asked for, to be paid to OWN. */
export const partnersLock = (parts: Partial<AddLock> & { n?: number } = {}) =>
  addLock({ initiator: PARTNER, target: OWN, ...parts });

export const unlock = (n = 1) =>
  stamped({
    type: 'told.unlock',
    secrethash: hashOf(n),
    secret: secretOf(n),
    paymentId: BigInt(n),
  } as const);
export const expireLock = (n = 1) =>
  stamped({ type: 'told.expireLock', secrethash: hashOf(n) } as const);
export const secretRegistered = (n = 1) =>
  stamped({
    type: 'told.secretRegistered',
    secrethash: hashOf(n),
    secret: secretOf(n),
  } as const);

export type Incoming = Stamped<LockedTransferReceived | UnlockReceived | LockExpiredReceived>;

/** The balance-proof message in `effects` as the other side receives it. */
export function received(
  state: { effects: readonly Effect[] },
  { sender = PARTNER, messageId = 7n }: { sender?: Address; messageId?: bigint } = {},
): Incoming {
  const { message } = effectOf(state, 'send.message');
  const from = { sender, signature: SIGNATURE, nowBlock: NOW };
  switch (message.type) {
    case 'LockedTransfer':
      return { type: 'msg.lockedTransfer', message: { ...message, messageId }, ...from };
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

// The chain

const onChannel = (block = NOW) => ({ tokenNetwork: NETWORK, channelId: 1n, at: position(block) });

export const deposited = (participant: Address, totalDeposit: bigint) =>
  stamped({ type: 'chain.channelDeposit', ...onChannel(), participant, totalDeposit } as const);

export function closed(
  closer: Address,
  parts: { block?: bigint; nonce?: bigint; balanceHash?: Hash } = {},
): Stamped<Extract<ChannelLog, { type: 'chain.channelClosed' }>> {
  const { block = NOW, nonce = 0n, balanceHash = `0x${'00'.repeat(32)}` } = parts;
  return stamped({ type: 'chain.channelClosed', ...onChannel(block), closer, nonce, balanceHash });
}

export const proofUpdated = (closer: Address, nonce: bigint, balanceHash: Hash) =>
  stamped({ type: 'chain.proofUpdated', ...onChannel(), closer, nonce, balanceHash } as const);

/** A settlement with what it leaves locked on each side. */
export function settled(
  parts: { ownRoot?: Hash; partnerRoot?: Hash; ownFirst?: boolean } = {},
): Stamped<Extract<ChannelLog, { type: 'chain.channelSettled' }>> {
  const { ownRoot = NO_LOCKS_ROOT, partnerRoot = NO_LOCKS_ROOT, ownFirst = true } = parts;
  const own = { participant: OWN, root: ownRoot };
  const partner = { participant: PARTNER, root: partnerRoot };
  const [first, second] = ownFirst ? [own, partner] : [partner, own];
  return stamped({
    type: 'chain.channelSettled',
    ...onChannel(),
    participant1: first.participant,
    amount1: 100n,
    locksroot1: first.root,
    participant2: second.participant,
    amount2: 100n,
    locksroot2: second.root,
  });
}

export function unlocked(sender: Address) {
  const receiver = sender === OWN ? PARTNER : OWN;
  const amounts = { locksroot: NO_LOCKS_ROOT, unlockedAmount: 0n, returnedTokens: 10n };
  return stamped({
    type: 'chain.channelUnlocked',
    ...onChannel(),
    receiver,
    sender,
    ...amounts,
  } as const);
}

/** The secret was registered in this block, which is confirmed just now. */
export const secretRevealed = (block: bigint, n = 1): Stamped<SecretRevealed> => ({
  type: 'chain.secretRevealed',
  secrethash: hashOf(n),
  secret: secretOf(n),
  at: position(block),
  nowBlock: block,
});

export const txDone = (key: string, minedBlock = NOW) =>
  stamped({
    type: 'chain.tx',
    key,
    ok: true,
    transactionHash: hashOf(9),
    minedBlock,
  } as const);
export const txFailed = (key: string, code: Code = 'transaction_failed') =>
  stamped({ type: 'chain.tx', key, ok: false, code, detail: 'why' } as const);
export const blockReached = (nowBlock: bigint) =>
  at(nowBlock, stamped({ type: 'chain.block' } as const));

// Payments

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
    metadata: routesMetadata([OWN, PARTNER]),
    ...given,
  };
}

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
    revealTimeout: REVEAL_TIMEOUT,
    token: TOKEN,
    tokenNetwork: NETWORK,
    nowBlock: NOW,
    ...parts,
  });
  return played(targetMachine, snapshot, effectsIn(actions));
}

const lockAdded = stamped({ type: 'told.lockAdded', expiration: EXPIRATION } as const);

/** What an initiator is told. */
export const forInitiator = {
  lockAdded,
  lockRefused: (code: Code) => stamped({ type: 'told.lockRefused', code, detail: 'why' } as const),
  secretRequest: (
    parts: { sender?: Address; amount?: bigint; expiration?: bigint; paymentId?: bigint } = {},
  ) => {
    const { sender = PARTNER, ...given } = parts;
    const facts = { messageId: 3n, paymentId: 1n, secrethash: hashOf(1), amount: 10n };
    const message = { type: 'SecretRequest', ...facts, expiration: EXPIRATION, ...given } as const;
    return stamped({ type: 'msg.secretRequest', message, ...from(sender) } as const);
  },
};

export function revealSecret(sender = PARTNER, n = 1) {
  const message = { type: 'RevealSecret', messageId: 4n, secret: secretOf(n) } as const;
  const secrethash = hashOf(n);
  return stamped({ type: 'msg.revealSecret', secrethash, message, ...from(sender) } as const);
}

export const channelClosed = (channel = CHANNEL) =>
  stamped({ type: 'told.channelClosed', channel } as const);

function from(sender: Address): Omit<FromPartner<never>, 'message'> {
  return { sender, signature: SIGNATURE };
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
  return stamped({ type: 'msg.sync', isProven, message, ...from(sender) });
}

/** What a target is told by its channel. */
export const lockEnded = {
  unlocked: (channel = CHANNEL) => stamped({ type: 'told.unlocked', channel } as const),
  lockGone: (channel = CHANNEL) => stamped({ type: 'told.lockGone', channel } as const),
};
