/** What somebody reads and writes on the wire who has the keys of nodes. */
import { createSealing, type Sealing } from '../../node/messaging/sealing.ts';
import type { SealPlace } from '../../protocol/envelope.ts';
import type { Address } from '../../protocol/hex.ts';
import { decodeBatch, encodeMessage } from '../../protocol/message-codec.ts';
import { signingDigest } from '../../protocol/message-hash.ts';
import { isSigned, type Message, type SentMessage } from '../../protocol/messages/table.ts';
import { compressedKey } from '../../protocol/public-key.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Draw } from '../world/randomness.ts';

type Options = {
  signer: Signer;
  place: SealPlace;
  addressOf(compressed: Uint8Array): Address | null;
  /** 65 bytes; null: nobody has this address. */
  publicKeyOf(address: Address): Uint8Array | null;
  draw: Draw;
  now(): number;
};
/** `from` null: it cannot be read. */
type Read = { from: Address | null; messages: readonly SentMessage[] };
export type Wiretap = ReturnType<typeof createWiretap>;

/** With the keys of one node: opens what it sends and what is sent to it, and seals in its name. */
export function createWiretap(options: Options) {
  const { signer, place, addressOf, publicKeyOf, draw, now } = options;
  const facts = { ...place, addressOf, isPartner: () => true, drawSalt: draw.bytes, now };
  const own = createSealing({
    ...facts,
    own: signer.address,
    publicKey: signer.publicKey,
    sharedSecret: signer.sharedSecret,
  });
  /** As the recipient would open it: what two keys have in common either of them can find. */
  const others = new Map<Address, Sealing>();

  function readerFor(to: Address): Sealing | null {
    const known = others.get(to);
    const publicKey = publicKeyOf(to);
    if (known !== undefined || publicKey === null) return known ?? null;
    const compressed = compressedKey(publicKey);
    const sharedSecret = () => signer.sharedSecret(compressed);
    const reader = createSealing({ ...facts, own: to, publicKey, sharedSecret });
    others.set(to, reader);
    return reader;
  }

  function read(sealing: Sealing | null, payload: Uint8Array): Read {
    try {
      const opened = sealing?.open(payload);
      if (opened?.ok) return { from: opened.sender, messages: decodeBatch(opened.text).messages };
    } catch {
      // What a node does with such a payload is its own affair, and ends no world.
    }
    return { from: null, messages: [] };
  }

  function sealed(to: Address, text: string): Uint8Array | null {
    const publicKey = publicKeyOf(to);
    if (publicKey === null) return null;
    own.learn(to, publicKey);
    return own.seal(to, Buffer.from(text));
  }

  return {
    /** The messages of a payload that this node sends; none when it cannot be read. */
    sent: (to: Address, payload: Uint8Array) => read(readerFor(to), payload).messages,
    /** The messages of a payload that came for this node, and who has proven to have sent it. */
    received: (payload: Uint8Array) => read(own, payload),
    /** A payload with these messages in this node's name; null when nobody has the address. */
    seal(to: Address, messages: readonly SentMessage[]): Uint8Array | null {
      if (messages.length === 0) return null;
      return sealed(to, messages.map(encodeMessage).join('\n'));
    },
    /** As `seal`, whatever the text is. */
    sealText: sealed,
    /** Signed with the node's key, where it has to be. */
    sign: (message: Message): SentMessage =>
      isSigned(message)
        ? { message, signature: signer.sign(signingDigest(message)) }
        : { message, signature: null },
  };
}
