/** The way to the stream as one process has it: nothing goes over it when the process is dead, nothing comes back. */
import { RECORD_OVERHEAD } from '../../replica/record.ts';
import type { RecordStream } from '../../replica/stream.ts';
import type { Process } from '../node/process.ts';

type Settled<T> = { ok: true; value: T } | { ok: false; error: unknown };

export function streamOf(
  process: Pick<Process, 'isAlive' | 'heard' | 'pass'>,
  stream: RecordStream,
): RecordStream {
  /** A failure, too, is heard only by a process that lives and is not paused. */
  async function heard<T>(ask: () => Promise<T>): Promise<T> {
    const settled = await process.heard(
      (): Promise<Settled<T>> =>
        ask().then(
          (value) => ({ ok: true, value }),
          (error: unknown) => ({ ok: false, error }),
        ),
    );
    if (settled.ok) return settled.value;
    throw settled.error;
  }

  async function* follow(sequence: number, stop: AbortSignal) {
    const records = stream.follow(sequence, stop)[Symbol.asyncIterator]();
    for (;;) {
      const next = await heard(() => records.next());
      if (next.done === true || stop.aborted) return;
      yield next.value;
    }
  }

  return {
    ...stream,
    async append(bytes, sequence, track) {
      // Only those that say something: the others come every second.
      const isPoint = bytes.length > RECORD_OVERHEAD;
      if (isPoint) process.pass('record.before');
      const appended = await heard(() => stream.append(bytes, sequence, track));
      if (isPoint) process.pass('record.after');
      // Whoever has died here hears nothing any more.
      return heard(async () => appended);
    },
    bounds: () => heard(stream.bounds),
    read: (sequence) => heard(() => stream.read(sequence)),
    newest: (track) => heard(() => stream.newest(track)),
    follow,
    purge: (sequence) => heard(() => stream.purge(sequence)),
  };
}
