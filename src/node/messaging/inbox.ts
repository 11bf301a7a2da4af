/**
 * Takes the payloads of the broker: each is opened, which proves its sender, its messages are decoded, and their actors
 * found. The broker is never trusted: what is not valid is dropped and changes no actor.
 */

import { channelActorId } from '../../../machines/base/actor-ids.ts';
import type { ChangeFacts } from '../../../machines/events/messages.ts';
import type { ActorEvent } from '../../../machines/events.ts';
import type { Fault } from '../../basics/fault.ts';
import {
  type Address,
  fromHex,
  type Hash,
  type Hex,
  type Secret,
  type Signature,
} from '../../basics/hex.ts';
import { balanceProofDigest } from '../../protocol/channel/balance-proof.ts';
import type { FeeTerms } from '../../protocol/fees/fee-terms.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { Change, LockChange } from '../../protocol/messages/changes.ts';
import { messagesIn } from '../../protocol/messages/message-codec.ts';
import { signingDigest } from '../../protocol/messages/message-hash.ts';
import type { Sync } from '../../protocol/messages/sync.ts';
import {
  type ContractMessage,
  isSigned,
  type Message,
  type PlainMessage,
  type SentMessage,
} from '../../protocol/messages/table.ts';
import type { SealedFor } from '../../protocol/wire/envelope.ts';
import type { Decoded } from '../../protocol/wire/lines.ts';
import { sealedSecretIn } from '../../protocol/wire/metadata.ts';
import type { Delivery } from '../runtime/commits/delivery.ts';
import type { Bounded } from '../runtime/knowledge/bounds.ts';
import { actorsOf } from '../runtime/knowledge/secrethashes.ts';
import type { Allowance } from './allowance.ts';
import { createIntake } from './intake.ts';
import type { Claim, OpenedPayload } from './sealing.ts';

type Options = {
  own: Address;
  chainId: bigint;
  /** What this node charges now for mediating transfers of the token. */
  feesOf(token: Address): FeeTerms;
  /** Whether a payee may still be paid off chain that shows its secret late. */
  mayPayLate(): boolean;
  /** The payment of a lock that this node has pending in a channel; null when there is none. */
  sentIn(channel: string, secrethash: Hash): Pick<LockChange, 'paymentId' | 'target'> | null;
  /** The keepers of locks with this secrethash for which no payment actor is responsible. */
  keepersOf(secrethash: Hash): string[];
  /** In whose name a payload comes, or why it is not even kept until its turn. See `sealing.ts`. */
  claimOf(payload: Uint8Array): Claim;
  /** Opens a payload: answers its sender and its lines. See `sealing.ts`. */
  open(payload: Uint8Array): OpenedPayload;
  /** The secret that `initiator` sealed for a payment to this node, or null. See `sealing.ts`. */
  openSecret(
    initiator: Address,
    payment: SealedFor,
    lockAmount: bigint,
    sealed: Hex,
  ): Secret | null;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  /** How much work a sender may cause. */
  allowance: Allowance;
  /** Absent: the usual ones. */
  bounds?: Bounded;
  isPartner(address: Address): boolean;
  /** Whether this node has the channel with this partner. */
  hasChannel(partner: Address, channel: string): boolean;
  /**
   * False while the node lags behind the chain, or cannot know whether it does: the current block is unknown, so
   * nothing may be promised. What is dropped is repeated by its sender. An unlock is dropped, too: its channel may have
   * been settled meanwhile, and a node that wrongly believes to be paid would pay its payee.
   */
  isReady(): boolean;
  /**
   * Whether it is ready, or only has to read blocks that it has seen. What comes meanwhile waits: its sender would
   * repeat it after a pause that doubles each time, so that a slow endpoint made payments wait for half a minute.
   */
  isReadySoon(): boolean;
  turn(type: Message['type'], deliveries: readonly Delivery[]): void;
  acknowledge(messageId: bigint, sender: Address): void;
  /** Called when a sender proved with its seal that it is online. */
  onHeard(sender: Address): void;
  onRefused(reason: string): void;
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  /** Whether deadlines need the time more than messages do. */
  isPressed(): boolean;
  fault: Fault;
};

const TOO_MUCH = 'more than is read in time';

type Received = { read: Decoded<SentMessage>; sender: Address };
type From = { sender: Address };
/** The sender, and its signature over the data that a contract reads. */
type Signed = From & { signature: Signature };

/** All that have no channel with this node take turns as one. */
const STRANGERS = 'strangers';

type Knowing = Pick<Options, 'own' | 'feesOf' | 'sentIn' | 'openSecret'>;

/** What this node knows of the change now. */
function factsOf(change: Change, channel: string, known: Knowing): ChangeFacts {
  const { type } = change;
  switch (type) {
    case 'lock':
      return { type, fees: known.feesOf(change.token), secret: secretIn(change, known) };
    case 'refund': {
      const parties = known.sentIn(channel, change.lock.secrethash);
      const sent = parties && { paymentId: parties.paymentId, target: parties.target };
      return { type, sent };
    }
    case 'unlock':
      return { type, secrethash: secrethashOf(change.secret) };
    case 'expired':
      return { type };
  }
}

/** The secret that the initiator of a payment sent with its lock, so that this target need not ask for it. */
function secretIn(
  { initiator, target, token, metadata, lock, paymentId }: LockChange,
  { own, openSecret }: Knowing,
): Secret | null {
  const sealed = target === own ? sealedSecretIn(metadata) : null;
  if (sealed === null) return null;
  const { secrethash, amount } = lock;
  return openSecret(initiator, { secrethash, paymentId, token }, amount, sealed);
}

/** Each change of an Update is work of its own, though they share a signature. */
const changesOf = (message: Message): number =>
  message.type === 'Update' ? message.changes.length : 1;

function* readOf(sender: Address, text: Uint8Array): Generator<Received> {
  for (const read of messagesIn(text)) yield { read, sender };
}

export function createInbox(options: Options) {
  const { own, chainId, fault, isReady, isReadySoon } = options;
  const held = { ...options, isHeld: () => !isReady() && isReadySoon() };

  /** Turns a message into events of actors. Every message type needs its case, else this does not compile. */
  function deliveriesOf(sent: SentMessage, sender: Address): Delivery[] {
    if (sent.signature === null) return plainDeliveries(sent.message, { sender });
    const { message, signature } = sent;
    return [{ to: channelActorId(message), event: signedEvent(message, { sender, signature }) }];
  }

  function signedEvent(message: ContractMessage, from: Signed): ActorEvent {
    switch (message.type) {
      case 'Update': {
        const channel = channelActorId(message);
        const facts = message.changes.map((change) => factsOf(change, channel, options));
        return { type: 'msg.update', message, facts, ...from };
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
            to: channelActorId(message),
            event: { type: 'msg.sync', message, isProven: isKnown, ...from },
          },
        ];
      }
      case 'WithdrawExpired':
        return [
          { to: channelActorId(message), event: { type: 'msg.withdrawExpired', message, ...from } },
        ];
      case 'SecretRequest': {
        const event: ActorEvent = { type: 'msg.secretRequest', message, ...from };
        return [{ to: `initiator:${message.secrethash}`, event }];
      }
      case 'RevealSecret': {
        const secrethash = secrethashOf(message.secret);
        const mayBeLate = options.mayPayLate();
        const event: ActorEvent = {
          type: 'msg.revealSecret',
          message,
          secrethash,
          mayBeLate,
          ...from,
        };
        const concerned = [...actorsOf(secrethash), ...options.keepersOf(secrethash)];
        return concerned.map((to) => ({ to, event }));
      }
      case 'Delivered':
      case 'Processed':
        return [];
    }
  }

  /**
   * Whether the signature in the Sync proves that this node once signed the balance proof that the partner says it
   * holds.
   */
  function isProven({ proofSignature, acceptedNonce, ...proof }: Sync): boolean {
    if (acceptedNonce === 0n) return false;
    const digest = balanceProofDigest({ ...proof, nonce: acceptedNonce });
    return options.recover(digest, fromHex(proofSignature)) === own;
  }

  /**
   * Why a message is refused, or null. The seal proved its sender; what a contract reads must be signed by the sender
   * too.
   */
  function refusalOf({ message, signature }: SentMessage, sender: Address): string | null {
    if ('chainId' in message && message.chainId !== chainId) return 'another chain';
    const isProof = message.type === 'Sync' || (isSigned(message) && signature !== null);
    const unheard = isProof ? options.allowance.checking(sender, changesOf(message)) : null;
    if (unheard !== null) return unheard;
    if (message.type === 'Sync') return syncRefusal(channelActorId(message), sender);
    if (!isSigned(message) || signature === null) return null;
    const signer = options.recover(signingDigest(message), fromHex(signature));
    return signer === sender ? null : 'signature';
  }

  function syncRefusal(channel: string, sender: Address): string | null {
    const isOurs = options.hasChannel(sender, channel);
    return isOurs ? options.allowance.hearing(channel) : 'a Sync for a channel that is not theirs';
  }

  function receive({ read, sender }: Received) {
    // Since its payload was opened, the node may have fallen behind the chain.
    if (!isReady()) return;
    if (!read.ok) return options.onRefused(read.reason);
    const sent = read.value;
    const { message } = sent;
    const reason = refusalOf(sent, sender);
    if (reason !== null) return options.onRefused(reason);
    fault('receive.before');
    options.onHeard(sender);
    if (message.type === 'Processed') options.acknowledge(message.messageId, sender);
    else options.turn(message.type, deliveriesOf(sent, sender));
    fault('receive.after');
  }

  const intake = createIntake<Received>({
    ...held,
    // Each change is the work of a message: many in one Update gain nobody time.
    turnsOf: ({ read }) => (read.ok ? changesOf(read.value.message) : 1),
    handOn: receive,
  });

  function open(payload: Uint8Array) {
    if (!isReady()) return;
    const opened = options.open(payload);
    if (!opened.ok) return options.onRefused(opened.reason);
    const { sender, text } = opened;
    const tooMuch = options.allowance.reading(sender, text.length);
    if (tooMuch !== null) return options.onRefused(tooMuch);
    const name = options.isPartner(sender) ? sender : STRANGERS;
    if (!intake.take(name, readOf(sender, text), text.length)) options.onRefused(TOO_MUCH);
  }

  const unopened = createIntake<Uint8Array>({ ...held, handOn: open });

  return {
    /** Takes one payload of the broker, of any sender: sealed lines, one message each. */
    take(payload: Uint8Array) {
      if (!isReadySoon()) return;
      // Whatever strangers send, partners have turns of their own.
      const claim = options.claimOf(payload);
      if (!claim.ok) return options.onRefused(claim.reason);
      const name = claim.by ?? STRANGERS;
      // Copied, because each payload is a part of all that was read at once, which would wait with it.
      const own = [new Uint8Array(payload)].values();
      if (!unopened.take(name, own, payload.length)) options.onRefused(TOO_MUCH);
    },
    /** Takes what has waited for blocks, when they are read. */
    goOn() {
      intake.goOn();
      unopened.goOn();
    },
  };
}
