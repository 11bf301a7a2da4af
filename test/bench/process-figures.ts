/** What a process has used, from its own counters and from the system's table of processes. */
import { readFileSync } from 'node:fs';

const TICK_MS = 10;

/** Milliseconds of CPU time that this process has used: what others do on the machine says nothing. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** Milliseconds of CPU time that another process has used, in steps of 10. */
export function cpuMsOf(pid: number): number {
  return cpuMsIn(`/proc/${pid}/stat`);
}

/** The same of the thread alone that the process began with, which runs its JavaScript. */
export function mainThreadCpuMsOf(pid: number): number {
  return cpuMsIn(`/proc/${pid}/task/${pid}/stat`);
}

/** How often its main thread has gone to sleep because it had nothing to do. */
export function sleepsOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
}

function cpuMsIn(file: string): number {
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** KiB of memory that the process has in use (resident). */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Bytes that the process has had written to disks, as the system counts: each page of a file when it is changed. */
export function writtenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}
