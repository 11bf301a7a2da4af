/**
 * Work in slices of a few milliseconds, with pauses that keep it to a share of one processor: what watches
 * a node never takes its time away from it. Work that was not done for a while may be made up for at once.
 */
export type Pace = {
  /** The work has become possible; it is called until it says that there is nothing more to do. */
  wake(): void;
  end(): void;
};

const SLICE_MS = 4;
/** Work that may be made up for. */
const CREDIT_MS = 250;

type Options = {
  /** One slice; whether there is more to do. */
  work(isOver: () => boolean): boolean;
  /** Of the time, what the work may take in the long run. */
  share: number;
};

export function createPace({ work, share }: Options): Pace {
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
