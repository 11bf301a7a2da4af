/**
 * What a node answers to the question whether it is there: a version, 1; its public key, 65 bytes; and 36 characters
 * that are different for every process. Earlier versions concluded from other characters than their own that a second
 * process has the key. That is no longer done, as anybody can send such an answer.
 */
import type { Address } from '../basics/hex.ts';
import { isPublicKeyOf, PUBLIC_KEY_BYTES } from '../protocol/public-key.ts';

const VERSION = 1;
const INSTANCE_BYTES = 36;

export function encodePresence(publicKey: Uint8Array, instanceId: string): Uint8Array {
  return Buffer.concat([Uint8Array.of(VERSION), publicKey, Buffer.from(instanceId, 'latin1')]);
}

/** The public key in an answer from anybody, or null when it is not the address's own. */
export function keyInPresence(answer: Uint8Array, address: Address): Uint8Array | null {
  if (answer[0] !== VERSION || answer.length !== 1 + PUBLIC_KEY_BYTES + INSTANCE_BYTES) return null;
  const publicKey = answer.slice(1, 1 + PUBLIC_KEY_BYTES);
  return isPublicKeyOf(publicKey, address) ? publicKey : null;
}
