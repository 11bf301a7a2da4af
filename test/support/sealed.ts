/** Payloads opened and sealed by somebody who has the keys of nodes, as the nodes do it themselves. */
import { randomBytes } from 'node:crypto';
import type { Address } from '../../src/basics/hex.ts';
import { createSealing, type Sealing } from '../../src/node/messaging/sealing.ts';
import { decodeBatch, encodeMessage } from '../../src/protocol/messages/message-codec.ts';
import { signingDigest } from '../../src/protocol/messages/message-hash.ts';
import { isSigned, type Message, type SentMessage } from '../../src/protocol/messages/table.ts';
import type { SealPlace } from '../../src/protocol/wire/envelope.ts';
import { addressOfCompressed } from '../../src/signer/ecdsa.ts';
import type { Signer } from '../../src/signer/signer.ts';

/** The messages in a payload for this recipient; none when its key is not known, or it does not open. */
export type Reader = (to: Address, payload: Uint8Array) => SentMessage[];

type Parts = Partial<Parameters<typeof createSealing>[0]>;

/** What the node with this key seals and opens; everybody is a stranger to it. */
export function sealingOf(signer: Signer, place: SealPlace, parts: Parts = {}): Sealing {
  return createSealing({
    ...place,
    own: signer.address,
    publicKey: signer.publicKey,
    sharedSecret: signer.sharedSecret,
    addressOf: addressOfCompressed,
    drawSalt: (count) => randomBytes(count),
    isPartner: () => false,
    now: () => 0,
    ...parts,
  });
}

export function createReader(
  place: SealPlace,
  signerOf: (address: Address) => Signer | undefined,
): Reader {
  const sealings = new Map<Address, Sealing>();
  return (to, payload) => {
    const signer = signerOf(to);
    if (signer === undefined) return [];
    const sealing = sealings.get(to) ?? sealingOf(signer, place);
    sealings.set(to, sealing);
    const opened = sealing.open(payload);
    return opened.ok ? decodeBatch(opened.text).messages : [];
  };
}

/** The message as a node with this key sends it, signed where it has to be. */
export function sentBy(signer: Signer, message: Message): SentMessage {
  return isSigned(message)
    ? { message, signature: signer.sign(signingDigest(message)) }
    : { message, signature: null };
}

/** The lines of a payload. */
export function linesOf(messages: readonly SentMessage[]): Uint8Array {
  return Buffer.from(messages.map(encodeMessage).join('\n'));
}

/** Somebody with a key who seals whatever it likes for whomever it likes. */
export function speaker(signer: Signer, place: SealPlace) {
  const sealing = sealingOf(signer, place);
  return (to: Signer, text: Uint8Array | string): Uint8Array => {
    sealing.learn(to.address, to.publicKey);
    const payload = sealing.seal(to.address, Buffer.from(text));
    if (payload === null) throw new Error('the recipient has a key');
    return payload;
  };
}
