/** What the three withdraw messages have in common. */
import type { PendingWithdraw } from '../../src/protocol/channel/channel-end.ts';
import type { WithdrawFields } from '../../src/protocol/messages/fields.ts';
import type { Effect, Send } from '../effects.ts';
import type {
  WithdrawConfirmationReceived,
  WithdrawExpiredReceived,
  WithdrawRequestReceived,
} from '../events/messages.ts';
import type { ChannelContext } from './context.ts';

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

type Fields = Omit<WithdrawFields, 'messageId' | 'nonce'>;
/** The fields that are signed. */
export function withdrawFields(
  channel: ChannelContext,
  participant: WithdrawFields['participant'],
  { totalWithdraw, expiration }: PendingWithdraw,
): Fields {
  const { chainId, tokenNetwork, channelId } = channel;
  return { chainId, tokenNetwork, channelId, participant, totalWithdraw, expiration };
}

/** The key of the message in the outbox. */
export const messageKey = ({ id }: ChannelContext, nonce: bigint) => `${id}:${nonce}`;

export function sendWithdraw(
  channel: ChannelContext,
  message: Extract<Send['message'], { participant: unknown }>,
  parts: Pick<Send, 'messageId'> = {},
): Effect {
  const { id, partner } = channel;
  const key = messageKey(channel, message.nonce);
  return { type: 'send.message', key, to: partner, queue: id, ...parts, message };
}
