/** Keeps a chain moving while something waits for confirmations: one block after the other, with a pause between. */
export async function whileMining<T>(
  mineOne: () => Promise<unknown>,
  pauseMs: number,
  work: Promise<T>,
): Promise<T> {
  let mined: Promise<unknown> | null = null;
  // One at a time: on a busy machine they would pile up, and go on when the work is done.
  const timer = setInterval(() => {
    mined ??= mineOne()
      .catch(() => {})
      .finally(() => {
        mined = null;
      });
  }, pauseMs);
  return work.finally(async () => {
    clearInterval(timer);
    await mined;
  });
}
