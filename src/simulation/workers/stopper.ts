/** Tells the threads of a simulation to stop, also those that are too busy to take messages. */

export type Stopper = {
  stop(): void;
  isStopped(): boolean;
  /** Shared with other threads: a stopper that is created with it there is the same one. */
  memory: SharedArrayBuffer;
};

export function createStopper(memory = new SharedArrayBuffer(4)): Stopper {
  const flag = new Int32Array(memory);
  return {
    memory,
    stop: () => void Atomics.store(flag, 0, 1),
    isStopped: () => Atomics.load(flag, 0) === 1,
  };
}
