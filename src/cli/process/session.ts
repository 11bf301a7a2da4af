/** What a call of the program works with: its environment, where it writes, and who tells it to end. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Writable } from 'node:stream';

type Output = Writable & { isTTY?: boolean; columns?: number };
export type Session = {
  environment: Record<string, string | undefined>;
  out: Output;
  err: Output;
  signals: { on(signal: NodeJS.Signals, hear: () => void): unknown };
};

/** That of this process; its streams are opened when they are needed. */
const own: Session = {
  environment: process.env,
  signals: process,
  get out() {
    return process.stdout;
  },
  get err() {
    return process.stderr;
  },
};

const given = new AsyncLocalStorage<Session>();

/** The session of the call in which this is asked. */
export function session(): Session {
  return given.getStore() ?? own;
}

/** Does `work` with a session other than that of this process, so that several calls in it do not meet. */
export function withSession<T>(chosen: Session, work: () => T): T {
  return given.run(chosen, work);
}
