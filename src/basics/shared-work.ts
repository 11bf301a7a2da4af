/** Work that many ask for: it is done once at a time, however many ask. */

/** Who asks while the work is under way shares the next run with all others who do: it must not be older than its question. */
export function sharedWork<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let next: Promise<T> | null = null;

  async function run(): Promise<T> {
    try {
      return await work();
    } finally {
      running = null;
    }
  }

  function ask(): Promise<T> {
    if (running === null) {
      running = run();
      return running;
    }
    const again = () => {
      next = null;
      return ask();
    };
    next ??= running.then(again, again);
    return next;
  }
  return ask;
}
