/**
 * How messages leave: signed at the last moment, several for one partner in one payload.
 *
 * The content was committed before; signing is deterministic, so a crash between commit and publish makes
 * the very same message again.
 */
import type { SendOnce } from '../../machines/effects.ts';
import type { Address, Signature } from '../protocol/hex.ts';
import { encodeMessage } from '../protocol/message-codec.ts';
import { signingDigest } from '../protocol/message-hash.ts';
import type { Message } from '../protocol/messages.ts';
import type { Fault } from './fault.ts';
import type { Numbered, Outbox, Posted } from './outbox.ts';

export type Publisher = ReturnType<typeof createPublisher>;

/** Above this a payload is closed and another begun; brokers refuse more than a mebibyte. */
const MAX_PAYLOAD_CHARS = 256 * 1024;

type Options = {
  sign(digest: Uint8Array): Signature;
  send(to: Address, payload: Uint8Array): void;
  outbox: Outbox;
  drawId(): bigint;
  onSent?: (type: Message['type']) => void;
  fault: Fault;
};

export function createPublisher(options: Options) {
  const { sign, send, outbox, drawId, fault, onSent = () => {} } = options;
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

  function flush() {
    const payloads = new Map<Address, string>();
    const leave = (to: Address, text: string) => {
      fault('publish.before');
      send(to, Buffer.from(text));
      fault('publish.after');
    };
    for (const { to, message } of waiting) {
      const line = encodeMessage(message, sign(signingDigest(message)));
      onSent(message.type);
      const before = payloads.get(to);
      const text = before === undefined ? line : `${before}\n${line}`;
      if (before !== undefined && text.length > MAX_PAYLOAD_CHARS) {
        leave(to, before);
        payloads.set(to, line);
      } else payloads.set(to, text);
    }
    waiting = [];
    for (const [to, text] of payloads) leave(to, text);
  }

  return {
    /** A message of the outbox that is on disk now; nothing when it was answered meanwhile. */
    post(key: string) {
      const entry = outbox.get(key);
      if (entry === undefined) return;
      outbox.noteStored(entry);
      if (outbox.mayLeave(entry)) repeat([entry]);
    },
    repeat,
    once: (effect: SendOnce) => void waiting.push(once(effect)),
    /** Signs and sends what was put here since the last time. */
    flush,
  };
}

/** Whether it leaves without a place in the outbox. */
export function isSentOnce(item: { type: string }): item is SendOnce {
  return ['send.processed', 'send.consent', 'send.sync'].includes(item.type);
}
