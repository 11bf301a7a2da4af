/**
 * How messages are sent: what a contract reads is signed at the last moment, and several messages to one partner are
 * sealed in one payload. Signing takes a slice of each round of the event loop; what was signed once is kept as it is.
 *
 * The content was committed before; signing is deterministic, so a crash between commit and publish makes the very same
 * message again, under another seal. Nothing can be sealed for a recipient whose public key is not known: then its key
 * is asked for, and messages of the outbox wait there.
 */
import { channelActorId } from '../../../machines/base/actor-ids.ts';
import type { SendOnce } from '../../../machines/effects.ts';
import type { Fault } from '../../basics/fault.ts';
import type { Address } from '../../basics/hex.ts';
import { encodeMessage } from '../../protocol/messages/message-codec.ts';
import { signingDigest } from '../../protocol/messages/message-hash.ts';
import { isSigned, type Message } from '../../protocol/messages/table.ts';
import { payloadsOf } from '../../protocol/wire/lines.ts';
import { createRound } from '../runtime/commits/round.ts';
import type { Outbox } from '../runtime/outbox/outbox.ts';
import type { Posted } from '../runtime/outbox/posted.ts';
import type { NodeParts } from '../runtime/parts.ts';
import type { Sealing } from './sealing.ts';

export type Publisher = ReturnType<typeof createPublisher>;

type Options = {
  signer: Pick<NodeParts['signer'], 'sign'>;
  /** Of a recipient whose public key is not known nothing is sealed. */
  sealing: Pick<Sealing, 'seal' | 'knows'>;
  transport: Pick<NodeParts['transport'], 'publish'>;
  /** Whether this node may send anything now. */
  maySpeak(): boolean;
  /** Asks for the key of a node for which messages wait. */
  introduce(to: Address): void;
  /** Whether a Sync of this channel may be sent. */
  maySync(channel: string): boolean;
  outbox: Pick<Outbox, 'stored' | 'get' | 'noteSent' | 'noteUnsealable'>;
  drawId(): bigint;
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  /** Whether deadlines need the time more than messages do. */
  isPressed(): boolean;
  onSent?: (type: Message['type']) => void;
  fault: Fault;
};

/** What waits to be signed and sent: a message of the outbox, or one that is sent once. */
type Leaving = { entry: Posted } | { to: Address; message: Message };

export function createPublisher(options: Options) {
  const { signer, sealing, transport, outbox, drawId, fault, onSent = () => {} } = options;
  const round = createRound(options);
  const waiting = new Set<Leaving>();
  /** The Sync that waits for each channel: only the newest is sent. */
  const syncs = new Map<string, Leaving>();
  let isForNext = false;

  function once(effect: SendOnce): void {
    const { to } = effect;
    switch (effect.type) {
      case 'send.processed':
        waiting.add({ to, message: { type: 'Processed', messageId: effect.messageId } });
        return;
      case 'send.consent':
        waiting.add({ to, message: effect.message });
        return;
      case 'send.sync': {
        const channel = channelActorId(effect.message);
        const before = syncs.get(channel);
        if (before !== undefined) waiting.delete(before);
        const leaving = { to, message: { ...effect.message, messageId: drawId() } };
        syncs.set(channel, leaving);
        waiting.add(leaving);
      }
    }
  }

  function repeat(entries: Iterable<Posted>) {
    for (const entry of entries) {
      entry.isLeaving = true;
      waiting.add({ entry });
    }
  }

  function lineOf(message: Message): string {
    if (!isSigned(message)) return encodeMessage({ message, signature: null });
    return encodeMessage({ message, signature: signer.sign(signingDigest(message)) });
  }

  /** The line of the next message, if it can be sealed; the key of any other recipient is asked for. */
  function take(leaving: Leaving): { to: Address; line: string; message: Message } | null {
    if (!('entry' in leaving)) {
      const { to, message } = leaving;
      const channel = message.type === 'Sync' ? channelActorId(message) : null;
      if (channel !== null) syncs.delete(channel);
      // Asked last: a Sync that cannot leave uses up nothing of what its channel may say.
      const mayLeave = knows(to) && (channel === null || options.maySync(channel));
      return mayLeave ? { to, message, line: lineOf(message) } : null;
    }
    const { entry } = leaving;
    const { to, message } = entry;
    // It may have been answered while it waited.
    if (outbox.get(entry.key) !== entry) return null;
    if (!knows(to)) {
      outbox.noteUnsealable(entry);
      return null;
    }
    entry.line ??= lineOf(message);
    outbox.noteSent(entry);
    return { to, message, line: entry.line };
  }

  function knows(to: Address): boolean {
    if (sealing.knows(to)) return true;
    options.introduce(to);
    return false;
  }

  function send(to: Address, lines: Uint8Array) {
    const payload = options.maySpeak() ? sealing.seal(to, lines) : null;
    if (payload !== null) transport.publish(to, payload);
  }

  function publish(lines: ReadonlyMap<Address, string[]>) {
    for (const [to, all] of lines) {
      for (const text of payloadsOf(all)) {
        fault('publish.before');
        send(to, Buffer.from(text));
        fault('publish.after');
      }
    }
  }

  /** Signs, seals and sends what was added, as far as the slice of this round reaches; the rest in the next rounds. */
  function flush() {
    if (isForNext) return;
    const lines = new Map<Address, string[]>();
    for (const leaving of waiting) {
      if (round.isOver()) break;
      waiting.delete(leaving);
      const taken = take(leaving);
      if (taken === null) continue;
      onSent(taken.message.type);
      const before = lines.get(taken.to);
      if (before === undefined) lines.set(taken.to, [taken.line]);
      else before.push(taken.line);
    }
    publish(lines);
    if (waiting.size === 0) return;
    isForNext = true;
    round.next(() => {
      isForNext = false;
      flush();
    });
  }

  return {
    /**
     * Sends a message of the outbox that is on disk now, unless it was answered meanwhile. A message that took its
     * place under this key may not be on disk yet: it is sent when it is.
     */
    post(key: string, messageId: bigint) {
      const entry = outbox.stored(key, messageId);
      if (entry !== null && !entry.isLeaving) repeat([entry]);
    },
    repeat,
    once,
    flush,
  };
}
