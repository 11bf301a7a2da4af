/**
 * What a process says of itself on its terminal, whatever becomes of that. A disk may be full, a reader may have gone or have
 * stopped reading: what cannot be written waits, up to a bound, what can never be written is counted, and how many lines are
 * missing is said as soon as there is room. Nothing here waits for a reader, and nothing fails.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Takes whole lines. They are written at once where that is possible, so that nothing is lost at the end of the process. */
export type Voice = (lines: Uint8Array) => void;

/** Bytes that wait for a reader which is slow or has stopped. */
const MOST_WAITING = 1_048_576;
const AGAIN_MS = 100;

/** What a full pipe answers: there will be room when its reader reads on. */
const WAIT = 'EAGAIN';

/** `lines`: that are missing if it is not written: it says of those before it that they are. */
type Waiting = { left: Uint8Array; lines: number };
type Output = {
  /** Writes some of the bytes, without waiting; answers how many. Throws what the system says. */
  write(bytes: Uint8Array): number;
  later(again: () => void): void;
};

const voices = new Map<number, Voice>();

/** The one of a file, a terminal, a pipe or a socket that this process was given. */
export function voiceOf(fd: 1 | 2): Voice {
  const known = voices.get(fd);
  if (known !== undefined) return known;
  const own = withoutWaiting(fd);
  const voice = createVoice({
    write: (bytes) => writeSync(own, bytes),
    later: (again) => void setTimeout(again, AGAIN_MS).unref(),
  });
  voices.set(fd, voice);
  return voice;
}

/**
 * The same place, opened anew where a reader that has stopped would stop its writer: whoever else has it open is not asked to
 * write in another way.
 */
function withoutWaiting(fd: number): number {
  if (!isatty(fd) && !fstatSync(fd).isFIFO()) return fd;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Not ours to open, or nobody reads it any more: then writing fails.
    return fd;
  }
}

export function createVoice({ write, later }: Output): Voice {
  const waiting: Waiting[] = [];
  let bytes = 0;
  /** Lines of which nobody was told yet that they are missing. */
  let missing = 0;
  let isPlanned = false;
  /** Whether the last line was only written in part. */
  let isBroken = false;

  /** Whether nothing of it waits any more: it is written, or it can never be. */
  function isOver(one: Waiting): boolean {
    try {
      while (one.left.length > 0) {
        const count = write(one.left);
        one.left = one.left.subarray(count);
        bytes -= count;
        isBroken = one.left.length > 0;
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === WAIT) return false;
      bytes -= one.left.length;
      missing += one.lines;
    }
    return true;
  }

  function flush() {
    isPlanned = false;
    for (let one = waiting[0]; one !== undefined && isOver(one); one = waiting[0]) waiting.shift();
    if (waiting.length === 0) return;
    isPlanned = true;
    later(flush);
  }

  /** What is said before the next line. */
  function complaint(): string {
    if (missing === 0) return '';
    const what = missing === 1 ? 'a line' : `${missing} lines`;
    return `${isBroken ? '\n' : ''}sluice: ${what} could not be written here\n`;
  }

  return (line) => {
    const left = Buffer.concat([Buffer.from(complaint()), line]);
    missing += 1;
    if (bytes + left.length > MOST_WAITING) return;
    bytes += left.length;
    waiting.push({ left, lines: missing });
    missing = 0;
    if (!isPlanned) flush();
  };
}
