/** Lets everything else have its turn while something is done for many, whose number others choose. */

/** Resolves when the rest of the process has had its turn. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** The function to be awaited for each item: it breathes after every `items` of them. */
export function createBreather(items = 200): () => Promise<void> {
  let count = 0;
  return async () => {
    count += 1;
    if (count % items === 0) await breathe();
  };
}
