/**
 * The proof that a process holds the key of a node: its signature over a challenge that somebody drew for this one
 * question. The question is a version, 1, and 32 random bytes; the answer a version, 1, and the signature.
 *
 * The signed bytes name network and address, so that an answer given elsewhere is of no use here, and begin with a
 * text, so that they are nothing that a contract or a partner reads.
 */
import { randomBytes } from 'node:crypto';
import { keccak256 } from '../protocol/hash.ts';
import { type Address, fromHex, type Signature } from '../protocol/hex.ts';
import { pack } from '../protocol/packing.ts';

const VERSION = 1;
const CHALLENGE_BYTES = 32;
const SIGNATURE_BYTES = 65;
const PURPOSE = Buffer.from('sluice key proof 1', 'latin1');

/** The address whose key it is, and its network. */
export type KeyPlace = { chainId: bigint; tokenNetworkRegistry: Address; address: Address };
/** Signs 32 bytes, as the signer does. */
export type Sign = (digest: Uint8Array) => Signature;
/** Who signed the 32 bytes, or null. */
export type Recover = (digest: Uint8Array, signature: Uint8Array) => Address | null;

export function drawQuestion(): Uint8Array {
  return Buffer.concat([Uint8Array.of(VERSION), randomBytes(CHALLENGE_BYTES)]);
}

export function isQuestion(data: Uint8Array): boolean {
  return data[0] === VERSION && data.length === 1 + CHALLENGE_BYTES;
}

/** The answer to a question, by the holder of the key. */
export function answerTo(question: Uint8Array, place: KeyPlace, sign: Sign): Uint8Array {
  return Buffer.concat([Uint8Array.of(VERSION), fromHex(sign(digestOf(question, place)))]);
}

/** Whether bytes, which may come from anybody, have the form of an answer; this costs nothing to see. */
export function isAnswer(data: Uint8Array): boolean {
  return data[0] === VERSION && data.length === 1 + SIGNATURE_BYTES;
}

/** Whether the answer comes from a holder of the key; this costs arithmetic on the curve. */
export function provesKey(
  answer: Uint8Array,
  question: Uint8Array,
  { place, recover }: { place: KeyPlace; recover: Recover },
): boolean {
  return recover(digestOf(question, place), answer.subarray(1)) === place.address;
}

function digestOf(question: Uint8Array, place: KeyPlace): Uint8Array {
  const where = pack([
    ['u256', place.chainId],
    ['address', place.tokenNetworkRegistry],
    ['address', place.address],
  ]);
  return keccak256(Buffer.concat([PURPOSE, where, question]));
}
