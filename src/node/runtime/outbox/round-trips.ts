/**
 * How long a recipient usually takes to answer, and so how long is waited before a message is repeated: as TCP computes it
 * (RFC 6298), out of measured answers. A pause that is too short makes a slow network slower.
 */

/** Milliseconds of a pause before the first answer was measured, and of the longest one. */
const FIRST_PAUSE_MS = 1_000;
export const LONGEST_PAUSE_MS = 30_000;
/**
 * So much longer than usual an answer may take at least: on a steady line the deviation comes near to nothing, and then
 * everything would be repeated because either machine stood still for a moment.
 */
const LEAST_SLACK_MS = 200;
/** Before an answer was measured, and on a line without any delay. */
const LEAST_TRIP_MS = 100;
/** On a line without any delay, the least that both nodes need to commit and to answer. */
const SOONEST_MS = 10;
/** How much the newest answer counts against those before it: in the mean, and in the mean deviation. */
const MEAN_PART = 8;
const DEVIATION_PART = 4;
/** The shortest answer is forgotten by so small a part with each further one. */
const LEAST_PART = 64;

export function createRoundTrip() {
  let mean: number | null = null;
  let deviation = 0;
  let least = 0;
  /** How often in a row a pause was over too soon, as far as it is known. */
  let tooSoon = 0;

  return {
    /** Notes an answer after so many milliseconds, to a message that was sent only once. */
    note(ms: number): void {
      tooSoon = 0;
      if (mean === null) {
        mean = ms;
        deviation = ms / 2;
        least = ms;
        return;
      }
      deviation += (Math.abs(mean - ms) - deviation) / DEVIATION_PART;
      mean += (ms - mean) / MEAN_PART;
      least = Math.min(ms, least + (mean - least) / LEAST_PART);
    },
    /** Notes that a pause was too short, or may have been, after so many repeats: the next begins as long. */
    noteRepeats(repeats: number): void {
      tooSoon = Math.max(tooSoon, repeats);
    },
    /** The recipient was away: how long it took then says nothing any more. */
    forgetRepeats(): void {
      tooSoon = 0;
    },
    repeats: (): number => tooSoon,
    /** Milliseconds until a message is repeated that waits after so many repeats, and `least` at least. */
    pause(repeats: number, least = 0): number {
      const pause = mean === null ? FIRST_PAUSE_MS : mean + Math.max(LEAST_SLACK_MS, 4 * deviation);
      return Math.max(least, Math.min(pause * 2 ** repeats, LONGEST_PAUSE_MS));
    },
    /** Milliseconds within which what was sent last cannot have been answered. */
    soonest: (): number => (mean === null ? LEAST_TRIP_MS : Math.max(SOONEST_MS, least)),
    /** Milliseconds before which no answer can be expected: what was sent later may still be under way. */
    least: (): number => Math.max(LEAST_TRIP_MS, least),
  };
}
