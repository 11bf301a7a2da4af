/**
 * Where the threads of one run meet: each hands something to all others, and waits until it has what they hand to it. A
 * thread that waits does nothing else.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** `ports`: one to each other part, by its number. `memory`: shared by all, of `meetingMemory`. */
export type Seat = {
  index: number;
  ports: readonly { to: number; port: MessagePort }[];
  memory: SharedArrayBuffer;
};

/** Longer than the start of all nodes of the largest network takes. */
const PATIENCE_MS = 900_000;

/** For each part how often it came, and whether one of them cannot go on. */
export const meetingMemory = (parts: number) => new SharedArrayBuffer(4 * (parts + 1));

/** `T`: what all parts hand to each other; it is plain data. */
export function createMeeting<T>({ index, ports, memory }: Seat) {
  const counts = new Int32Array(memory);
  const broken = counts.length - 1;
  let times = 0;

  function waitFor(part: number): void {
    for (;;) {
      if (Atomics.load(counts, broken) !== 0)
        throw new Error('another part of the simulation has failed');
      const come = Atomics.load(counts, part);
      if (come >= times) return;
      if (Atomics.wait(counts, part, come, PATIENCE_MS) === 'timed-out')
        throw new Error('another part of the simulation does not answer');
    }
  }

  return {
    /** Hands `mine` to all others; what they hand over, in the order of their numbers. `bytes`: what is given away with it. */
    exchange(mine: T, bytes: readonly ArrayBuffer[] = []): { from: number; given: T }[] {
      times += 1;
      // With several others none may be given the memory away.
      const transferred = ports.length === 1 ? [...bytes] : [];
      for (const { port } of ports) port.postMessage(mine, transferred);
      Atomics.add(counts, index, 1);
      Atomics.notify(counts, index);
      return ports.map(({ to, port }) => {
        waitFor(to);
        // The types of Node leave open what comes; it is what another part has handed over with this very call.
        const given: T = receiveMessageOnPort(port)?.message;
        return { from: to, given };
      });
    },
  };
}

/** Lets none of the parts wait for one that cannot go on. */
export function breakMeeting(memory: SharedArrayBuffer): void {
  const counts = new Int32Array(memory);
  Atomics.store(counts, counts.length - 1, 1);
  for (let part = 0; part < counts.length; part++) Atomics.notify(counts, part);
}

/**
 * The same as soon as this thread ends otherwise than it should, as by an error that nothing has caught: the first part hears
 * of that only when it waits no more, and nothing can interrupt it.
 */
export function breakWithThread(
  memory: SharedArrayBuffer,
  thread: { once(what: 'exit', listener: (code: number) => void): unknown },
): void {
  thread.once('exit', (code) => {
    if (code !== 0) breakMeeting(memory);
  });
}
