/** Something that happens once, and that others wait for. */
export function milestone() {
  let isReached = false;
  let resolveAll = () => {};
  const promise = new Promise<void>((resolve) => {
    resolveAll = resolve;
  });
  return {
    promise,
    isReached: (): boolean => isReached,
    /** May be called again. */
    reach(): void {
      isReached = true;
      resolveAll();
    },
  };
}
