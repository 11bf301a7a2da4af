/** What a stranger on the broker may send to a node: its payloads, ready to be written to a NATS server. */
import { randomBytes } from 'node:crypto';
import type { Address } from '../../src/basics/hex.ts';
import { createSealing } from '../../src/node/messaging/sealing.ts';
import { compressedKey } from '../../src/protocol/public-key.ts';
import { encodeHeader, SALT_BYTES, type SealPlace } from '../../src/protocol/wire/envelope.ts';
import { addressOfCompressed } from '../../src/signer/ecdsa.ts';
import { createSigner } from '../../src/signer/signer.ts';

export type Kind = (typeof KINDS)[number];
export const KINDS = [
  'random bytes, 100 KB',
  'lines of x, 100 KB, not sealed',
  'lines of x, 100 KB, sealed by one stranger',
  'sealed under fresh keys, 1 KB',
  "under the partner's name, 1 KB",
  'payloads of the partner again',
  'tiny payloads',
  'presence questions',
] as const;

/** Who is flooded. Public keys, its own and its partner's: 65 bytes each. */
export type Victim = {
  place: SealPlace;
  address: Address;
  publicKey: Uint8Array;
  partnerKey: Uint8Array;
  /** What the partner has sent to it. */
  recorded: readonly Uint8Array[];
};

const LARGE = 100_000;
const SMALL = 1_000;
/** More strangers than a node remembers, so that each of them is new to it when it sends again. */
const FRESH_KEYS = 10_000;
const X_LINES = Buffer.from('x\n'.repeat(LARGE / 2));

function many(count: number, make: (index: number) => Uint8Array): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Somebody with a key of its own, drawn now, who seals for the victim. */
function stranger({ place, address, publicKey }: Victim) {
  const signer = createSigner(randomBytes(32));
  const sealing = createSealing({
    ...place,
    own: signer.address,
    publicKey: signer.publicKey,
    sharedSecret: signer.sharedSecret,
    addressOf: addressOfCompressed,
    drawSalt: randomBytes,
    isPartner: () => false,
    now: () => 0,
  });
  sealing.learn(address, publicKey);
  return (text: Uint8Array): Uint8Array => {
    const payload = sealing.seal(address, text);
    if (payload === null) throw new Error('the victim has a key');
    return payload;
  };
}

/** It begins like a payload of the partner, and is junk from there on: only the partner can seal the rest. */
function imitation({ partnerKey }: Victim): Uint8Array {
  const salt = randomBytes(SALT_BYTES);
  const header = encodeHeader({ publicKey: compressedKey(partnerKey), salt, counter: 1 });
  return Buffer.concat([header, randomBytes(SMALL)]);
}

/** A presence request: it asks for the node's public key, or for a proof that the node holds the key. */
function question(index: number): Uint8Array {
  return index % 2 === 0 ? new Uint8Array() : Buffer.concat([Uint8Array.of(1), randomBytes(32)]);
}

export function payloadsOf(kind: Kind, victim: Victim): readonly Uint8Array[] {
  switch (kind) {
    case 'random bytes, 100 KB':
      return many(50, () => randomBytes(LARGE));
    case 'lines of x, 100 KB, not sealed':
      return many(50, () => X_LINES);
    case 'lines of x, 100 KB, sealed by one stranger': {
      const seal = stranger(victim);
      return many(200, () => seal(X_LINES));
    }
    case 'sealed under fresh keys, 1 KB':
      return many(FRESH_KEYS, () => stranger(victim)(randomBytes(SMALL)));
    case "under the partner's name, 1 KB":
      return many(2_000, () => imitation(victim));
    case 'payloads of the partner again':
      return victim.recorded;
    case 'tiny payloads':
      return many(2_000, () => randomBytes(20));
    case 'presence questions':
      return many(2_000, question);
  }
}

/** All of them as commands of the NATS protocol; an empty `reply` asks for no answer. */
export function commandsOf(
  subject: string,
  reply: string,
  payloads: readonly Uint8Array[],
): Buffer {
  const LINE = '\r\n';
  return Buffer.concat(
    payloads.flatMap((payload) => [
      Buffer.from(`PUB ${subject} ${reply}${reply && ' '}${payload.length}${LINE}`),
      payload,
      Buffer.from(LINE),
    ]),
  );
}
