/**
 * What a node broadcasts reaches all others as the same bytes. They are decoded and hashed once, for the first one that
 * hears them, and all others get the same frozen messages. Who signed, and whether that counts, each finds out by itself.
 *
 * Payloads are known by their identity, as nobody changes their bytes: the sender's transport has copied them, and a
 * broker that alters some makes a payload of its own. What was read is forgotten together with the payload.
 */

import { getOrMake } from '../../basics/get-or-make.ts';
import type {
  ServiceMessage,
  SignedServiceMessage,
} from '../../protocol/services/service-message-types.ts';
import { ownReader, type ServiceMessageReader } from '../../protocol/services/service-messages.ts';
import type { Decoded } from '../../protocol/wire/lines.ts';

export function createSharedReader(): ServiceMessageReader {
  const read = new WeakMap<Uint8Array, readonly Decoded<SignedServiceMessage>[]>();
  const digests = new WeakMap<ServiceMessage, Uint8Array>();

  return {
    messagesIn(payload) {
      const known = read.get(payload);
      if (known !== undefined) return known;
      const messages = [...ownReader.messagesIn(payload)];
      freeze(messages);
      read.set(payload, messages);
      return messages;
    },
    digestOf(message) {
      return getOrMake(digests, message, () => ownReader.digestOf(message));
    },
  };
}

/** Freezes the value and all in it, so that no node can change what another one reads. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}
