/** Keeps a process to a part of one core: see `quota-process.ts`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./quota-process.js', import.meta.url));

export function startQuota(pid: number, part: number) {
  const child = spawn(process.execPath, [PROGRAM, String(pid), String(part)], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  return {
    async stop(): Promise<void> {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
