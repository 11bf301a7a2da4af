/** What two partners compare when they meet again. */

import { EMPTY_SIGNATURE } from '../../src/protocol/balance-proof.ts';
import { ZERO_HASH } from '../../src/protocol/hex.ts';
import type { Effect } from '../effects.ts';
import type { SyncReceived } from '../events/messages.ts';
import type { ChannelContext, ChannelStep } from './context.ts';

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

export function isSync(channel: ChannelContext, event: SyncReceived): boolean {
  const fromPartner = event.sender === channel.partner;
  return fromPartner && (event.isProven || event.message.acceptedNonce === 0n);
}

/** What the partner holds need not be repeated; what it lacks goes out again now. */
export function answerSync(channel: ChannelContext, event: SyncReceived): ChannelStep {
  const { acceptedNonce, answer } = event.message;
  const effects: Effect[] = [
    { type: 'done.queue', queue: channel.id, upToNonce: acceptedNonce },
    { type: 'resend', queue: channel.id },
  ];
  if (answer) effects.push(syncMessage(channel, false));
  return { patch: {}, effects };
}
