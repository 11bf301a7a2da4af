/** Calls the listeners of a growing table when it has grown. */

/** `announce`: to be called when a batch was committed and performed. */
export type News = {
  /** Calls `listener` after each commit that added rows, until the returned function is called. */
  onNew(listener: () => void): () => void;
  announce(): void;
};

/** `onFailure` is called when a listener threw: its failure must not harm the others. */
export function createNews(
  bounds: () => { newest: number },
  onFailure: (error: unknown) => void,
): News {
  const listeners = new Set<() => void>();
  let announced = bounds().newest;

  function call(listener: () => void) {
    try {
      listener();
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    onNew(listener) {
      // Wrapped, so that the same function can listen twice and stop only once.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    announce() {
      const { newest } = bounds();
      if (newest === announced) return;
      announced = newest;
      for (const listener of [...listeners]) call(listener);
    },
  };
}
