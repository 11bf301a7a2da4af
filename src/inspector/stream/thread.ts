/**
 * The thread in which the stream's worker runs beside a node whose database is a file. It opens the file for reading
 * alone, and shares nothing with the node's own thread.
 */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { openJournal } from '../../store/history/journal.ts';
import { replayTools } from '../replay/history.ts';
import { createWorker, type WorkerAsk } from './worker.ts';

/** Lower than the node's own thread, but not so low that the thread could not even end on a busy machine. */
const LOW_PRIORITY = 5;

const port = parentPort;
if (port === null) throw new Error('this is started as a thread of a node');
const { file } = v.parse(v.object({ file: v.string() }), workerData);
// On Linux, 0 means the calling thread alone; elsewhere it would slow the whole node down.
if (process.platform === 'linux') stepBack();
const journal = openJournal(file);
const worker = createWorker({
  journal,
  ...replayTools(journal),
  reply: (reply) => {
    port.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : []);
  },
  // Ends the thread; the supervisor starts another.
  onFailure: (error) => {
    throw error;
  },
});
port.on('message', (ask: WorkerAsk) => {
  if (ask.type !== 'end') return worker.receive(ask);
  worker.end();
  journal.close();
  port.close();
});

function stepBack(): void {
  try {
    setPriority(0, LOW_PRIORITY);
  } catch {
    // A container may forbid it; then only the worker's share of the time bounds it (`pace.ts`).
  }
}
