/**
 * What the broker brings in: every payload is opened, which proves its sender, its messages are decoded, their
 * actors found. The broker is never trusted, so what fits nothing is dropped without a trace in any actor.
 */

import { channelActorId } from '../../../machines/channel/context.ts';
import type { ActorEvent } from '../../../machines/events.ts';
import { balanceProofDigest } from '../../protocol/balance-proof.ts';
import type { Fault } from '../../protocol/fault.ts';
import type { FeeTerms } from '../../protocol/fee-terms.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import { type Address, fromHex, type Hash, type Signature } from '../../protocol/hex.ts';
import { decodeBatch } from '../../protocol/message-codec.ts';
import { signingDigest } from '../../protocol/message-hash.ts';
import type { LockedTransfer } from '../../protocol/messages/locked-transfer.ts';
import type { Sync } from '../../protocol/messages/sync.ts';
import {
  type ContractMessage,
  isSigned,
  type Message,
  type PlainMessage,
  type SentMessage,
} from '../../protocol/messages/table.ts';
import { actorsOf } from '../runtime/secrethashes.ts';
import type { Delivery } from '../runtime/turn.ts';
import type { Allowance } from './allowance.ts';
import type { Opened } from './sealing.ts';

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

type From = { sender: Address };
/** The signature is of what a contract reads, and the sender's. */
type Signed = From & { signature: Signature };

export function createInbox(options: Options) {
  const { own, chainId, fault } = options;

  /** Every message has its case: without one for a new message this does not compile. */
  function deliveriesOf(sent: SentMessage, sender: Address): Delivery[] {
    if (sent.signature === null) return plainDeliveries(sent.message, { sender });
    const { message, signature } = sent;
    return [{ to: channelOf(message), event: signedEvent(message, { sender, signature }) }];
  }

  function signedEvent(message: ContractMessage, from: Signed): ActorEvent {
    switch (message.type) {
      case 'LockedTransfer': {
        const fees = options.feesOf(message.token);
        return { type: 'msg.lockedTransfer', message, fees, ...from };
      }
      case 'RefundTransfer': {
        const parties = options.sentIn(channelOf(message), message.lock.secrethash);
        const sent = parties && { paymentId: parties.paymentId, target: parties.target };
        return { type: 'msg.refundTransfer', message, sent, ...from };
      }
      case 'LockExpired':
        return { type: 'msg.lockExpired', message, ...from };
      case 'Unlock': {
        const secrethash = secrethashOf(message.secret);
        return { type: 'msg.unlock', message, secrethash, ...from };
      }
      case 'WithdrawRequest':
        return { type: 'msg.withdrawRequest', message, ...from };
      case 'WithdrawConfirmation':
        return { type: 'msg.withdrawConfirmation', message, ...from };
    }
  }

  function plainDeliveries(message: PlainMessage, from: From): Delivery[] {
    switch (message.type) {
      case 'Sync': {
        const isKnown = isProven(message);
        return [
          {
            to: channelOf(message),
            event: { type: 'msg.sync', message, isProven: isKnown, ...from },
          },
        ];
      }
      case 'WithdrawExpired':
        return [
          { to: channelOf(message), event: { type: 'msg.withdrawExpired', message, ...from } },
        ];
      case 'SecretRequest': {
        const event: ActorEvent = { type: 'msg.secretRequest', message, ...from };
        return [{ to: `initiator:${message.secrethash}`, event }];
      }
      case 'RevealSecret': {
        const secrethash = secrethashOf(message.secret);
        const event: ActorEvent = { type: 'msg.revealSecret', message, secrethash, ...from };
        const concerned = [...actorsOf(secrethash), ...options.keepersOf(secrethash)];
        return concerned.map((to) => ({ to, event }));
      }
      case 'Delivered':
      case 'Processed':
        return [];
    }
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
