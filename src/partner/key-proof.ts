/**
 * The proof that a process holds the key of a node: its signature over a challenge that somebody drew for this one
 * question. The question is a version, 1, and 32 random bytes; the answer a version, 1, the stream of the process (32
 * bytes, see `Fence`) and the signature.
 *
 * The signed bytes name network and address, so that an answer given elsewhere is of no use here, and begin with a
 * text, so that they are nothing that a contract or a partner reads.
 */
import { randomBytes } from 'node:crypto';
import { type Address, fromHex, type Signature } from '../basics/hex.ts';
import { keccak256 } from '../protocol/hash.ts';
import { pack } from '../protocol/wire/packing.ts';

const VERSION = 1;
const CHALLENGE_BYTES = 32;
const STREAM_BYTES = 32;
const SIGNATURE_BYTES = 65;
const PURPOSE = Buffer.from('sluice key proof 1', 'latin1');

/** The address whose key it is, and its network. */
export type KeyPlace = { chainId: bigint; tokenNetworkRegistry: Address; address: Address };
/** Signs 32 bytes, as the signer does. */
export type Sign = (digest: Uint8Array) => Signature;
/** Who signed the 32 bytes, or null. */
export type RecoverKey = (digest: Uint8Array, signature: Uint8Array) => Address | null;

export function drawQuestion(): Uint8Array {
  return Buffer.concat([Uint8Array.of(VERSION), randomBytes(CHALLENGE_BYTES)]);
}

export function isQuestion(data: Uint8Array): boolean {
  return data[0] === VERSION && data.length === 1 + CHALLENGE_BYTES;
}

/**
 * What tells one replication stream from every other: a stream lets only one process of a key write. Null: no stream
 * keeps others from going on with this key.
 */
export type Fence = Uint8Array | null;

/** The fence of a stream with this name that its broker says it has made at this time. */
export function fenceOf(name: string, madeAt: string): Uint8Array {
  return keccak256(Buffer.from(`${name} ${madeAt}`, 'utf8'));
}

/** The answer to a question, by the holder of the key. */
export function answerTo(
  question: Uint8Array,
  { place, fence, sign }: { place: KeyPlace; fence: Fence; sign: Sign },
): Uint8Array {
  const stream = fence ?? new Uint8Array(STREAM_BYTES);
  const signature = fromHex(sign(digestOf(question, place, stream)));
  return Buffer.concat([Uint8Array.of(VERSION), stream, signature]);
}

/** Whether bytes, which may come from anybody, have the form of an answer; this costs nothing to see. */
export function isKeyAnswer(data: Uint8Array): boolean {
  return data[0] === VERSION && data.length === 1 + STREAM_BYTES + SIGNATURE_BYTES;
}

/** Whether the answer comes from a holder of the key; this costs arithmetic on the curve. */
export function provesKey(
  answer: Uint8Array,
  question: Uint8Array,
  { place, recover }: { place: KeyPlace; recover: RecoverKey },
): boolean {
  const digest = digestOf(question, place, streamOf(answer));
  return recover(digest, answer.subarray(1 + STREAM_BYTES)) === place.address;
}

/** Whether who gave the answer writes into the same stream, which lets only one of the two. */
export function sharesFence(answer: Uint8Array, fence: Fence): boolean {
  return fence !== null && Buffer.compare(streamOf(answer), fence) === 0;
}

function streamOf(answer: Uint8Array): Uint8Array {
  return answer.subarray(1, 1 + STREAM_BYTES);
}

function digestOf(question: Uint8Array, place: KeyPlace, stream: Uint8Array): Uint8Array {
  const where = pack([
    ['u256', place.chainId],
    ['address', place.tokenNetworkRegistry],
    ['address', place.address],
  ]);
  return keccak256(Buffer.concat([PURPOSE, where, question, stream]));
}
