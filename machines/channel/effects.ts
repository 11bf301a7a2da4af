/** The effects of a channel's steps, as data. Each is called with the context after the step. */

import { EMPTY_SIGNATURE } from '../../src/protocol/balance-proof.ts';
import { balance, proofAmounts } from '../../src/protocol/channel-end.ts';
import { type Hash, type Secret, ZERO_HASH } from '../../src/protocol/hex.ts';
import type { Lock } from '../../src/protocol/lock.ts';
import type { Effect, Send } from '../effects.ts';
import type { Deposit } from '../events/commands.ts';
import type { LockedTransferReceived } from '../events/messages.ts';
import type {
  AddLock,
  DoUnlock,
  ForwardLock,
  LeftChannel,
  LockForwarded,
  LockGone,
  Unlocked,
} from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { heldLock, keeperId } from '../keeper/keeping.ts';
import { tokenActorId } from '../node/chart.ts';
import type { ChannelContext } from './context.ts';
import { mediating } from './mediation.ts';
import { canMediate, revealTimeoutInForce } from './timeouts.ts';
import {
  type Incoming,
  lockIn,
  partnerProofOf,
  proofRecord,
  revealTimeoutFor,
} from './transfers.ts';

function envelope(channel: ChannelContext) {
  const { chainId, tokenNetwork, channelId, ownEnd } = channel;
  return { chainId, tokenNetwork, channelId, ...proofAmounts(ownEnd) };
}

function send(channel: ChannelContext, message: Send['message']): Effect {
  const key = `${channel.id}:${channel.ownEnd.nonce}`;
  return { type: 'send.message', key, to: channel.partner, queue: channel.id, message };
}

/** After our lock was added: keep the step, send it, tell the payment. */
export function lockAdded(channel: ChannelContext, event: AddLock): Effect[] {
  const { expiration } = lockIn(channel.ownEnd, event.secrethash);
  const told = { type: 'actor.lockAdded', expiration } as const;
  return [...lockSigned(channel, event), { type: 'notify', to: event.from, event: told }];
}

/** After a lock was added that passes a transfer on. */
export function lockForwarded(channel: ChannelContext, event: ForwardLock): Effect[] {
  const { amount } = lockIn(channel.ownEnd, event.secrethash);
  const { id, partner } = channel;
  const told: LockForwarded = { type: 'actor.lockForwarded', channel: id, partner, amount };
  return [...lockSigned(channel, event), { type: 'notify', to: event.from, event: told }];
}

type SignedFor = Pick<AddLock, 'secrethash' | 'paymentId' | 'initiator' | 'target' | 'metadata'>;

/** The step that added our lock, and the transfer that tells the partner of it. */
function lockSigned(channel: ChannelContext, signedFor: SignedFor): Effect[] {
  const { secrethash, paymentId, initiator, target, metadata } = signedFor;
  const lock = lockIn(channel.ownEnd, secrethash);
  return [
    proofRecord(channel.id, channel.ownEnd, { kind: 'add', lock }, null),
    send(channel, {
      type: 'LockedTransfer',
      ...envelope(channel),
      paymentId,
      token: channel.token,
      recipient: channel.partner,
      target,
      initiator,
      lock,
      metadata,
    }),
  ];
}

/** After our lock was paid. `lock` is the one that is gone from the context. */
export function lockUnlocked(channel: ChannelContext, event: DoUnlock, lock: Lock): Effect[] {
  const { paymentId, secret } = event;
  return [
    proofRecord(channel.id, channel.ownEnd, { kind: 'remove', lock }, null),
    send(channel, { type: 'Unlock', ...envelope(channel), paymentId, secret }),
  ];
}

/** After our lock ran out. */
export function lockExpired(channel: ChannelContext, lock: Lock): Effect[] {
  const { secrethash } = lock;
  return [
    proofRecord(channel.id, channel.ownEnd, { kind: 'remove', lock }, null),
    send(channel, {
      type: 'LockExpired',
      ...envelope(channel),
      recipient: channel.partner,
      secrethash,
    }),
  ];
}

/** After a partner's message was applied: keep its proof, acknowledge, tell whom it concerns. */
export function incomingApplied(
  channel: ChannelContext,
  event: Stamped<Incoming>,
  lock: Lock,
): Effect[] {
  const kind = 'lock' in event.message ? 'add' : 'remove';
  const proof = partnerProofOf(event.message, event.signature);
  return [
    proofRecord(channel.id, channel.partnerEnd, { kind, lock }, proof),
    { type: 'send.processed', to: channel.partner, messageId: event.message.messageId },
    ...consequence(channel, event),
  ];
}

function consequence(channel: ChannelContext, event: Stamped<Incoming>): Effect[] {
  switch (event.type) {
    case 'msg.lockedTransfer':
      return payeeEffects(channel, event);
    case 'msg.refundTransfer':
      return [
        ...tellPayer(channel, event.message.lock.secrethash),
        heldLock(channel, event.message),
      ];
    case 'msg.unlock':
      return tellPayee(channel, event.secrethash, unlocked(event.message.secret));
    case 'msg.lockExpired':
      return tellPayee(channel, event.message.secrethash, LOCK_GONE);
  }
}

/** Whoever the lock is for: this node itself, or the next hop that it passes the transfer on to. */
function payeeEffects(channel: ChannelContext, event: Stamped<LockedTransferReceived>): Effect[] {
  const { message } = event;
  const taken =
    message.target === channel.own ? receiving(channel, event) : mediating(channel, event);
  // What cannot go on, or be claimed in time, is held until it expires.
  return taken.length > 0 ? taken : [heldLock(channel, message)];
}

function receiving(channel: ChannelContext, event: Stamped<LockedTransferReceived>): Effect[] {
  if (event.refusal !== undefined) return [];
  const { initiator, lock, paymentId } = event.message;
  const { own, confirmations, partner: payer, token, tokenNetwork } = channel;
  const { nowBlock } = event;
  const revealTimeout = revealTimeoutFor(channel, lock, nowBlock);
  const facts = { own, confirmations, revealTimeout, token, tokenNetwork, initiator, paymentId };
  const id = `target:${lock.secrethash}`;
  const input = { id, ...facts, ...lock, channel: channel.id, payer, nowBlock };
  return [{ type: 'spawn.target', id, input }];
}

type PayeeTold = Omit<Unlocked, 'channel'> | Omit<LockGone, 'channel'>;
const LOCK_GONE: PayeeTold = { type: 'actor.lockGone' };
const unlocked = (secret: Secret | null): PayeeTold => ({ type: 'actor.unlocked', secret });

/** What became of the partner's lock, whichever part this node has in the payment. */
const tellPayee = ({ id }: ChannelContext, secrethash: Hash, told: PayeeTold): Effect[] =>
  [`target:${secrethash}`, `mediator:${secrethash}`, keeperId(id, 'partner', secrethash)].map(
    (to) => ({ type: 'notify', to, event: { ...told, channel: id } }),
  );

/** Our transfer was given back; the lock of the refund is held until it expires. */
const tellPayer = ({ id }: ChannelContext, secrethash: Hash): Effect[] =>
  ['initiator', 'mediator'].map((role) => ({
    type: 'notify',
    to: `${role}:${secrethash}`,
    event: { type: 'actor.refunded', channel: id },
  }));

/** Both ends of every pending lock learn that only the chain counts from now on. */
export function closedNotices(channel: ChannelContext): Effect[] {
  const event = { type: 'actor.channelClosed', channel: channel.id } as const;
  const { ownEnd, partnerEnd } = channel;
  const tell =
    (role: string) =>
    ({ secrethash }: Lock): Effect => ({ type: 'notify', to: `${role}:${secrethash}`, event });
  return [
    { type: 'done.queue', queue: channel.id, upToNonce: null },
    ...ownEnd.locks.map(tell('initiator')),
    ...partnerEnd.locks.map(tell('target')),
    ...[...ownEnd.locks, ...partnerEnd.locks].map(tell('mediator')),
  ];
}

/** The payments whose locks end with the channel. */
export function goneNotices(channel: ChannelContext): Effect[] {
  const { id, ownEnd, partnerEnd, registered } = channel;
  const event = { type: 'actor.ownLockGone', channel: id } as const;
  return [
    ...partnerEnd.locks.flatMap(({ secrethash }) =>
      tellPayee(channel, secrethash, registered.includes(secrethash) ? unlocked(null) : LOCK_GONE),
    ),
    ...ownEnd.locks.flatMap(({ secrethash }) =>
      [`mediator:${secrethash}`, keeperId(id, 'own', secrethash)].map(
        (to): Effect => ({ type: 'notify', to, event }),
      ),
    ),
  ];
}

/** Funds of a join may be waiting for partners that deposit. */
export function partnerDeposited(channel: ChannelContext): Effect[] {
  const { id, channelId, partner, openBlock, ownEnd, partnerEnd } = channel;
  // Nothing is put into a channel that this node passes nothing on in.
  if (!canMediate(channel)) return [];
  if (channel.closeRequest !== null || channel.dispute !== null) return [];
  const deposits = { ownDeposit: ownEnd.deposit, partnerDeposit: partnerEnd.deposit };
  const offer = { channel: id, channelId, partner, openBlock, ...deposits };
  const event = { type: 'actor.partnerDeposit', offer } as const;
  return [{ type: 'notify', to: tokenActorId(channel.token), event }];
}

/** Nothing changes a channel between its close and its settlement: the last is as good as the first. */
export function settledNotice(channel: ChannelContext): Effect {
  const { id, channelId, partner, ownEnd, partnerEnd, settleTimeout } = channel;
  const left: LeftChannel = {
    channel: id,
    channelId,
    partner,
    balance: balance(ownEnd, partnerEnd) - ownEnd.locked,
    totalDeposit: ownEnd.deposit,
    totalWithdraw: ownEnd.withdrawn,
    settleTimeout,
    revealTimeout: revealTimeoutInForce(channel),
  };
  const event = { type: 'actor.channelSettled', left } as const;
  return { type: 'notify', to: tokenActorId(channel.token), event };
}

export function depositTx(channel: ChannelContext, event: Deposit): Effect {
  const { id, partner, token, tokenNetwork, channelId, ownEnd, deposit } = channel;
  const { totalDeposit } = event;
  const added = totalDeposit - ownEnd.deposit;
  const key = deposit?.key ?? `deposit:${id}`;
  const facts = { tokenNetwork, channelId, partner, token, totalDeposit, added };
  return { type: 'tx.deposit', from: id, key, deadlineBlock: null, ...facts };
}

/** What both partners compare when they meet again. */
export function syncMessage(channel: ChannelContext, answer: boolean): Effect {
  const { chainId, tokenNetwork, channelId, ownEnd, partnerEnd, partnerProof } = channel;
  return {
    type: 'send.sync',
    to: channel.partner,
    message: {
      type: 'Sync',
      chainId,
      tokenNetwork,
      channelId,
      signedNonce: ownEnd.nonce,
      acceptedNonce: partnerEnd.nonce,
      balanceHash: partnerProof?.balanceHash ?? ZERO_HASH,
      additionalHash: partnerProof?.additionalHash ?? ZERO_HASH,
      proofSignature: partnerProof?.signature ?? EMPTY_SIGNATURE,
      answer,
    },
  };
}
