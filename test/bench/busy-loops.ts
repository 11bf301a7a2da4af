/** Work that has nothing to do with the nodes and takes all the CPU time that it can get. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { cpuMsOf } from './process-figures.ts';

export type BusyLoops = ReturnType<typeof startBusyLoops>;

/** In the session of this process, as the nodes are: Linux shares the CPU time out among sessions first. */
export function startBusyLoops(perCore: number) {
  const loops = Array.from({ length: perCore * availableParallelism() }, () => {
    const loop = ['--pdeathsig', 'KILL', '--', 'sh', '-c', 'while :; do :; done'];
    return spawn('setpriv', loop, { stdio: 'ignore' });
  });
  return {
    /** Milliseconds of CPU time that one of them has got: the mean of all. */
    cpuMs: () =>
      loops.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : cpuMsOf(pid)), 0) /
      loops.length,
    async stop(): Promise<void> {
      const ended = loops.map((loop) => once(loop, 'exit'));
      for (const loop of loops) loop.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
}
