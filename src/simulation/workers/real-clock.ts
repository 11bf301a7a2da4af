/** The real clock, to measure how long runs take. The simulated world must not use it. */

/** Milliseconds since some moment of this thread, independent of virtual time. */
export function realNow(): number {
  return performance.now();
}
