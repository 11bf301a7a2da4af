/** Keeps the events of a part of a run, for reading. */
import type { RunEvent } from '../run/build.ts';

export type Window = {
  /** The first and the last step of the part; null: from the beginning, to the end. */
  fromStep: number | null;
  untilStep: number | null;
  /** The most events that are kept, the newest. */
  most: number;
};

export function createEventWindow({ fromStep, untilStep, most }: Window) {
  const ring: string[] = [];
  let noted = 0;

  return {
    note({ step, virtualMs, who, what }: RunEvent) {
      if (fromStep !== null && step < fromStep) return;
      if (untilStep !== null && step > untilStep) return;
      ring[noted % most] = `${step} ${virtualMs} ${who} ${what}`;
      noted += 1;
    },
    /** Whether the part ends at or before this step, so that the run may be stopped. */
    isOver: (steps: number) => untilStep !== null && steps >= untilStep,
    /** The events, oldest first: step, milliseconds since the run began, who, what. */
    lines(): readonly string[] {
      const first = noted % most;
      return noted < most ? ring : [...ring.slice(first), ...ring.slice(0, first)];
    },
  };
}
