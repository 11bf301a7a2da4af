/** Runs a scenario on as many threads as it has parts: the first part in this thread. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { threadFile } from '../../inspector/stream/thread-file.ts';
import { breakMeeting, meetingMemory, type Seat } from '../parts/meeting.ts';
import type { Partial } from '../parts/partial.ts';
import { startThread } from '../parts/start-thread.ts';
import type { RunResult } from '../report/results/result.ts';
import { type SimulateOptions, simulate } from '../run/simulate.ts';
import type { PartOrder, PartReply } from './thread.ts';

/**
 * The result follows from the scenario and its seed, however many cores there are. Rejects when a part fails, and when the
 * program runs from its sources, as threads need the built files.
 */
export async function simulateInParts(options: SimulateOptions): Promise<RunResult> {
  const { scenario, seed, onPayment } = options;
  const parts = Number(scenario.run.parts);
  if (parts === 1) return simulate(options);
  if ((options.strategies ?? []).length > 0)
    throw new Error('strategies act in a run of one part: run.parts must be 1');
  const file = threadFile(import.meta.url, 'simulation/part-thread');
  if (file === null) throw new Error('the program is not built: run "npm run build"');
  const [own, ...seats] = seatsOf(parts);
  if (own === undefined) throw new Error('simulation: there is no first part');
  const threads = seats.map((seat) => startPart(file, { scenario, seed, seat }));
  const others = async () => {
    const partials = await Promise.all(threads.map(({ ended }) => ended));
    for (const { payments } of partials) for (const record of payments) onPayment?.(record);
    return partials;
  };
  try {
    return await simulate({ ...options, seat: own }, others);
  } catch (error) {
    breakMeeting(own.memory);
    throw error;
  } finally {
    await Promise.all(threads.map(({ thread }) => thread.terminate()));
  }
}

/** A seat for each part, with a port to each other. */
function seatsOf(parts: number): Seat[] {
  const memory = meetingMemory(parts);
  const ports: { to: number; port: MessagePort }[][] = Array.from({ length: parts }, () => []);
  for (let a = 0; a < parts; a++)
    for (let b = a + 1; b < parts; b++) {
      const { port1, port2 } = new MessageChannel();
      ports[a]?.push({ to: b, port: port1 });
      ports[b]?.push({ to: a, port: port2 });
    }
  return ports.map((own, index) => ({ index, ports: own, memory }));
}

function startPart(file: URL, order: PartOrder): { thread: Worker; ended: Promise<Partial> } {
  const thread = startThread(file);
  const ended = new Promise<Partial>((resolve, reject) => {
    thread.once('message', (reply: PartReply) => {
      if ('partial' in reply) resolve(reply.partial);
      else reject(new Error(reply.error));
    });
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('a part of the simulation has ended')));
  });
  // Whoever waits for it hears of it; until then an error must not end the process.
  ended.catch(() => {});
  thread.postMessage(
    order,
    order.seat.ports.map(({ port }) => port),
  );
  return { thread, ended };
}
