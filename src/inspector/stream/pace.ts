/**
 * Does work in slices of a few milliseconds, with pauses that keep it to a share of one processor, so that watching a
 * node never takes the node's time. After a quiet time, some work may be done without pauses.
 */
export type WorkPace = {
  /** Tells that there is work: it is called again and again until it says that nothing is left. */
  wake(): void;
  end(): void;
};

const SLICE_MS = 4;
/** Milliseconds of work that may be done without pauses after a quiet time. */
const CREDIT_MS = 250;

type Options = {
  /** Does one slice of work; answers whether there is more. */
  work(isOver: () => boolean): boolean;
  /** The share of the time that the work may take in the long run. */
  share: number;
};

export function createWorkPace({ work, share }: Options): WorkPace {
  let credit = CREDIT_MS;
  let countedAt = performance.now();
  let stopWaiting: (() => void) | null = null;
  let isEnded = false;

  function slice(): void {
    stopWaiting = null;
    const begin = performance.now();
    const hasMore = work(() => performance.now() - begin >= SLICE_MS);
    const end = performance.now();
    credit = Math.min(CREDIT_MS, credit + (end - countedAt) * share) - (end - begin);
    countedAt = end;
    if (hasMore) wait();
  }

  function wait(): void {
    if (isEnded || stopWaiting !== null) return;
    if (credit > 0) {
      const immediate = setImmediate(slice);
      stopWaiting = () => clearImmediate(immediate);
      return;
    }
    const timer = setTimeout(slice, Math.ceil((SLICE_MS - credit) / share));
    timer.unref();
    stopWaiting = () => clearTimeout(timer);
  }

  return {
    wake: wait,
    end() {
      isEnded = true;
      stopWaiting?.();
    },
  };
}
