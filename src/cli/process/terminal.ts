/** How a command prints text, asks questions, and is told to end. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { session } from './session.ts';
import { voiceOf } from './voice.ts';

/** Prints for people, on standard error: standard output is for what other programs read. */
export function say(text: string): void {
  session().err.write(`${text}\n`);
}

/** Prints the result of a command, on standard output. */
export function print(text: string): void {
  session().out.write(`${text}\n`);
}

/**
 * Prints a line of a program that goes on, on standard output, where scripts wait for it. The program goes on without whoever
 * reads it.
 */
export function announce(text: string): void {
  const { out } = session();
  const line = `${text}\n`;
  if (out === process.stdout) voiceOf(1)(Buffer.from(line));
  else out.write(line);
}

/** Prints what is wrong and what to do; answers the exit code of a refused command. */
export function refuse(message: string): number {
  say(`sluice: ${message}`);
  return 1;
}

/** Ends the process when a result cannot be printed: in order, if its reader has read enough, as `head` does. */
export function endUnprinted(error: Error): never {
  if ('code' in error && error.code === 'EPIPE') process.exit(0);
  process.exit(refuse(`the result cannot be printed: ${error.message}`));
}

export function isTerminal(): boolean {
  return process.stdin.isTTY === true && session().err.isTTY === true;
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

/** npm forwards a Ctrl-C that the terminal has delivered already: a signal within this time is not a second one. */
const SAME_SIGNAL_MS = 1_000;

/** The exit code of a process that a signal has ended. */
export const INTERRUPTED = 130;

/**
 * Calls `stop` at the first SIGINT, SIGTERM or SIGHUP, and `force` at one that comes a second or more later. With
 * `renew`, a SIGHUP calls that instead, as with daemons, unless there is a terminal: its SIGHUP means that it was
 * closed, and nobody could stop the process.
 */
export function onStopSignal(handlers: Handlers): void {
  let first: number | null = null;
  const hear = () => {
    if (first === null) {
      first = performance.now();
      handlers.stop();
    } else if (performance.now() - first >= SAME_SIGNAL_MS) handlers.force();
  };
  const { signals } = session();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) signals.on(signal, hear);
  const { renew } = handlers;
  signals.on('SIGHUP', renew === undefined || isTerminal() ? hear : renew);
}

/** A promise and the function that resolves it; later calls have no effect. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let settle: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}
