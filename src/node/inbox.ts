/**
 * What the broker brings in: every message is decoded, its signer recovered, its actor found. The broker is
 * never trusted, so a message that fits nothing is dropped without a trace in any actor.
 */
import { channelActorId } from '../../machines/channel-context.ts';
import { balanceProofDigest } from '../protocol/balance-proof.ts';
import type { FeeTerms } from '../protocol/fee-terms.ts';
import { secrethashOf } from '../protocol/hash.ts';
import { type Address, fromHex, type Hash, type Signature } from '../protocol/hex.ts';
import { decodeBatch } from '../protocol/message-codec.ts';
import { signingDigest } from '../protocol/message-hash.ts';
import type {
  LockedTransfer,
  Message,
  RefundTransfer,
  SignedMessage,
  Sync,
} from '../protocol/messages.ts';
import type { Fault } from './fault.ts';
import { actorsOf } from './secrethashes.ts';
import type { Delivery } from './turn.ts';

type Options = {
  own: Address;
  chainId: bigint;
  /** What this node charges now for passing tokens on. */
  feesOf(token: Address): FeeTerms;
  /** Whose payment the lock is for that this node has pending in a channel. */
  sentIn(channel: string, secrethash: Hash): Pick<LockedTransfer, 'paymentId' | 'target'> | null;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  /** False while the node lags behind the chain: time is unknown, so nothing may be promised. */
  isReady(): boolean;
  turn(deliveries: readonly Delivery[]): void;
  acknowledge(messageId: bigint, sender: Address): void;
  /** Somebody showed with a signature that it is there. */
  onHeard(sender: Address, type: Message['type']): void;
  onRefused(reason: string): void;
  fault: Fault;
};

export function createInbox(options: Options) {
  const { own, chainId, fault } = options;

  function deliveriesOf(message: Message, sender: Address, signature: Signature): Delivery[] {
    const from = { sender, signature };
    switch (message.type) {
      case 'LockedTransfer':
        return [{ to: channelOf(message), event: transferEvent(message, from) }];
      case 'RefundTransfer':
        return [{ to: channelOf(message), event: refundEvent(message, from) }];
      case 'LockExpired':
        return [{ to: channelOf(message), event: { type: 'msg.lockExpired', message, ...from } }];
      case 'Unlock': {
        const secrethash = secrethashOf(message.secret);
        const event = { type: 'msg.unlock', message, secrethash, ...from };
        return [{ to: channelOf(message), event }];
      }
      case 'Sync': {
        const event = { type: 'msg.sync', message, isProven: isProven(message), ...from };
        return [{ to: channelOf(message), event }];
      }
      case 'WithdrawRequest':
        return [
          { to: channelOf(message), event: { type: 'msg.withdrawRequest', message, ...from } },
        ];
      case 'WithdrawConfirmation':
        return [
          { to: channelOf(message), event: { type: 'msg.withdrawConfirmation', message, ...from } },
        ];
      case 'WithdrawExpired':
        return [
          { to: channelOf(message), event: { type: 'msg.withdrawExpired', message, ...from } },
        ];
      case 'SecretRequest': {
        const event = { type: 'msg.secretRequest', message, ...from };
        return [{ to: `initiator:${message.secrethash}`, event }];
      }
      case 'RevealSecret': {
        const secrethash = secrethashOf(message.secret);
        const event = { type: 'msg.revealSecret', message, secrethash, ...from };
        return actorsOf(secrethash).map((to) => ({ to, event }));
      }
      default:
        return [];
    }
  }

  type From = { sender: Address; signature: Signature };
  function transferEvent(message: LockedTransfer, from: From) {
    return { type: 'msg.lockedTransfer', message, fees: options.feesOf(message.token), ...from };
  }
  function refundEvent(message: RefundTransfer, from: From) {
    const parties = options.sentIn(channelOf(message), message.lock.secrethash);
    const sent = parties && { paymentId: parties.paymentId, target: parties.target };
    return { type: 'msg.refundTransfer', message, sent, ...from };
  }

  /** Whether the signature inside shows that we once signed what the partner says it holds. */
  function isProven({ proofSignature, acceptedNonce, ...proof }: Sync): boolean {
    if (acceptedNonce === 0n) return false;
    const digest = balanceProofDigest({ ...proof, nonce: acceptedNonce });
    return options.recover(digest, fromHex(proofSignature)) === own;
  }

  function receive({ message, signature }: SignedMessage) {
    const sender = options.recover(signingDigest(message), fromHex(signature));
    if (sender === null || sender === own) return options.onRefused('signature');
    if ('chainId' in message && message.chainId !== chainId)
      return options.onRefused('another chain');
    fault('receive.before');
    options.onHeard(sender, message.type);
    if (message.type === 'Processed') options.acknowledge(message.messageId, sender);
    else options.turn(deliveriesOf(message, sender, signature));
    fault('receive.after');
  }

  return {
    /** One payload of the broker: lines of messages, from whomever. */
    take(payload: Uint8Array) {
      if (!options.isReady()) return;
      const { messages, refused } = decodeBatch(payload);
      for (const { reason } of refused) options.onRefused(reason);
      for (const message of messages) receive(message);
    },
  };
}

function channelOf({ tokenNetwork, channelId }: { tokenNetwork: Address; channelId: bigint }) {
  return channelActorId(tokenNetwork, channelId);
}
