/**
 * Keeps a process to a part of one core by stopping it whenever it has used more. Arguments: process id, part. It ends
 * with its input, and lets the other go on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf } from './process-figures.ts';

const [pid = 0, part = 1] = process.argv.slice(2).map(Number);
const STEP_MS = 5;
/** What it has not used is kept for so long. */
const MOST_SAVED_MS = 25;

process.stdin.on('end', () => {
  process.kill(pid, 'SIGCONT');
  process.exit();
});
process.stdin.resume();

let saved = 0;
let isStopped = false;
for (let before = { time: performance.now(), cpu: cpuMsOf(pid) }; ; ) {
  await delay(STEP_MS);
  const now = { time: performance.now(), cpu: cpuMsOf(pid) };
  const gained = (now.time - before.time) * part - (now.cpu - before.cpu);
  saved = Math.min(saved + gained, MOST_SAVED_MS);
  before = now;
  if (saved < 0 === isStopped) continue;
  isStopped = saved < 0;
  process.kill(pid, isStopped ? 'SIGSTOP' : 'SIGCONT');
}
