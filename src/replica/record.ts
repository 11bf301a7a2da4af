/**
 * A record of the stream: what one node has written, sealed with keys that only the holder of the node's key can derive.
 *
 * A record is a head of 30 bytes, a nonce, the sealed content and a tag. Each names its place in the stream and the tag
 * of the record before it, so that whoever keeps the stream can neither change, reorder, exchange nor leave out one
 * without being noticed by the next reader. The nonce is made from head and content: one that appears twice has sealed
 * the same text, even when a machine was put back to an earlier state.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/**
 * `epoch`: somebody takes the stream; `commit`: a transaction, or the last piece of one; `part`: a piece of the
 * transaction that the next `commit` ends; `pulse`: the owner lives; `piece`: a piece of a copy of the whole database;
 * `base`: that copy is complete.
 */
export type RecordKind = 'epoch' | 'commit' | 'part' | 'pulse' | 'piece' | 'base';
export type RecordHead = {
  kind: RecordKind;
  /** Counts those who have owned the stream, from 1. */
  epoch: number;
  /** The record's number in the stream, from 1. */
  sequence: number;
  /** The tag of the record before it, 16 bytes; zeros before the first. */
  link: Uint8Array;
};
/** `tag`: what the next record names. */
export type Sealed = { bytes: Uint8Array; tag: Uint8Array };
export type RecordKeys = { cipher: Uint8Array; nonce: Uint8Array };

const KINDS: readonly RecordKind[] = ['epoch', 'commit', 'part', 'pulse', 'piece', 'base'];
const VERSION = 1;
const HEAD_BYTES = 30;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What a record has besides its content. */
export const RECORD_OVERHEAD = HEAD_BYTES + NONCE_BYTES + TAG_BYTES;
export const NO_LINK = new Uint8Array(TAG_BYTES);

const CIPHER = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** Keys by HKDF-SHA256 from a secret of the owner alone, for one node (`subject`: chain, contracts, address). */
export function recordKeys(secret: Uint8Array, subject: string): RecordKeys {
  const info = new TextEncoder().encode(`sluice replica ${VERSION} ${subject}`);
  const derived = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), info, 64));
  return { cipher: derived.subarray(0, 32), nonce: derived.subarray(32) };
}

export function sealRecord(keys: RecordKeys, head: RecordHead, content: Uint8Array): Sealed {
  const start = encodeHead(head);
  const mac = createHmac('sha256', keys.nonce).update(start).update(content).digest();
  const nonce = mac.subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keys.cipher, nonce, OPTIONS);
  cipher.setAAD(start);
  const text = cipher.update(content);
  cipher.final();
  const tag = cipher.getAuthTag();
  return { bytes: Buffer.concat([start, nonce, text, tag]), tag };
}

export type OpenedRecord = { head: RecordHead; content: Uint8Array; tag: Uint8Array };

/** The record; null unless it is, bit for bit, what a holder of the keys has sealed. */
export function openRecord(keys: RecordKeys, bytes: Uint8Array): OpenedRecord | null {
  const head = decodeHead(bytes);
  if (head === null) return null;
  const end = bytes.length - TAG_BYTES;
  const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const tag = bytes.subarray(end);
  const decipher = createDecipheriv(CIPHER, keys.cipher, nonce, OPTIONS);
  decipher.setAAD(bytes.subarray(0, HEAD_BYTES));
  decipher.setAuthTag(tag);
  const content = decipher.update(bytes.subarray(HEAD_BYTES + NONCE_BYTES, end));
  try {
    // Only this check proves who sealed it.
    decipher.final();
    return { head, content, tag: Uint8Array.from(tag) };
  } catch {
    return null;
  }
}

/** The tag at the end of a record, 32 hexadecimal digits. It proves nothing about who sealed the record. */
export function tagOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(-TAG_BYTES)).toString('hex');
}

function encodeHead({ kind, epoch, sequence, link }: RecordHead): Buffer {
  const start = Buffer.alloc(HEAD_BYTES);
  start.writeUInt8(VERSION, 0);
  start.writeUInt8(KINDS.indexOf(kind), 1);
  start.writeUInt32BE(epoch, 2);
  start.writeBigUInt64BE(BigInt(sequence), 6);
  start.set(link, 14);
  return start;
}

function decodeHead(bytes: Uint8Array): RecordHead | null {
  if (bytes.length < RECORD_OVERHEAD) return null;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  const kind = KINDS[start.readUInt8(1)];
  const sequence = start.readBigUInt64BE(6);
  if (start.readUInt8(0) !== VERSION || kind === undefined) return null;
  if (sequence > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  const link = Uint8Array.from(start.subarray(14));
  return { kind, epoch: start.readUInt32BE(2), sequence: Number(sequence), link };
}
