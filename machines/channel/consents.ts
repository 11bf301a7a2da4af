/**
 * Withdraws of the partner: this node's consent to each, and how each ends; and what the messages about withdraws of
 * either side have in common. See withdraws.ts.
 */
import type { Address } from '../../src/basics/hex.ts';
import {
  assertSound,
  distributable,
  type PendingWithdraw,
  totalWithdraw,
  withoutWithdraw,
  withWithdraw,
} from '../../src/protocol/channel/channel-end.ts';
import { receiverRemovalBlock, senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import type { Withdraw } from '../../src/protocol/channel/withdraw.ts';
import type { Effect } from '../effects.ts';
import type {
  WithdrawConfirmationReceived,
  WithdrawExpiredReceived,
  WithdrawRequestReceived,
} from '../events/messages.ts';
import type { Stamped } from '../events/stamps.ts';
import {
  type ChannelContext,
  type ChannelStep,
  on,
  type WithdrawConsent,
  when,
} from './context.ts';

/** Most withdraws of the partner that may be open at a time. Without a bound, the partner could ask for any number. */
const MAX_OPEN = 16;
/** How many consents are remembered, to recognise a repeated message. */
const KEPT = 64;

export type WithdrawReceived =
  | WithdrawRequestReceived
  | WithdrawConfirmationReceived
  | WithdrawExpiredReceived;

export const isSameWithdraw = (a: PendingWithdraw) => (b: PendingWithdraw) =>
  a.totalWithdraw === b.totalWithdraw && a.expiration === b.expiration;

/** Whether the message was sent by the partner, for this channel. */
export function isOfPartner(
  channel: ChannelContext,
  { sender, message }: WithdrawReceived,
): boolean {
  const { chainId, tokenNetwork, channelId, partner } = channel;
  return (
    sender === partner &&
    message.chainId === chainId &&
    message.tokenNetwork === tokenNetwork &&
    message.channelId === channelId
  );
}

/** The fields that are signed. */
export function withdrawFields(
  channel: ChannelContext,
  participant: Address,
  { totalWithdraw, expiration }: PendingWithdraw,
): Withdraw {
  const { chainId, tokenNetwork, channelId } = channel;
  return { chainId, tokenNetwork, channelId, participant, totalWithdraw, expiration };
}

/** The consent that this node gave to this withdraw before; undefined: none. */
function consentTo(channel: ChannelContext, event: WithdrawReceived) {
  const { message } = event;
  if (!isOfPartner(channel, event) || message.participant !== channel.partner) return undefined;
  return channel.consents.find(isSameWithdraw(message));
}

/** Whether this node has agreed to the withdraw before: its confirmation was lost, or somebody repeats the request. */
function isAgreed(channel: ChannelContext, event: WithdrawRequestReceived): boolean {
  return consentTo(channel, event) !== undefined;
}

/** Gives the same consent once more, with the message identifier of this request. */
function agreeAgain(channel: ChannelContext, event: WithdrawRequestReceived): ChannelStep {
  const consent = consentTo(channel, event);
  if (consent === undefined) throw new Error('channel: repeats a consent that was never given');
  return { patch: {}, effects: [confirmation(channel, consent, event)] };
}

function canAgree(channel: ChannelContext, event: Stamped<WithdrawRequestReceived>): boolean {
  const { message, nowBlock } = event;
  if (!isOfPartner(channel, event) || message.participant !== channel.partner) return false;
  if (message.expiration <= channel.consentHorizon) return false;
  if (isVoid(channel, message, nowBlock)) return true;
  const { ownEnd, partnerEnd } = channel;
  const added = message.totalWithdraw - totalWithdraw(partnerEnd);
  return (
    added > 0n &&
    added <= distributable(partnerEnd, ownEnd) &&
    partnerEnd.withdraws.length < MAX_OPEN
  );
}

/**
 * Whether the withdraw can no longer be executed on chain, even after a reorganisation. Agreeing to it costs nothing
 * and ends the waiting of the partner, which may have spent the amount by now. Until then an expired withdraw counts
 * like any other, although the contract refuses it.
 */
function isVoid(
  { confirmations }: ChannelContext,
  { expiration }: PendingWithdraw,
  nowBlock: bigint,
): boolean {
  return nowBlock >= senderRemovalBlock(expiration, confirmations);
}

/** Reserves the amount on the partner's side, and answers with this node's consent. */
function agree(channel: ChannelContext, event: Stamped<WithdrawRequestReceived>): ChannelStep {
  const { totalWithdraw, expiration } = event.message;
  const pending = { totalWithdraw, expiration };
  const ownEnd = { ...channel.ownEnd, nonce: channel.ownEnd.nonce + 1n };
  const partnerEnd = isVoid(channel, pending, event.nowBlock)
    ? channel.partnerEnd
    : withWithdraw(channel.partnerEnd, pending);
  assertSound(ownEnd, partnerEnd);
  const consent = { ...pending, nonce: ownEnd.nonce };
  const next = withConsent({ ...channel, ownEnd, partnerEnd }, consent);
  return { patch: next, effects: [confirmation(next, consent, event)] };
}

/**
 * When there are too many, consents whose withdraw has ended are forgotten; from then on no consent is given for an
 * expiration that is not above theirs.
 */
function withConsent(channel: ChannelContext, consent: WithdrawConsent): ChannelContext {
  const consents = [...channel.consents, consent];
  if (consents.length <= KEPT) return { ...channel, consents };
  const over = consents.filter((one) => !channel.partnerEnd.withdraws.some(isSameWithdraw(one)));
  const [oldest] = over.toSorted((a, b) => (a.expiration < b.expiration ? -1 : 1));
  if (oldest === undefined) return { ...channel, consents };
  const { expiration } = oldest;
  return {
    ...channel,
    consents: consents.filter((one) => one !== oldest),
    consentHorizon: expiration > channel.consentHorizon ? expiration : channel.consentHorizon,
  };
}

/** Whether the partner's withdraw is still open here, and this node's own confirmed block also shows it as expired. */
function hasExpired(channel: ChannelContext, event: Stamped<WithdrawExpiredReceived>): boolean {
  const { expiration } = event.message;
  return (
    isOpen(channel, event) &&
    event.nowBlock >= receiverRemovalBlock(expiration, channel.confirmations)
  );
}

/** Whether the withdraw has ended for this node, on chain or by an expiry whose acknowledgement was lost. */
function isOver(channel: ChannelContext, event: WithdrawExpiredReceived): boolean {
  return consentTo(channel, event) !== undefined && !isOpen(channel, event);
}

function isOpen(channel: ChannelContext, event: WithdrawExpiredReceived): boolean {
  const consent = consentTo(channel, event);
  return consent !== undefined && channel.partnerEnd.withdraws.some(isSameWithdraw(consent));
}

/** Acknowledges a message that was applied before. */
export function acknowledgeAgain(
  channel: ChannelContext,
  { message: { messageId } }: { message: { messageId: bigint } },
): ChannelStep {
  return { patch: {}, effects: [{ type: 'send.processed', to: channel.partner, messageId }] };
}

function noteExpired(channel: ChannelContext, event: WithdrawExpiredReceived): ChannelStep {
  const { message } = event;
  const partnerEnd = withoutWithdraw(channel.partnerEnd, message);
  const effects: Effect[] = [
    { type: 'send.processed', to: channel.partner, messageId: message.messageId },
  ];
  return { patch: { partnerEnd }, effects };
}

function confirmation(
  channel: ChannelContext,
  consent: WithdrawConsent,
  event: WithdrawRequestReceived,
): Effect {
  const fields = withdrawFields(channel, channel.partner, consent);
  const { nonce } = consent;
  const { messageId } = event.message;
  const message = { type: 'WithdrawConfirmation', messageId, nonce, ...fields } as const;
  return { type: 'send.consent', to: channel.partner, message };
}

export const guards = {
  isAgreed: when(isAgreed, 'msg.withdrawRequest'),
  canAgree: when(canAgree, 'msg.withdrawRequest'),
  hasExpired: when(hasExpired, 'msg.withdrawExpired'),
  isOver: when(isOver, 'msg.withdrawExpired'),
};

export const actions = {
  agree: on(agree, 'msg.withdrawRequest'),
  agreeAgain: on(agreeAgain, 'msg.withdrawRequest'),
  acknowledgeAgain: on(acknowledgeAgain, 'msg.withdrawConfirmation', 'msg.withdrawExpired'),
  noteExpired: on(noteExpired, 'msg.withdrawExpired'),
};
