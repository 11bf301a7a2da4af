/**
 * Withdrawing from an open channel: our own withdraws, and those that the partner asks our consent for. Protocol 4.6.
 *
 * The nonce and the identifier of a WithdrawRequest and of its WithdrawConfirmation are not signed, so whoever
 * carries the messages may change both, or repeat an old message. Therefore nothing is concluded from them: a message
 * is recognised by what is signed, its total and expiration, and that pair is never used twice in a channel. A
 * request is accepted once, a confirmation only for a request of ours that carries its identifier, an expiry only for
 * a consent that was given; each repetition is answered like the first message. The nonce of the partner's balance
 * proofs does not count the withdraw messages. It only has to grow: the amounts and the locksroot show that no
 * balance proof was left out, because they must follow from the last ones.
 *
 * The confirmation carries the request's identifier, which anybody may have chosen, so no Processed can show that the
 * confirmation arrived. Therefore it is not kept in the outbox, but given again for each repetition of the request,
 * which the partner repeats until it has the confirmation. And a Processed is only ever sent for an identifier that
 * this node has drawn itself, or that a signature covers: so it cannot be the identifier of another message that the
 * partner waits for.
 *
 * A consent is valid on chain before its expiration, whatever the two nodes tell each other. The amount stays
 * reserved on both sides until the log of the withdraw is confirmed, or until so many blocks after the expiration
 * that there can be none.
 */

import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import {
  assertSound,
  distributable,
  totalWithdraw,
  withoutWithdraw,
  withWithdraw,
  withWithdrawn,
} from '../../src/protocol/channel/channel-end.ts';
import { lockExpiration, senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import type { Effect, Send } from '../effects.ts';
import type { TransactionEnded } from '../events/chain.ts';
import type { Withdraw } from '../events/commands.ts';
import type { WithdrawConfirmationReceived } from '../events/messages.ts';
import type { Stamped } from '../events/stamps.ts';
import { openWakeBlock } from './closing.ts';
import { isOfPartner, isSameWithdraw, withdrawFields } from './consents.ts';
import {
  type ActorRefusal,
  type ChannelContext,
  type ChannelStep,
  type Checked,
  type OwnWithdraw,
  on,
  onAny,
  type WithdrawAsked,
  when,
} from './context.ts';
import { jobKey } from './dispute.ts';
import { refuseWaiting } from './notices.ts';
import { revealTimeoutInForce } from './timeouts.ts';

export type Withdrawn = Extract<ChannelLog, { type: 'chain.channelWithdraw' }>;

/** How many answered requests are remembered, to recognise a repeated confirmation. */
const KEPT = 64;

/**
 * Why nothing can be withdrawn now, or null. Wrong values are found first, then a silent partner, then a lack of
 * money.
 */
export function withdrawRefusal(channel: ChannelContext, event: Withdraw): ActorRefusal | null {
  const { ownEnd, partnerEnd } = channel;
  const added = event.totalWithdraw - totalWithdraw(ownEnd);
  if (added <= 0n)
    return {
      code: 'total_not_higher',
      detail: 'total_withdraw is the new total and cannot be lower than the present one.',
    };
  if (added > distributable(ownEnd, partnerEnd))
    return {
      code: 'above_balance',
      detail: 'The withdrawal is above the balance that is available in the channel.',
    };
  if (!event.isPartnerThere)
    return {
      code: 'partner_silent',
      detail: 'A withdrawal needs the consent of the partner: try again when it is there.',
    };
  return event.canPayGas
    ? null
    : { code: 'insufficient_gas', detail: 'The account cannot pay for the transaction.' };
}

/** The key of the message in the outbox. */
const messageKey = ({ id }: ChannelContext, nonce: bigint) => `${id}:${nonce}`;

function sendWithdraw(
  channel: ChannelContext,
  message: Extract<Send['message'], { participant: unknown }>,
  parts: Pick<Send, 'messageId'> = {},
): Effect {
  const { id, partner } = channel;
  const key = messageKey(channel, message.nonce);
  return { type: 'send.message', key, to: partner, queue: id, ...parts, message };
}

/** Reserves the amount and asks the partner for its consent. */
function requestWithdraw(channel: ChannelContext, event: Stamped<Withdraw>): ChannelStep {
  const { requestId, messageId, nowBlock } = event;
  const expiration = lockExpiration(nowBlock, revealTimeoutInForce(channel), null);
  const pending = { totalWithdraw: event.totalWithdraw, expiration };
  const nonce = channel.ownEnd.nonce + 1n;
  const ownEnd = { ...withWithdraw(channel.ownEnd, pending), nonce };
  assertSound(ownEnd, channel.partnerEnd);
  const asked = { ...pending, nonce, messageId, isAnswered: false };
  const withdraw = { ...pending, waiting: [requestId], job: null, failure: null };
  const patch = {
    ownEnd,
    requests: remembered([...channel.requests, asked]),
    withdraw,
    wakeBlock: openWakeBlock({ ...channel, withdraw }),
  };
  const fields = { ...withdrawFields(channel, channel.own, pending), nonce };
  const message = { type: 'WithdrawRequest', ...fields, coopSettle: false } as const;
  return { patch, effects: [sendWithdraw(channel, message, { messageId })] };
}

/** Another caller asks for the withdraw that is on its way: both get the same answer. */
function joinWithdraw(channel: ChannelContext, event: Withdraw): ChannelStep {
  const withdraw = current(channel);
  const waiting = [...withdraw.waiting, event.requestId];
  return { patch: { withdraw: { ...withdraw, waiting } }, effects: [] };
}

/** Our request that the confirmation answers. A copy with another identifier answers nothing. */
function askedFor(
  channel: ChannelContext,
  event: WithdrawConfirmationReceived,
): WithdrawAsked | undefined {
  const { message } = event;
  if (!isOfPartner(channel, event) || message.participant !== channel.own) return undefined;
  return channel.requests
    .filter(isSameWithdraw(message))
    .find(({ messageId }) => messageId === message.messageId);
}

function isConsent(channel: ChannelContext, event: WithdrawConfirmationReceived): boolean {
  return askedFor(channel, event)?.isAnswered === false;
}

/** Whether the consent was taken before and only its acknowledgement was lost. */
function isKnownConsent(channel: ChannelContext, event: WithdrawConfirmationReceived): boolean {
  return askedFor(channel, event)?.isAnswered === true;
}

/** Takes the partner's consent. If enough time is left, the withdraw is brought on chain. */
function takeConsent(
  channel: ChannelContext,
  event: Stamped<WithdrawConfirmationReceived>,
): ChannelStep {
  const asked = askedFor(channel, event);
  if (asked === undefined) throw new Error('channel: a consent that nobody asked for');
  const requests = channel.requests.map((request) =>
    request === asked ? { ...request, isAnswered: true } : request,
  );
  const next = { ...channel, requests };
  const effects: Effect[] = [
    { type: 'done.message', key: messageKey(channel, asked.nonce) },
    { type: 'send.processed', to: channel.partner, messageId: event.message.messageId },
  ];
  const { withdraw } = channel;
  const isInTime = asked.expiration >= event.nowBlock + revealTimeoutInForce(channel);
  if (withdraw === null || !isSameWithdraw(asked)(withdraw) || !isInTime)
    return { patch: next, effects };
  return submitWithdraw(next, withdraw, event, effects);
}

function submitWithdraw(
  channel: ChannelContext,
  withdraw: OwnWithdraw,
  event: WithdrawConfirmationReceived,
  effects: readonly Effect[],
): ChannelStep {
  const { id, tokenNetwork, channelId, partner } = channel;
  const counted = { ...channel, jobs: channel.jobs + 1 };
  const key = jobKey(counted, 'withdraw');
  const { totalWithdraw, expiration } = withdraw;
  const tx: Effect = {
    type: 'tx.withdraw',
    from: id,
    key,
    tokenNetwork,
    channelId,
    partner,
    totalWithdraw,
    expiration,
    deadlineBlock: expiration - 1n,
    partnerSignature: event.signature,
  };
  return {
    patch: { ...counted, withdraw: { ...withdraw, job: key } },
    effects: [...effects, tx],
  };
}

/** Our transaction failed. The caller still waits: the partner may have sent its own transaction before ours. */
function noteFailedWithdraw(channel: ChannelContext, event: TransactionEnded): ChannelStep {
  if (event.ok) return { patch: {}, effects: [] };
  const failure = { code: event.code, detail: event.detail };
  return { patch: { withdraw: { ...current(channel), failure } }, effects: [] };
}

/** Whether our withdraw is not on chain and can no longer get there. */
function isLapsed({ withdraw, confirmations }: ChannelContext, nowBlock: bigint): boolean {
  return withdraw !== null && nowBlock >= senderRemovalBlock(withdraw.expiration, confirmations);
}

/** Makes the amount spendable again, and tells the partner and the callers that wait. */
function expireWithdraw(channel: ChannelContext): ChannelStep {
  const { withdraw, ownEnd } = channel;
  if (withdraw === null) throw new Error('channel: nothing to expire');
  const nonce = ownEnd.nonce + 1n;
  const next = {
    ...channel,
    ownEnd: { ...withoutWithdraw(ownEnd, withdraw), nonce },
    withdraw: null,
  };
  const wakeBlock = openWakeBlock(next);
  const fields = { ...withdrawFields(channel, channel.own, withdraw), nonce };
  const expired = sendWithdraw(next, { type: 'WithdrawExpired', ...fields });
  const patch = { ...next, wakeBlock };
  return { patch, effects: [expired, ...refuseWaiting(withdraw, reasonOf(withdraw))] };
}

function reasonOf({ failure, job }: OwnWithdraw): ActorRefusal {
  if (failure !== null) return failure;
  return job === null
    ? { code: 'partner_silent', detail: 'The partner did not agree to the withdrawal in time.' }
    : { code: 'transaction_failed', detail: 'The transaction was not mined in time.' };
}

/** Our withdraw has been executed on chain, by our transaction or by the partner's: it has succeeded. */
function endWithdraw(channel: ChannelContext): ChannelStep {
  const { withdraw, ownEnd, id } = channel;
  if (withdraw === null || ownEnd.withdrawn < withdraw.totalWithdraw)
    return { patch: {}, effects: [] };
  const asked = channel.requests.find(isSameWithdraw(withdraw));
  const value = { kind: 'channel', channel: id } as const;
  const replies = withdraw.waiting.map((requestId): Effect => {
    return { type: 'reply.ok', requestId, value };
  });
  // The withdraw was executed on chain: there is nothing left to ask the partner for.
  const isAsking = asked !== undefined && !asked.isAnswered;
  const done: Effect[] = isAsking
    ? [{ type: 'done.message', key: messageKey(channel, asked.nonce) }]
    : [];
  const wakeBlock = openWakeBlock({ ...channel, withdraw: null });
  return { patch: { withdraw: null, wakeBlock }, effects: [...done, ...replies] };
}

/** The requests to remember: the newest answered ones, and all without an answer, since that may still arrive. */
function remembered(requests: readonly WithdrawAsked[]): readonly WithdrawAsked[] {
  const answered = requests.filter(({ isAnswered }) => isAnswered);
  const forgotten = answered.slice(0, Math.max(0, answered.length - KEPT));
  return requests.filter((request) => !forgotten.includes(request));
}

function current({ withdraw }: ChannelContext): OwnWithdraw {
  if (withdraw === null) throw new Error('channel: no withdraw is on its way');
  return withdraw;
}

export function noteWithdraw(channel: ChannelContext, event: Withdrawn): ChannelStep {
  if (event.participant !== channel.own)
    return {
      patch: { partnerEnd: withWithdrawn(channel.partnerEnd, event.totalWithdraw) },
      effects: [],
    };
  const ownEnd = withWithdrawn(channel.ownEnd, event.totalWithdraw);
  const ended = endWithdraw({ ...channel, ownEnd });
  return { patch: { ownEnd, ...ended.patch }, effects: ended.effects };
}

export const guards = {
  isSameTotal: when(
    ({ ownEnd }, { totalWithdraw }) => totalWithdraw === ownEnd.withdrawn,
    'cmd.withdraw',
  ),
  canWithdraw: when((channel, event) => withdrawRefusal(channel, event) === null, 'cmd.withdraw'),
  isUnderWay: when(
    ({ withdraw }, { totalWithdraw }) => totalWithdraw === withdraw?.totalWithdraw,
    'cmd.withdraw',
  ),
  hasWithdraw: ({ context }: Checked) => context.withdraw !== null,
  hasNoWithdraw: ({ context }: Checked) => context.withdraw === null,
  hasJob: ({ context }: Checked) => context.withdraw?.job != null,
  isWithdrawJob: when(({ withdraw }, { key }) => key === withdraw?.job, 'chain.tx'),
  isLapsed: ({ context, event }: Checked) => isLapsed(context, event.nowBlock),
  isConsent: when(isConsent, 'msg.withdrawConfirmation'),
  isKnownConsent: when(isKnownConsent, 'msg.withdrawConfirmation'),
};

export const actions = {
  requestWithdraw: on(requestWithdraw, 'cmd.withdraw'),
  joinWithdraw: on(joinWithdraw, 'cmd.withdraw'),
  takeConsent: on(takeConsent, 'msg.withdrawConfirmation'),
  noteFailedWithdraw: on(noteFailedWithdraw, 'chain.tx'),
  expireWithdraw: onAny(expireWithdraw),
  noteWithdraw: on(noteWithdraw, 'chain.channelWithdraw'),
};
