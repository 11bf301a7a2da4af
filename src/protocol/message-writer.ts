/** The wire fields of each message, besides `type`, `signature` and `metadata`. */
import type { CanonicalId, Envelope, Message, Sync, WithdrawFields } from './messages.ts';

type Wire = { [name: string]: string | boolean | Wire };

/** Fields under the names that they have in JSON; integers as decimal text. */
export function wireFields(message: Message): Wire {
  switch (message.type) {
    case 'LockedTransfer':
    case 'RefundTransfer':
      return {
        ...envelope(message),
        payment_identifier: String(message.paymentId),
        token: message.token,
        recipient: message.recipient,
        target: message.target,
        initiator: message.initiator,
        lock: {
          amount: String(message.lock.amount),
          expiration: String(message.lock.expiration),
          secrethash: message.lock.secrethash,
        },
      };
    case 'Unlock':
      return {
        ...envelope(message),
        payment_identifier: String(message.paymentId),
        secret: message.secret,
      };
    case 'LockExpired':
      return {
        ...envelope(message),
        recipient: message.recipient,
        secrethash: message.secrethash,
      };
    case 'Delivered':
      return { delivered_message_identifier: String(message.deliveredMessageId) };
    case 'Processed':
      return { message_identifier: String(message.messageId) };
    case 'SecretRequest':
      return {
        message_identifier: String(message.messageId),
        payment_identifier: String(message.paymentId),
        secrethash: message.secrethash,
        amount: String(message.amount),
        expiration: String(message.expiration),
      };
    case 'RevealSecret':
      return { message_identifier: String(message.messageId), secret: message.secret };
    case 'WithdrawRequest':
      return { ...withdraw(message), coop_settle: message.coopSettle };
    case 'WithdrawConfirmation':
    case 'WithdrawExpired':
      return withdraw(message);
    case 'Sync':
      return sync(message);
  }
}

function channel(message: CanonicalId & { messageId: bigint }): Wire {
  return {
    message_identifier: String(message.messageId),
    chain_id: String(message.chainId),
    token_network_address: message.tokenNetwork,
    channel_identifier: String(message.channelId),
  };
}

function envelope(message: Envelope): Wire {
  return {
    ...channel(message),
    nonce: String(message.nonce),
    transferred_amount: String(message.transferredAmount),
    locked_amount: String(message.lockedAmount),
    locksroot: message.locksroot,
  };
}

function withdraw(message: WithdrawFields): Wire {
  return {
    ...channel(message),
    participant: message.participant,
    total_withdraw: String(message.totalWithdraw),
    nonce: String(message.nonce),
    expiration: String(message.expiration),
  };
}

function sync(message: Sync): Wire {
  return {
    ...channel(message),
    signed_nonce: String(message.signedNonce),
    accepted_nonce: String(message.acceptedNonce),
    balance_hash: message.balanceHash,
    additional_hash: message.additionalHash,
    proof_signature: message.proofSignature,
    answer: message.answer,
  };
}
