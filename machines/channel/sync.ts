/** The Sync message, by which two partners that meet again tell each other what they have signed and accepted. */

import { EMPTY_SIGNATURE } from '../../src/protocol/balance-proof.ts';
import { ZERO_HASH } from '../../src/protocol/hex.ts';
import type { Effect } from '../effects.ts';
import type { SyncReceived } from '../events/messages.ts';
import type { ChannelContext, ChannelStep } from './context.ts';

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
