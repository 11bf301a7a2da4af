/** Sends a new copy of the database when the stream has none, or has grown much since the last one. */
import { stat } from 'node:fs/promises';
import type { Clock, Log } from '../basics/environment.ts';
import type { StreamOwner } from './reader.ts';
import { sendSnapshot } from './snapshot.ts';
import type { RecordStream } from './stream.ts';
import type { Writer } from './writer.ts';

type Options = {
  writer: Pick<Writer, 'send' | 'sent' | 'isEnded'>;
  stream: Pick<RecordStream, 'bounds' | 'purge'>;
  owner: StreamOwner;
  /** The database's file. */
  file: string;
  clock: Clock;
  log: Log;
  /** Whether the stream lacks a copy now. */
  isNeeded: boolean;
};

const LOOK_MS = 10_000;
/** So many bytes come before the next copy at least, unless there are so many records: to read those takes a standby long. */
const LEAST_BYTES = 67_108_864;
const MANY_RECORDS = 20_000;

export function createSnapshots({ writer, stream, owner, file, clock, log, isNeeded }: Options) {
  let isDue = isNeeded;
  let isSending = false;
  let stopLooking = () => {};
  /** What this process had sent before the newest copy. */
  let last = { records: 0, bytes: 0 };
  /** What earlier processes have sent since that copy; null: the stream was not asked yet. */
  let earlier: typeof last | null = null;

  async function look(): Promise<void> {
    if (writer.isEnded() || !(isDue || (await hasGrown()))) return;
    const before = writer.sent();
    const { bytes } = await sendSnapshot({ writer, stream, owner, file });
    isDue = false;
    last = before;
    earlier = { records: 0, bytes: 0 };
    log.info({ bytes }, 'a copy of the database is in the stream');
  }

  async function hasGrown(): Promise<boolean> {
    earlier ??= await foundInStream();
    if (earlier === null) return false;
    const now = writer.sent();
    const records = earlier.records + now.records - last.records;
    const bytes = earlier.bytes + now.bytes - last.bytes;
    const { size } = await stat(file);
    if (records > MANY_RECORDS && bytes > size / 2) return true;
    return bytes > Math.max(LEAST_BYTES, 2 * size);
  }

  /**
   * Null while the stream is away. Asked only once, since a broker may answer anything, and a copy of a large database
   * costs much.
   */
  async function foundInStream() {
    // Before the answer: what is sent while it is waited for may be counted twice, and is not left out.
    const own = writer.sent();
    const found = await stream.bounds().catch(() => null);
    if (found === null) return null;
    const { first, last, bytes } = found;
    return {
      records: Math.max(0, last - first + 1 - own.records),
      bytes: Math.max(0, bytes - own.bytes),
    };
  }

  function lookOnce() {
    if (isSending) return;
    isSending = true;
    void look()
      .catch((error: unknown) =>
        log.warn(
          { error: String(error) },
          'no copy of the database could be sent; it is tried again',
        ),
      )
      .finally(() => {
        isSending = false;
      });
  }

  return {
    start(): void {
      lookOnce();
      stopLooking = clock.every(LOOK_MS, lookOnce);
    },
    stop(): void {
      stopLooking();
    },
  };
}
