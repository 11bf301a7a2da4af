/** The processes of a live run, controlled by faults and steps: one action at a time for each process. */
import type { LiveNode, LiveProcess } from './network.ts';

export type Processes = ReturnType<typeof createProcesses>;
type State = 'up' | 'down' | 'paused';

/** `onTrouble` gets each action of a process that failed. */
export function createProcesses(nodes: readonly LiveNode[], onTrouble: (text: string) => void) {
  const states: State[] = nodes.map(() => 'up');
  const kills = nodes.map(() => 0);
  /** The last action of each process. */
  const queues: Promise<void>[] = nodes.map(() => Promise.resolve());

  function move(index: number, to: State, how: (process: LiveProcess) => Promise<void> | void) {
    const node = nodes[index];
    if (node === undefined) return;
    states[index] = to;
    const before = queues[index] ?? Promise.resolve();
    queues[index] = before
      .then(() => how(node.process))
      .catch((error) => onTrouble(`${node.name}: ${String(error)}`));
  }

  return {
    isUp: (index: number) => states[index] === 'up',
    kills: (index: number) => kills[index] ?? 0,
    /** Kills the process. False: it does not run. */
    kill(index: number): boolean {
      if (states[index] === 'down') return false;
      kills[index] = (kills[index] ?? 0) + 1;
      move(index, 'down', (process) => process.kill());
      return true;
    },
    stop(index: number) {
      if (states[index] === 'up') move(index, 'down', (process) => process.stop());
    },
    start(index: number) {
      if (states[index] === 'down') move(index, 'up', (process) => process.start());
    },
    pause(index: number) {
      if (states[index] === 'up') move(index, 'paused', (process) => process.pause());
    },
    resume(index: number) {
      if (states[index] === 'paused') move(index, 'up', (process) => process.resume());
    },
    /** Resolves when all actions up to now are done. */
    settled: async (): Promise<void> => void (await Promise.all(queues)),
  };
}
