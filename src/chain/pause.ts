/** A wait that can be cut short. */
export type Pause = {
  /** Ends after `ms`, or at once when `wake` was called since the last wait. */
  wait(ms: number): Promise<void>;
  wake(): void;
};

export function createPause(): Pause {
  let isWoken = false;
  let end: (() => void) | null = null;
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => end?.(), ms);
        end = () => {
          clearTimeout(timer);
          isWoken = false;
          end = null;
          resolve();
        };
        if (isWoken) end();
      }),
    wake() {
      isWoken = true;
      end?.();
    },
  };
}

/** `pauseMs` doubled with each failure in a row, at most `longestMs`. */
export function growing(pauseMs: number, failures: number, longestMs: number): number {
  return Math.max(pauseMs, Math.min(longestMs, pauseMs * 2 ** Math.min(failures, 20)));
}
