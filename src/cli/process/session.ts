/** What a call of the program works with: its environment, where it writes, and who tells it to end. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Writable } from 'node:stream';
import { voiceOf } from './voice.ts';

type Output = Writable & { isTTY?: boolean; columns?: number };
export type Session = {
  environment: Record<string, string | undefined>;
  out: Output;
  err: Output;
  signals: { on(signal: NodeJS.Signals, hear: () => void): unknown };
};

let err: Output | null = null;

/** That of this process; its streams are opened when they are needed. */
const own: Session = {
  environment: process.env,
  signals: process,
  get out() {
    return process.stdout;
  },
  get err() {
    err ??= toPeople();
    return err;
  },
};

/** Standard error, on which nothing fails or waits. */
function toPeople(): Output {
  const voice = voiceOf(2);
  const { isTTY, columns } = process.stderr;
  const stream = new Writable({
    write(chunk, _, done) {
      voice(chunk);
      done();
    },
  });
  return Object.assign(stream, { isTTY, columns });
}

const given = new AsyncLocalStorage<Session>();

/** The session of the call in which this is asked. */
export function session(): Session {
  return given.getStore() ?? own;
}

/** Does `work` with a session other than that of this process, so that several calls in it do not meet. */
export function withSession<T>(chosen: Session, work: () => T): T {
  return given.run(chosen, work);
}
