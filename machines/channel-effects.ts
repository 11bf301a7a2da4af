/** The effects of a channel's steps, as data. Each is called with the context after the step. */

import { EMPTY_SIGNATURE } from '../src/protocol/balance-proof.ts';
import { balance, proofAmounts } from '../src/protocol/channel-end.ts';
import { ZERO_HASH } from '../src/protocol/hex.ts';
import type { Lock } from '../src/protocol/lock.ts';
import type { ChannelContext } from './channel-context.ts';
import { lockIn, partnerProofOf, proofRecord } from './channel-transfers.ts';
import type { Effect, LeftChannel, Send } from './effects.ts';
import type {
  AddLock,
  Deposit,
  DoUnlock,
  LockExpiredReceived,
  LockedTransferReceived,
  Stamped,
  UnlockReceived,
} from './events.ts';
import { tokenActorId } from './node.ts';

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
  const lock = lockIn(channel.ownEnd, event.secrethash);
  const { paymentId, initiator, target, metadata } = event;
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
    {
      type: 'tell',
      to: event.from,
      event: { type: 'told.lockAdded', expiration: lock.expiration },
    },
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

type Incoming = LockedTransferReceived | UnlockReceived | LockExpiredReceived;
/** After a partner's message was applied: keep its proof, acknowledge, tell whom it concerns. */
export function incomingApplied(
  channel: ChannelContext,
  event: Stamped<Incoming>,
  lock: Lock,
): Effect[] {
  const kind = event.type === 'msg.lockedTransfer' ? 'add' : 'remove';
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
    case 'msg.unlock':
      return [tellPayee(channel, event.secrethash, 'told.unlocked')];
    case 'msg.lockExpired':
      return [tellPayee(channel, event.message.secrethash, 'told.lockGone')];
  }
}

/**
 * The blocks that this node reserves to register the lock's secret. Where nobody here has chosen a reveal
 * timeout, a lock that the payer made shorter is taken on with half of its time, but never with less than
 * the minimum.
 */
function revealTimeoutFor(channel: ChannelContext, lock: Lock, nowBlock: bigint): bigint {
  const { revealTimeout, isRevealChosen, minRevealTimeout } = channel;
  const half = (lock.expiration - nowBlock) / 2n;
  if (isRevealChosen || half >= revealTimeout) return revealTimeout;
  return half > minRevealTimeout ? half : minRevealTimeout;
}

/** A transfer for somebody else is held until it expires: this node does not pass payments on. */
function payeeEffects(channel: ChannelContext, event: Stamped<LockedTransferReceived>): Effect[] {
  const { initiator, lock, paymentId, target } = event.message;
  if (target !== channel.own) return [];
  const id = `target:${lock.secrethash}`;
  const { own, confirmations, partner, token, tokenNetwork } = channel;
  const revealTimeout = revealTimeoutFor(channel, lock, event.nowBlock);
  const facts = { own, confirmations, revealTimeout, token, tokenNetwork, initiator, paymentId };
  return [
    {
      type: 'spawn.target',
      id,
      input: {
        id,
        ...facts,
        ...lock,
        channel: channel.id,
        payer: partner,
        nowBlock: event.nowBlock,
      },
    },
  ];
}

const tellPayee = ({ id }: ChannelContext, secrethash: string, type: string): Effect => ({
  type: 'tell',
  to: `target:${secrethash}`,
  event: { type, channel: id },
});

/** Both ends of every pending lock learn that only the chain counts from now on. */
export function closedNotices(channel: ChannelContext): Effect[] {
  const event = { type: 'told.channelClosed', channel: channel.id };
  const tell = (to: string): Effect => ({ type: 'tell', to, event });
  return [
    { type: 'done.queue', queue: channel.id, upToNonce: null },
    ...channel.ownEnd.locks.map(({ secrethash }) => tell(`initiator:${secrethash}`)),
    ...channel.partnerEnd.locks.map(({ secrethash }) => tell(`target:${secrethash}`)),
  ];
}

/** The payments whose locks end with the channel. */
export function goneNotices(channel: ChannelContext): Effect[] {
  return channel.partnerEnd.locks.map(({ secrethash }) =>
    tellPayee(
      channel,
      secrethash,
      channel.registered.includes(secrethash) ? 'told.unlocked' : 'told.lockGone',
    ),
  );
}

/** Funds of a join may be waiting for partners that deposit. */
export function partnerDeposited(channel: ChannelContext): Effect[] {
  const { id, channelId, partner, openBlock, ownEnd, partnerEnd } = channel;
  if (channel.closeRequest !== null || channel.dispute !== null) return [];
  const deposits = { ownDeposit: ownEnd.deposit, partnerDeposit: partnerEnd.deposit };
  const offer = { channel: id, channelId, partner, openBlock, ...deposits };
  const event = { type: 'told.partnerDeposit', offer };
  return [{ type: 'tell', to: tokenActorId(channel.token), event }];
}

/** Nothing changes a channel between its close and its settlement: the last is as good as the first. */
export function settledNotice(channel: ChannelContext): Effect {
  const { id, channelId, partner, ownEnd, partnerEnd, settleTimeout, revealTimeout } = channel;
  const left: LeftChannel = {
    channel: id,
    channelId,
    partner,
    balance: balance(ownEnd, partnerEnd) - ownEnd.locked,
    totalDeposit: ownEnd.deposit,
    totalWithdraw: ownEnd.withdrawn,
    settleTimeout,
    revealTimeout,
  };
  const event = { type: 'told.channelSettled', left };
  return { type: 'tell', to: tokenActorId(channel.token), event };
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
