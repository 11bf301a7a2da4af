/** What a command says, and how it hears that it should end. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** For people, on standard error: standard output is for what other programs read. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The result of a command. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Says what is wrong and what to do; the exit code of a command that was refused. */
export function refuse(message: string): number {
  say(`sluice: ${message}`);
  return 1;
}

export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on the terminal without showing what is typed; null when the person gave up. */
export function askHidden(question: string): Promise<string | null> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(question);
  return new Promise((resolve) => {
    const finish = (answer: string | null) => {
      process.stderr.write('\n');
      resolve(answer);
      reader.close();
    };
    reader.once('line', finish);
    reader.once('close', () => resolve(null));
    reader.once('SIGINT', () => finish(null));
  });
}

type Handlers = { stop: () => void; force: () => void; renew?: () => void };

/** npm passes a Ctrl-C on that the terminal has delivered already: that is not a second one. */
const SAME_SIGNAL_MS = 1_000;

/** The exit code of whom a signal has ended. */
export const INTERRUPTED = 130;

/**
 * `stop` at the first SIGINT, SIGTERM or SIGHUP, `force` at one that comes a second or more later. `renew`: at a
 * SIGHUP instead, as daemons do, unless a terminal has sent it: that is closed, and nobody could stop the process.
 */
export function onStopSignal(handlers: Handlers): void {
  let first: number | null = null;
  const hear = () => {
    if (first === null) {
      first = performance.now();
      handlers.stop();
    } else if (performance.now() - first >= SAME_SIGNAL_MS) handlers.force();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, hear);
  const { renew } = handlers;
  process.on('SIGHUP', renew === undefined || isTerminal() ? hear : renew);
}

/** A promise and the means to resolve it; later resolutions count for nothing. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let settle: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}
