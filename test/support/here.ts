/** A program in the process of the tests: where it need not be killed or paused, a process of its own is dear. */
import { PassThrough } from 'node:stream';
import {
  type Child,
  type ChildOptions,
  createLines,
  type Ending,
} from '../../src/devnet/base/child.ts';
import { callHere } from './program.ts';

/** `args`: as on the command line. It hears what a person would send it; to be killed it needs a process. */
export function startHere(options: Omit<ChildOptions, 'command' | 'graceMs'>): Child {
  const { name, args, env = {} } = options;
  const [out, err] = [new PassThrough(), new PassThrough()];
  const lines = createLines(options, [out, err]);
  const called = callHere(args, { environment: env, out, err });
  let [wanted, isOver] = [false, false];
  const ended = called.ended.then((code): Ending => {
    isOver = true;
    const text = `ended with code ${code}`;
    lines.end(`${name} ${text}`);
    return { wanted, code, text };
  });
  return {
    name,
    pid: process.pid,
    ended,
    line: lines.find,
    isRunning: () => !isOver,
    async stop() {
      wanted = true;
      if (!isOver) called.signal('SIGTERM');
      await ended;
    },
    async kill() {
      throw new Error(`${name} cannot be killed: it runs in the process of the tests`);
    },
    signal: called.signal,
  };
}
