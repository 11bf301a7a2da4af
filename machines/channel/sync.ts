/**
 * Whether two partners hold the same of a channel: the Sync message, by which they tell each other what they have
 * signed and accepted when they meet again, and how this node learns that an old copy of its database is running.
 */

import { ZERO_HASH } from '../../src/basics/hex.ts';
import { EMPTY_SIGNATURE } from '../../src/protocol/channel/balance-proof.ts';
import { inOrder } from '../base/step.ts';
import type { Effect } from '../effects.ts';
import type { SyncReceived } from '../events/messages.ts';
import { type ChannelContext, type ChannelStep, on, onAny, when } from './context.ts';
import { refuseWaiting } from './notices.ts';
import { noteWithdraw, type Withdrawn } from './withdraws.ts';

/** The Sync message of this side. `answer`: the partner is asked to send its own. */
function syncMessage(channel: ChannelContext, answer: boolean): Effect {
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

function isSync(channel: ChannelContext, event: SyncReceived): boolean {
  const fromPartner = event.sender === channel.partner;
  return fromPartner && (event.isProven || event.message.acceptedNonce === 0n);
}

/** Tells the partner what this side holds, so that it can send what is missing at once. */
export function tellHeld(channel: ChannelContext): ChannelStep {
  return { patch: {}, effects: [syncMessage(channel, false)] };
}

/** Messages that the partner has are no longer repeated; those that it lacks are sent again now. */
function answerSync(channel: ChannelContext, event: SyncReceived): ChannelStep {
  const { acceptedNonce, answer } = event.message;
  const effects: Effect[] = [
    { type: 'done.queue', queue: channel.id, upToNonce: acceptedNonce },
    { type: 'resend', queue: channel.id },
  ];
  if (answer) effects.push(syncMessage(channel, false));
  return { patch: {}, effects };
}

const STALE = { code: 'channel_not_open', detail: 'The database is an old copy.' } as const;

/**
 * The database is an old copy. Whatever the channel signed from then on could be used against this node, and what it
 * believes of the partner's money is no longer true.
 */
function stale(channel: ChannelContext, detail: string): ChannelStep {
  const { id, withdraw } = channel;
  return {
    patch: { withdraw: withdraw === null ? null : { ...withdraw, waiting: [] } },
    effects: [
      { type: 'record.alert', alert: 'stale_database', channel: id, detail },
      ...refuseWaiting(withdraw, STALE),
    ],
  };
}

/** Whether the partner has proven that it holds a signature of ours that this database does not know. */
function isAhead(channel: ChannelContext, event: SyncReceived): boolean {
  const fromPartner = event.sender === channel.partner;
  return fromPartner && event.isProven && event.message.acceptedNonce > channel.ownEnd.nonce;
}

function noteStale(channel: ChannelContext, event: SyncReceived): ChannelStep {
  const { acceptedNonce } = event.message;
  const { nonce } = channel.ownEnd;
  return stale(channel, `the partner proved nonce ${acceptedNonce}, the database ends at ${nonce}`);
}

/**
 * Whether the contract paid out a withdraw that this database knows no consent to, although both sides must have
 * signed it.
 */
function isUnknownWithdraw(channel: ChannelContext, event: Withdrawn): boolean {
  const { withdrawn, withdraws } =
    event.participant === channel.own ? channel.ownEnd : channel.partnerEnd;
  const isAgreed = withdraws.some(({ totalWithdraw }) => totalWithdraw === event.totalWithdraw);
  return event.totalWithdraw > withdrawn && !isAgreed;
}

function noteUnknownWithdraw(channel: ChannelContext, event: Withdrawn): ChannelStep {
  return inOrder(
    channel,
    (next) => noteWithdraw(next, event),
    (next) => stale(next, 'a withdrawal is on chain to which the database knows no consent'),
  );
}

/** The operator has accepted an old copy of the database, and this channel was opened after the copy was taken. */
function noteOldCopy(channel: ChannelContext): ChannelStep {
  return stale(channel, 'the channel is newer than the accepted old copy of the database');
}

export const guards = {
  isSync: when(isSync, 'msg.sync'),
  isAhead: when(isAhead, 'msg.sync'),
  isUnknownWithdraw: when(isUnknownWithdraw, 'chain.channelWithdraw'),
};

export const actions = {
  sendSync: onAny((channel) => ({ patch: {}, effects: [syncMessage(channel, true)] })),
  answerSync: on(answerSync, 'msg.sync'),
  noteStale: on(noteStale, 'msg.sync'),
  noteUnknownWithdraw: on(noteUnknownWithdraw, 'chain.channelWithdraw'),
  noteOldCopy: onAny(noteOldCopy),
};
