/** Sends a new copy of the database when the stream has none, or has grown much since the last one. */
import { stat } from 'node:fs/promises';
import type { Clock, Log } from '../protocol/environment.ts';
import { sendBase } from './base.ts';
import type { Owner } from './reader.ts';
import type { RecordStream } from './stream.ts';
import type { Writer } from './writer.ts';

type Options = {
  writer: Pick<Writer, 'send' | 'sent' | 'isEnded'>;
  stream: Pick<RecordStream, 'bounds' | 'purge'>;
  owner: Owner;
  /** The database's file. */
  file: string;
  clock: Clock;
  log: Log;
  /** Whether the stream lacks a copy now. */
  isNeeded: boolean;
};

const LOOK_MS = 10_000;
/** Records, and bytes of them, after which a copy is made; and not before they are twice the database. */
const MOST_RECORDS = 200_000;
const LEAST_BYTES = 67_108_864;

export function createBases({ writer, stream, owner, file, clock, log, isNeeded }: Options) {
  let isDue = isNeeded;
  let isSending = false;
  let stopLooking = () => {};
  let last = { records: 0, bytes: 0 };

  async function look(): Promise<void> {
    if (writer.isEnded() || !(isDue || (await hasGrown()))) return;
    const before = writer.sent();
    const { bytes } = await sendBase({ writer, stream, owner, file });
    isDue = false;
    last = before;
    log.info({ bytes }, 'a copy of the database is in the stream');
  }

  async function hasGrown(): Promise<boolean> {
    const now = writer.sent();
    if (now.records - last.records > MOST_RECORDS) return true;
    const { size } = await stat(file);
    return now.bytes - last.bytes > Math.max(LEAST_BYTES, 2 * size);
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
