/** What tests share and takes long: made for the first that asks, so that a file whose tests are skipped loads at once. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
