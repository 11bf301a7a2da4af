/** What a run takes on the machine that runs it. Nothing in the simulated world may ask this. */

/** Milliseconds since some moment of this thread; virtual time does not move it. */
export function realNow(): number {
  return performance.now();
}
