/** The processes of a live run, as faults and steps move them: one thing at a time for each. */
import type { LiveNode, LiveProcess } from './network.ts';

export type Processes = ReturnType<typeof createProcesses>;
type State = 'up' | 'down' | 'paused';

/** `onTrouble`: something that was asked of a process did not come about. */
export function createProcesses(nodes: readonly LiveNode[], onTrouble: (text: string) => void) {
  const states: State[] = nodes.map(() => 'up');
  const kills = nodes.map(() => 0);
  /** What was asked of each process last. */
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
    /** False: it does not run. */
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
    /** When all that was asked up to now has come about. */
    settled: async (): Promise<void> => void (await Promise.all(queues)),
  };
}
