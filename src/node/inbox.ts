/**
 * What the broker brings in: every payload is opened, which proves its sender, its messages are decoded, their
 * actors found. The broker is never trusted, so what fits nothing is dropped without a trace in any actor.
 */
import { channelActorId } from '../../machines/channel-context.ts';
import { balanceProofDigest } from '../protocol/balance-proof.ts';
import type { FeeTerms } from '../protocol/fee-terms.ts';
import { secrethashOf } from '../protocol/hash.ts';
import { type Address, fromHex, type Hash, type Signature } from '../protocol/hex.ts';
import { decodeBatch } from '../protocol/message-codec.ts';
import { signingDigest } from '../protocol/message-hash.ts';
import {
  isSigned,
  type LockedTransfer,
  type Message,
  type RefundTransfer,
  type SentMessage,
  type Sync,
} from '../protocol/messages.ts';
import type { Allowance } from './allowance.ts';
import type { Fault } from './fault.ts';
import type { Opened } from './sealing.ts';
import { actorsOf } from './secrethashes.ts';
import type { Delivery } from './turn.ts';

type Options = {
  own: Address;
  chainId: bigint;
  /** What this node charges now for passing tokens on. */
  feesOf(token: Address): FeeTerms;
  /** Whose payment the lock is for that this node has pending in a channel. */
  sentIn(channel: string, secrethash: Hash): Pick<LockedTransfer, 'paymentId' | 'target'> | null;
  /** Who keeps locks with this secrethash for which no payment answers. */
  keepersOf(secrethash: Hash): string[];
  /** Whose payload this is, and its lines; as `sealing.ts` says it. */
  open(payload: Uint8Array): Opened;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  /** How much work a sender may make. */
  allowance: Allowance;
  /**
   * False while the node lags behind the chain, or cannot know whether it does: time is unknown, so nothing may
   * be promised. What is dropped is repeated by its sender. An Unlock is dropped too: its channel may have been
   * settled meanwhile, and whoever believes to be paid pays on.
   */
  isReady(): boolean;
  turn(deliveries: readonly Delivery[]): void;
  acknowledge(messageId: bigint, sender: Address): void;
  /** Somebody showed with a seal that it is there. */
  onHeard(sender: Address, type: Message['type']): void;
  onRefused(reason: string): void;
  fault: Fault;
};

/** The signature is of what a contract reads, and the sender's. */
type From = { sender: Address; signature?: Signature };

export function createInbox(options: Options) {
  const { own, chainId, fault } = options;

  function deliveriesOf({ message, signature }: SentMessage, sender: Address): Delivery[] {
    const from: From = signature === null ? { sender } : { sender, signature };
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
        const concerned = [...actorsOf(secrethash), ...options.keepersOf(secrethash)];
        return concerned.map((to) => ({ to, event }));
      }
      default:
        return [];
    }
  }

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

  /** Whose message it is, is proven; what a contract reads must be theirs on chain, too. */
  function refusalOf({ message, signature }: SentMessage, sender: Address): string | null {
    if ('chainId' in message && message.chainId !== chainId) return 'another chain';
    const isProof = message.type === 'Sync' || (isSigned(message) && signature !== null);
    const unheard = isProof ? options.allowance.checking(sender) : null;
    if (unheard !== null) return unheard;
    if (!isSigned(message) || signature === null) return null;
    const signer = options.recover(signingDigest(message), fromHex(signature));
    return signer === sender ? null : 'signature';
  }

  function receive(sent: SentMessage, sender: Address) {
    const { message } = sent;
    const reason = refusalOf(sent, sender);
    if (reason !== null) return options.onRefused(reason);
    fault('receive.before');
    options.onHeard(sender, message.type);
    if (message.type === 'Processed') options.acknowledge(message.messageId, sender);
    else options.turn(deliveriesOf(sent, sender));
    fault('receive.after');
  }

  return {
    /** One payload of the broker, from whomever: sealed lines of messages. */
    take(payload: Uint8Array) {
      if (!options.isReady()) return;
      const opened = options.open(payload);
      if (!opened.ok) return options.onRefused(opened.reason);
      const tooMuch = options.allowance.reading(opened.sender, opened.text.length);
      if (tooMuch !== null) return options.onRefused(tooMuch);
      const { messages, refused } = decodeBatch(opened.text);
      for (const { reason } of refused) options.onRefused(reason);
      for (const message of messages) receive(message, opened.sender);
    },
  };
}

function channelOf({ tokenNetwork, channelId }: { tokenNetwork: Address; channelId: bigint }) {
  return channelActorId(tokenNetwork, channelId);
}
