/** A shell that runs commands one after the other, so that later ones use the variables of earlier ones. */
import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'vitest';
import { until } from './until.ts';

const LONGEST_MS = 45_000;

export type Shell = {
  /** The output of the commands; fails when the last one does, or when one of them complains. */
  run(commands: string, longestMs?: number): Promise<string>;
  end(): void;
};
export type ShellOptions = {
  /** What is put before `bash`, such as a program that gives it surroundings of its own. */
  before?: readonly string[];
  environment?: Record<string, string | undefined>;
};

export function openShell({ before = [], environment = process.env }: ShellOptions = {}): Shell {
  const [command = 'bash', ...args] = [...before, 'bash', '--norc'];
  const child: ChildProcess = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment,
  });
  let written = '';
  let complaints = '';
  child.stdout?.on('data', (chunk) => {
    written += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  let count = 0;
  let isStuck = false;
  return {
    async run(commands, longestMs = LONGEST_MS) {
      if (isStuck) throw new Error('an earlier command has not ended');
      isStuck = true;
      count += 1;
      written = '';
      complaints = '';
      const end = new RegExp(`\n<end ${count} (\\d+)>\n$`);
      child.stdin?.write(`${commands}\nprintf '\\n<end ${count} %s>\\n' $?\n`);
      await until(() => end.test(written), `the end of: ${commands}`, longestMs);
      isStuck = false;
      const [mark, code] = end.exec(written) ?? [''];
      expect({ code, complaints, output: written }).toMatchObject({ code: '0', complaints: '' });
      return written.slice(0, -mark.length);
    },
    end: () => void child.kill('SIGKILL'),
  };
}
