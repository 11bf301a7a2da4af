/**
 * Loses the newest commits of an SQLite database in WAL mode, like a disk that claimed to be durable and was not:
 * the log is truncated after an earlier commit. Source: sqlite.org/fileformat2.html, section 4, and
 * sqlite.org/walformat.html, section 2.1.
 */
import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { endianness } from 'node:os';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Offsets in the log's header of the page size and the salts; each frame has the salts, too. */
const PAGE_SIZE_AT = 8;
const SALTS_AT = 16;
const FRAME_SALTS_AT = 8;
const SALT_BYTES = 8;
/** Offset in a frame of the size of the database in pages after the commit that ends with the frame, else 0. */
const COMMIT_AT = 4;
/** Offset in the index of the number of frames that are in the database file; in the machine's byte order. */
const BACKFILL_AT = 96;

/** How many frames of the log are in the database file already, where truncating the log cannot undo them. */
export function backfilled(index: string): number {
  if (!existsSync(index)) return 0;
  const field = readFileSync(index).subarray(BACKFILL_AT, BACKFILL_AT + 4);
  if (field.length < 4) return 0;
  return endianness() === 'LE' ? field.readUInt32LE() : field.readUInt32BE();
}

/** Removes the last `lost` commits from the log, or as many as it has after frame `least`; returns how many. */
export function cutLog(log: string, lost: number, least: number): number {
  if (!existsSync(log)) return 0;
  const bytes = readFileSync(log);
  if (bytes.length < HEADER_BYTES) return 0;
  const frameBytes = FRAME_HEADER_BYTES + bytes.readUInt32BE(PAGE_SIZE_AT);
  const ends = commitsIn(bytes, frameBytes);
  const losable = ends.filter((frames) => frames > least).length;
  const gone = Math.min(lost, losable);
  if (gone === 0) return 0;
  const left = Math.max(ends.at(-1 - gone) ?? 0, least);
  truncateSync(log, HEADER_BYTES + left * frameBytes);
  return gone;
}

/** The number of frames after which each commit ends, the oldest first. */
function commitsIn(bytes: Buffer, frameBytes: number): number[] {
  const salts = bytes.subarray(SALTS_AT, SALTS_AT + SALT_BYTES);
  const ends: number[] = [];
  for (let n = 1; HEADER_BYTES + n * frameBytes <= bytes.length; n++) {
    const frame = bytes.subarray(HEADER_BYTES + (n - 1) * frameBytes);
    // From here on there are old frames of an earlier round of the log.
    if (!frame.subarray(FRAME_SALTS_AT, FRAME_SALTS_AT + SALT_BYTES).equals(salts)) break;
    if (frame.readUInt32BE(COMMIT_AT) > 0) ends.push(n);
  }
  return ends;
}
