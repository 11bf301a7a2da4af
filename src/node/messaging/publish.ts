/**
 * How messages are sent: what a contract reads is signed at the last moment, and several messages to one partner are
 * sealed in one payload.
 *
 * The content was committed before; signing is deterministic, so a crash between commit and publish makes the very same
 * message again, under another seal. Nothing can be sealed for a recipient whose public key is not known: then its key
 * is asked for, and messages of the outbox wait there.
 */
import type { SendOnce } from '../../../machines/effects.ts';
import type { Fault } from '../../protocol/fault.ts';
import type { Address, Signature } from '../../protocol/hex.ts';
import { payloadsOf } from '../../protocol/lines.ts';
import { encodeMessage } from '../../protocol/message-codec.ts';
import { signingDigest } from '../../protocol/message-hash.ts';
import { isSigned, type Message, type SentMessage } from '../../protocol/messages/table.ts';
import type { Numbered, Outbox, Posted } from '../runtime/outbox.ts';

export type Publisher = ReturnType<typeof createPublisher>;

type Options = {
  sign(digest: Uint8Array): Signature;
  /** Seals the lines and sends them. */
  send(to: Address, lines: Uint8Array): void;
  /** Whether this recipient's public key is known. */
  knows(to: Address): boolean;
  /** Asks for the key of a node for which messages wait. */
  introduce(to: Address): void;
  outbox: Outbox;
  drawId(): bigint;
  onSent?: (type: Message['type']) => void;
  fault: Fault;
};

export function createPublisher(options: Options) {
  const { send, outbox, drawId, fault, onSent = () => {} } = options;
  let waiting: { to: Address; message: Message }[] = [];

  function once(effect: SendOnce): { to: Address; message: Numbered } {
    const { to } = effect;
    switch (effect.type) {
      case 'send.processed':
        return { to, message: { type: 'Processed', messageId: effect.messageId } };
      case 'send.consent':
        return { to, message: effect.message };
      case 'send.sync':
        return { to, message: { ...effect.message, messageId: drawId() } };
    }
  }

  function repeat(entries: readonly Posted[]) {
    for (const entry of entries) {
      waiting.push({ to: entry.to, message: entry.message });
      outbox.noteSent(entry);
    }
  }

  function signed(message: Message): SentMessage {
    return isSigned(message)
      ? { message, signature: options.sign(signingDigest(message)) }
      : { message, signature: null };
  }

  /** The waiting messages that can be sealed; the keys of all other recipients are asked for. */
  function sealable() {
    const recipients = [...new Set(waiting.map(({ to }) => to))];
    const unknown = new Set(recipients.filter((to) => !options.knows(to)));
    for (const to of unknown) options.introduce(to);
    return waiting.filter(({ to }) => !unknown.has(to));
  }

  function flush() {
    const leaving = sealable();
    waiting = [];
    const lines = new Map<Address, string[]>();
    for (const { to, message } of leaving) {
      const line = encodeMessage(signed(message));
      onSent(message.type);
      const before = lines.get(to);
      if (before === undefined) lines.set(to, [line]);
      else before.push(line);
    }
    for (const [to, all] of lines) {
      for (const text of payloadsOf(all)) {
        fault('publish.before');
        send(to, Buffer.from(text));
        fault('publish.after');
      }
    }
  }

  return {
    /**
     * Sends a message of the outbox that is on disk now, unless it was answered meanwhile. A message that took its
     * place under this key may not be on disk yet: it is sent when it is.
     */
    post(key: string, messageId: bigint) {
      const entry = outbox.get(key);
      if (entry === undefined || entry.message.messageId !== messageId) return;
      outbox.noteStored(entry);
      if (outbox.mayLeave(entry)) repeat([entry]);
    },
    repeat,
    once: (effect: SendOnce) => void waiting.push(once(effect)),
    /** Signs, seals and sends what was added since the last flush. */
    flush,
  };
}
