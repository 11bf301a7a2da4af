/** Reads and writes payloads with the keys of nodes. */

import type { Address } from '../../basics/hex.ts';
import { createSealing, type OpenedPayload, type Sealing } from '../../node/messaging/sealing.ts';
import { decodeBatch, encodeMessage } from '../../protocol/messages/message-codec.ts';
import { signingDigest } from '../../protocol/messages/message-hash.ts';
import { isSigned, type Message, type SentMessage } from '../../protocol/messages/table.ts';
import type { SealPlace } from '../../protocol/wire/envelope.ts';
import type { Cipher } from '../../signer/seal.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Draw } from '../world/randomness.ts';
import { createPromises } from './promises.ts';
import { createSentReader } from './sent-reader.ts';

type Options = {
  signer: Signer;
  place: SealPlace;
  cipher: Cipher;
  addressOf(compressed: Uint8Array): Address | null;
  /** The public key of an address, 65 bytes; null: no node has this address. */
  publicKeyOf(address: Address): Uint8Array | null;
  draw: Draw;
  now(): number;
};
/** `from` null: the payload cannot be read. */
type Read = { from: Address | null; messages: readonly SentMessage[] };
export type Wiretap = ReturnType<typeof createWiretap>;

const TYPE = /^\{"type":"(\w+)"/;

/** With the keys of one node: opens payloads from it and to it, and seals payloads in its name. */
export function createWiretap(options: Options) {
  const { signer, place, cipher, addressOf, publicKeyOf, draw, now } = options;
  const facts = { ...place, cipher, addressOf, isPartner: () => true, drawSalt: draw.bytes, now };
  let sealing: Sealing | null = null;
  /** Made when it is needed: of most nodes only what they send is read. */
  const own = () => {
    sealing ??= createSealing({
      ...facts,
      own: signer.address,
      publicKey: signer.publicKey,
      sharedSecret: signer.sharedSecret,
    });
    return sealing;
  };
  const sent = createSentReader({
    place,
    cipher,
    addressOf,
    publicKeyOf,
    sharedSecret: signer.sharedSecret,
  });

  function read(open: () => OpenedPayload): Read {
    try {
      const opened = open();
      if (opened.ok) return { from: opened.sender, messages: decodeBatch(opened.text).messages };
    } catch {
      // A payload that cannot be decoded: how a node treats it is its own matter, and must not end the simulation.
    }
    return { from: null, messages: [] };
  }

  function sealed(to: Address, text: string): Uint8Array | null {
    const publicKey = publicKeyOf(to);
    if (publicKey === null) return null;
    own().learn(to, publicKey);
    return own().seal(to, Buffer.from(text));
  }

  return {
    /** What this node seals for the targets of its payments. */
    promises: createPromises({
      cipher,
      own: signer.address,
      place,
      publicKeyOf,
      sharedSecret: signer.sharedSecret,
    }),
    /** The messages of a payload that this node sends; none when it cannot be read. */
    sent: (to: Address, payload: Uint8Array) => read(() => sent.open(to, payload)).messages,
    /** The same, but for each message only its type, which is written first. */
    typesSent(to: Address, payload: Uint8Array): string[] {
      const opened = sent.open(to, payload);
      if (!opened.ok) return [];
      const lines = Buffer.from(opened.text).toString('latin1').split('\n');
      return lines.flatMap((line) => TYPE.exec(line)?.[1] ?? []);
    },
    /** The messages of a payload for this node, and its proven sender. */
    received: (payload: Uint8Array) => read(() => own().open(payload)),
    /** A payload with these messages in this node's name; null when no node has the address. */
    seal(to: Address, messages: readonly SentMessage[]): Uint8Array | null {
      if (messages.length === 0) return null;
      return sealed(to, messages.map(encodeMessage).join('\n'));
    },
    /** As `seal`, with any text. */
    sealText: sealed,
    /** Signs with the node's key, if messages of this type are signed. */
    sign: (message: Message): SentMessage =>
      isSigned(message)
        ? { message, signature: signer.sign(signingDigest(message)) }
        : { message, signature: null },
  };
}
