import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { call } from '../../src/cli/call.ts';
import { type Session, withSession } from '../../src/cli/process/session.ts';
import { until } from './until.ts';

/** The built program: `npm run build` first. */
export const MAIN = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

export type Program = {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** The exit code, or the signal's name, as soon as the process is gone. */
  ended: Promise<number | string>;
  /** The first match in standard output; fails when the program ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
};

/** Of the environment of the tests the program gets what is named here. */
function environmentWith(more: Record<string, string>): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: '/nonexistent', ...more };
}

const running = new Set<ChildProcess>();

/** Starts `sluice` in a process of its own. */
export function startProgram(
  args: readonly string[],
  environment: Record<string, string> = {},
): Program {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentWith(environment),
  });
  running.add(child);
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    written.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    written.stderr += chunk;
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal ?? 'unknown');
    });
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the program has no process id');
  return programOf({ pid, written, ended, signal: (name) => void child.kill(name) });
}

type Parts = Pick<Program, 'pid' | 'ended' | 'signal'> & {
  written: { stdout: string; stderr: string };
};

function programOf({ pid, written, ended, signal }: Parts): Program {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  return {
    pid,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    ended,
    async says(pattern) {
      await until(() => isOver || pattern.test(written.stdout), `output like ${pattern}`, 60_000);
      const match = pattern.exec(written.stdout);
      if (match === null) throw new Error(`the program ended: ${written.stderr}`);
      return match;
    },
    signal,
  };
}

/** Runs `sluice` to its end. */
export const runProgram = (args: readonly string[], environment?: Record<string, string>) =>
  endOf(startProgram(args, environment));

async function endOf(program: Program) {
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** Calls `sluice` in this process. `signal`: as if a person sent it; it cannot be killed or paused. */
export function callHere(
  args: readonly string[],
  { environment, out, err }: Pick<Session, 'environment' | 'out' | 'err'>,
) {
  const signals = new EventEmitter();
  return {
    ended: withSession({ environment, out, err, signals }, () => call(args, MAIN)),
    signal(name: NodeJS.Signals) {
      if (!signals.emit(name)) throw new Error(`nothing in this process hears ${name}`);
    },
  };
}

/** As `startProgram`, in this process: where only the output, the code and the files matter. */
export function beginProgram(
  args: readonly string[],
  environment: Record<string, string> = {},
): Program {
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += chunk;
        done();
      },
    });
  const { ended, signal } = callHere(args, {
    environment: environmentWith(environment),
    out: into('stdout'),
    err: into('stderr'),
  });
  return programOf({ pid: process.pid, written, ended, signal });
}

/** As `runProgram`, in this process. */
export const callProgram = (args: readonly string[], environment?: Record<string, string>) =>
  endOf(beginProgram(args, environment));

/** Ends what tests have left running. */
export async function endPrograms(): Promise<void> {
  const left = [...running];
  for (const child of left) child.kill('SIGKILL');
  await until(() => left.every((child) => !running.has(child)), 'programs have ended');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
