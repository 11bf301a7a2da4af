/** Runs programs as child processes, each with its own process id, which end together with this process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export type ChildOptions = {
  /** For people, e.g. "the chain (anvil)". */
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Milliseconds between SIGTERM and SIGKILL when it is stopped. */
  graceMs?: number;
  /** Called with every line that it writes to stdout or stderr. */
  onLine?: (line: string) => void;
};

/** `wanted`: whether this process stopped or killed it. */
export type Ending = { wanted: boolean; code: number | null; text: string };
export type Child = {
  name: string;
  pid: number;
  /** Resolves when the process has ended, for whatever reason; never rejects. */
  ended: Promise<Ending>;
  /** The first matching line, among the latest ones or those to come; rejects when the process ends before. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  isRunning(): boolean;
  /** Ends the process; resolves when it has ended. */
  stop(): Promise<void>;
  /** Kills the process with SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
};

const GRACE_MS = 5_000;
const KEPT_LINES = 40;

const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/**
 * On Linux the kernel ends a child when its parent has ended, even by SIGKILL; `setpriv` requests that and then becomes
 * the program, so that the process id stays the same. Elsewhere the program is started directly.
 */
let canBind: boolean | null = null;
function boundToParent(command: string, args: readonly string[]): [string, readonly string[]] {
  canBind ??=
    process.platform === 'linux' &&
    spawnSync('setpriv', ['--pdeathsig', 'KILL', '--', 'true'], { stdio: 'ignore' }).status === 0;
  return canBind ? ['setpriv', ['--pdeathsig', 'KILL', '--', command, ...args]] : [command, args];
}

/** Starts the program in a process group of its own, so that a Ctrl-C in the terminal reaches this process only. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const [command, args] = boundToParent(options.command, options.args);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  living.add(child);
  let wanted = false;
  const lines = createLines(options, [child.stdout, child.stderr]);
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => resolve({ wanted, code: null, text: error.message }));
    // By the event `close` its last lines have been read, too.
    child.once('close', (code, signal) => {
      const text = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
      resolve({ wanted, code, text });
    });
  }).then((ending) => {
    living.delete(child);
    lines.end(`${options.name} ${ending.text}`);
    return ending;
  });
  const { pid } = child;
  if (pid === undefined)
    throw new Error(`${options.name} cannot be started: ${(await ended).text}`);

  async function stop(): Promise<void> {
    wanted = true;
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), options.graceMs ?? GRACE_MS);
    await ended;
    clearTimeout(force);
  }

  async function kill(): Promise<void> {
    wanted = true;
    child.kill('SIGKILL');
    await ended;
  }
  const signal: Child['signal'] = (name) => void child.kill(name);
  const isRunning = () => living.has(child);
  return { name: options.name, pid, ended, isRunning, line: lines.find, stop, kill, signal };
}

type Seeker = { pattern: RegExp; found(match: RegExpExecArray): void; missed(error: Error): void };

/** Keeps the last lines of the streams, and the callers that wait for a line. */
export function createLines(
  { onLine }: Pick<ChildOptions, 'onLine'>,
  streams: readonly Readable[],
) {
  const kept: string[] = [];
  const seekers = new Set<Seeker>();
  let over: string | null = null;

  function take(line: string): void {
    kept.push(line);
    if (kept.length > KEPT_LINES) kept.shift();
    onLine?.(line);
    for (const seeker of seekers) {
      const match = seeker.pattern.exec(line);
      if (match === null) continue;
      seekers.delete(seeker);
      seeker.found(match);
    }
  }
  for (const input of streams) createInterface({ input }).on('line', take);
  const missed = (text: string) => new Error([text, ...kept.slice(-10)].join('\n  '));

  return {
    find: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const known = kept.map((line) => pattern.exec(line)).find((match) => match !== null);
        if (known !== undefined && known !== null) return resolve(known);
        if (over !== null) return reject(missed(over));
        seekers.add({ pattern, found: resolve, missed: reject });
      }),
    end(text: string) {
      over = text;
      for (const seeker of seekers) seeker.missed(missed(text));
      seekers.clear();
    },
  };
}
