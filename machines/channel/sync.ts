/** The Sync message, by which two partners that meet again tell each other what they have signed and accepted. */

import { EMPTY_SIGNATURE } from '../../src/protocol/channel/balance-proof.ts';
import { ZERO_HASH } from '../../src/protocol/hex.ts';
import type { Effect } from '../effects.ts';
import type { SyncReceived } from '../events/messages.ts';
import type { ChannelContext, ChannelStep } from './context.ts';
import type { Incoming } from './incoming.ts';

/** The Sync message of this side. `answer`: the partner is asked to send its own. */
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

export function isSync(channel: ChannelContext, event: SyncReceived): boolean {
  const fromPartner = event.sender === channel.partner;
  return fromPartner && (event.isProven || event.message.acceptedNonce === 0n);
}

/**
 * Whether a balance proof before this one must have been lost: it does not follow from what this side holds. Then the
 * partner is told what that is, so that it can send what is missing at once.
 */
export function isAfterGap(channel: ChannelContext, event: Incoming): boolean {
  return event.sender === channel.partner && event.message.nonce > channel.partnerEnd.nonce + 1n;
}

/** Messages that the partner has are no longer repeated; those that it lacks are sent again now. */
export function answerSync(channel: ChannelContext, event: SyncReceived): ChannelStep {
  const { acceptedNonce, answer } = event.message;
  const effects: Effect[] = [
    { type: 'done.queue', queue: channel.id, upToNonce: acceptedNonce },
    { type: 'resend', queue: channel.id },
  ];
  if (answer) effects.push(syncMessage(channel, false));
  return { patch: {}, effects };
}
