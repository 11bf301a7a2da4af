/**
 * The layout of a sealed payload, in which messages travel between two nodes. All numbers are big-endian.
 *
 * | bytes | what |
 * |---|---|
 * | 1 | version, 1 |
 * | 33 | the sender's public key, compressed |
 * | 16 | salt: the sender draws one for each recipient at its start, and again when it connects anew |
 * | 6 | counter: 1 with the first payload under the salt, then one more with each |
 * | 12 | nonce of the cipher |
 * | n | the lines of the messages under AES-256-GCM; all bytes before them are authenticated with them |
 * | 16 | tag of the cipher |
 */
import { type Address, type Hash, type Secret, toHex } from '../../basics/hex.ts';
import { COMPRESSED_KEY_BYTES } from '../public-key.ts';
import { type Decoded, refusal } from './lines.ts';
import { pack } from './packing.ts';

const VERSION = 1;
export const SALT_BYTES = 16;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const COUNTER_BYTES = 6;
const SALT_AT = 1 + COMPRESSED_KEY_BYTES;
const COUNTER_AT = SALT_AT + SALT_BYTES;
const NONCE_AT = COUNTER_AT + COUNTER_BYTES;
const HEADER_BYTES = NONCE_AT + NONCE_BYTES;
/** The number of bytes by which a payload is longer than the lines in it. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES;

/** What the first 56 bytes tell: who sealed the payload, and which of the sender's payloads it is. */
export type SealHeader = { publicKey: Uint8Array; salt: Uint8Array; counter: number };
export type SealedPayload = SealHeader & {
  /** Everything before the text, which the cipher authenticates. */
  header: Uint8Array;
  nonce: Uint8Array;
  ciphertext: Uint8Array;
  tag: Uint8Array;
};
/**
 * The network that a seal belongs to: nodes of another chain or of other contracts derive other keys from the same
 * two nodes' keys.
 */
export type SealPlace = { chainId: bigint; tokenNetworkRegistry: Address };

/** The header's first 56 bytes, before there is a nonce. */
export function encodeHeader({ publicKey, salt, counter }: SealHeader): Uint8Array {
  const header = Buffer.allocUnsafe(NONCE_AT);
  header[0] = VERSION;
  header.set(publicKey, 1);
  header.set(salt, SALT_AT);
  header.writeUIntBE(counter, COUNTER_AT, COUNTER_BYTES);
  return header;
}

/**
 * The parts of a payload, which may come from anybody. Only the form is checked; the parts share the payload's
 * memory.
 */
export function splitSealed(payload: Uint8Array): Decoded<SealedPayload> {
  if (payload.length <= SEAL_BYTES) return refusal('too short for a sealed payload');
  if (payload[0] !== VERSION) return refusal('not a sealed payload of a known version');
  const publicKey = payload.subarray(1, SALT_AT);
  if (publicKey[0] !== 2 && publicKey[0] !== 3) return refusal('not a compressed public key');
  const end = payload.length - TAG_BYTES;
  const view = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return {
    ok: true,
    value: {
      publicKey,
      salt: payload.subarray(SALT_AT, COUNTER_AT),
      counter: view.readUIntBE(COUNTER_AT, COUNTER_BYTES),
      header: payload.subarray(0, HEADER_BYTES),
      nonce: payload.subarray(NONCE_AT, HEADER_BYTES),
      ciphertext: payload.subarray(HEADER_BYTES, end),
      tag: payload.subarray(end),
    },
  };
}

/**
 * What the key of a seal is bound to, besides the two nodes' shared secret and the salt: the network, the sender and
 * the recipient.
 */
export function sealInfo(place: SealPlace, sender: Address, recipient: Address): Uint8Array {
  const fields = pack([
    ['u256', place.chainId],
    ['address', place.tokenNetworkRegistry],
    ['address', sender],
    ['address', recipient],
  ]);
  return Buffer.concat([Buffer.from('sluice seal 1'), fields]);
}

/** The payment that a sealed secret belongs to. */
export type SealedFor = { secrethash: Hash; paymentId: bigint; token: Address };

/** What the key of sealed secrets is bound to, besides the two nodes' shared secret: the network and both nodes. */
export function secretInfo(place: SealPlace, initiator: Address, target: Address): Uint8Array {
  return Buffer.concat([Buffer.from('sluice secret 2'), sealInfo(place, initiator, target)]);
}

/** The payment as bytes, which are authenticated with its secret. */
export function sealedFor({ secrethash, paymentId, token }: SealedFor): Uint8Array {
  return pack([
    ['bytes32', secrethash],
    ['u64', paymentId],
    ['address', token],
  ]);
}

/**
 * What is sealed for the target: the secret (32 bytes), and the least that the target is to get with it, in the token's
 * smallest unit. Mediators must not see that amount: the last one could keep what the lock holds beyond it.
 */
export type Promised = { secret: Secret; amount: bigint };

export function promiseText({ secret, amount }: Promised): Uint8Array {
  return pack([
    ['bytes32', secret],
    ['u256', amount],
  ]);
}

/** The promise in a text of 64 bytes that the initiator has sealed. */
export function promiseIn(text: Uint8Array): Promised {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return { secret: toHex(bytes.subarray(0, 32)), amount: BigInt(toHex(bytes.subarray(32, 64))) };
}
