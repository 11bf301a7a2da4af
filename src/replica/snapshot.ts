/** Copies of the whole database in the stream: what an empty machine begins with, before it reads what came later. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { deflateRaw, inflateRaw } from 'node:zlib';
import * as v from 'valibot';
import { readPlace } from '../store/durability/replay.ts';
import { decodePosition } from './position.ts';
import { createRecordReader, decodeOwner, ownerContent, type StreamOwner } from './reader.ts';
import { openRecord, type RecordKeys } from './record.ts';
import type { RecordStream } from './stream.ts';
import type { Writer } from './writer.ts';

const baseContent = v.object({
  /** The record up to which the copy has come. */
  at: v.object({ sequence: v.number(), tag: v.string() }),
  /** The record of its first piece; the others follow, with other records in between. */
  first: v.number(),
  bytes: v.number(),
  sha256: v.string(),
  schema: v.string(),
  /** Who has sent it: with the copy, the stream may forget the record in which that one took it. */
  owner: v.optional(ownerContent),
});
export type Snapshot = v.InferOutput<typeof baseContent>;

const compress = promisify(deflateRaw);
const expand = promisify(inflateRaw);
/** Bytes of the database in one piece: also those that cannot be made smaller fit into a record. */
const PIECE_BYTES = 786_432;
/** A piece is never larger than this, whatever it says. */
const MOST_EXPANDED = 2 * PIECE_BYTES;

/** The thread's whole program: SQLite copies a database in one go, which would stop the node for as long. */
const PROGRAM = `
  const { parentPort, workerData: { module, file, target } } = require('node:worker_threads');
  const Database = require(module);
  const client = new Database(file);
  client.exec('PRAGMA busy_timeout = 60000');
  client.prepare('VACUUM INTO ?').run(target);
  client.close();
  parentPort.postMessage('done');
`;

async function copyOf(file: string): Promise<string> {
  const target = `${file}.base-${randomUUID()}`;
  const module = createRequire(import.meta.url).resolve('libsql');
  const worker = new Worker(PROGRAM, { eval: true, workerData: { module, file, target } });
  try {
    await once(worker, 'message');
    return target;
  } finally {
    await worker.terminate();
  }
}

type Sending = {
  writer: Pick<Writer, 'send'>;
  stream: Pick<RecordStream, 'bounds' | 'purge'>;
  owner: StreamOwner;
  file: string;
};

/**
 * Sends a copy of the database, while that is being written, and lets the stream forget what is in it. Rejects when
 * the copy cannot be made; a stream that is away is waited for.
 */
export async function sendSnapshot({ writer, stream, owner, file }: Sending): Promise<Snapshot> {
  const copy = await copyOf(file);
  try {
    const { place, schema } = readPlace(copy);
    if (place === null || schema === null)
      throw new Error('replica: the copy has no place in the stream');
    const { at } = decodePosition(place);
    const digest = createHash('sha256');
    let first: number | null = null;
    for await (const piece of createReadStream(copy, { highWaterMark: PIECE_BYTES })) {
      digest.update(piece);
      const { sequence } = await writer.send('piece', await compress(piece, { level: 1 }));
      first ??= sequence;
    }
    const { size: bytes } = await stat(copy);
    const sha256 = digest.digest('hex');
    const base = { at, first: first ?? 0, bytes, sha256, schema, owner };
    await writer.send('base', new TextEncoder().encode(JSON.stringify(base)));
    // A stream that lost the copy since would be emptied, and go on behind what it never had.
    const kept = await stream.bounds();
    if (kept !== null && kept.last > at.sequence) await stream.purge(at.sequence + 1);
    return base;
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true });
  }
}

export type SnapshotFound =
  | { ok: true; base: Snapshot; sequence: number; epoch: number }
  | { ok: false; message: string };

/** The newest complete copy in the stream. */
export async function findSnapshot(stream: RecordStream, keys: RecordKeys): Promise<SnapshotFound> {
  const bytes = await stream.newest('base');
  if (bytes === null)
    return { ok: false, message: 'the stream holds no complete copy of a database yet' };
  const opened = openRecord(keys, bytes);
  if (opened === null || opened.head.kind !== 'base')
    return { ok: false, message: 'the newest copy in the stream was not sealed by this key' };
  const base = v.parse(baseContent, JSON.parse(new TextDecoder().decode(opened.content)));
  const { sequence, epoch } = opened.head;
  return { ok: true, base, sequence, epoch };
}

/** Who has owned the stream last, and in which epoch; null when it does not say. */
export async function findOwner(
  stream: RecordStream,
  keys: RecordKeys,
): Promise<{ epoch: number; owner: StreamOwner } | null> {
  const bytes = await stream.newest('epoch');
  const opened = bytes === null ? null : openRecord(keys, bytes);
  if (opened?.head.kind === 'epoch')
    return { epoch: opened.head.epoch, owner: decodeOwner(opened.content) };
  const found = await findSnapshot(stream, keys);
  const owner = found.ok ? found.base.owner : undefined;
  return found.ok && owner !== undefined ? { epoch: found.epoch, owner } : null;
}

type Fetching = {
  stream: RecordStream;
  keys: RecordKeys;
  found: Extract<SnapshotFound, { ok: true }>;
  /** The new file; it must not be there. */
  target: string;
};
export type Fetched = { ok: true } | { ok: false; message: string };

/** Writes the copy into a file. Reads every record since the copy was made, and believes none that breaks the chain. */
export async function fetchSnapshot({ stream, keys, found, target }: Fetching): Promise<Fetched> {
  const { base, sequence: end } = found;
  const reader = createRecordReader(keys, base.at);
  const digest = createHash('sha256');
  const file = await open(target, 'wx', 0o600);
  const stop = new AbortController();
  try {
    for await (const { sequence, bytes } of stream.follow(base.at.sequence + 1, stop.signal)) {
      const read = reader.read(sequence, bytes);
      if (!read.ok) return read;
      if (read.step.type === 'piece' && sequence >= base.first) {
        const piece = await expand(read.step.content, { maxOutputLength: MOST_EXPANDED });
        digest.update(piece);
        await file.write(piece);
      }
      if (sequence >= end) break;
    }
    await file.sync();
  } finally {
    stop.abort();
    await file.close();
  }
  const isWhole = reader.at().sequence === end && digest.digest('hex') === base.sha256;
  return isWhole ? { ok: true } : { ok: false, message: 'the copy in the stream is not whole' };
}
