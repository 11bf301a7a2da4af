/** Calls those who follow a table that grows, when it has grown. */

/** `announce`: call it when a batch was committed and performed. */
export type News = {
  /** Calls `listener` after each commit that added rows, until the answer is called. */
  onNew(listener: () => void): () => void;
  announce(): void;
};

/** `onFailure`: a listener threw; what is wrong with it must not harm anybody else. */
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
      // The same function may listen twice, and stop once.
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
