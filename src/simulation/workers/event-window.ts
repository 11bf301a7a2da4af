/** The events of a run that somebody wants to read. */
import type { RunEvent } from '../run/build.ts';

export type Window = {
  /** The first and the last step of it; null: from the beginning, to the end. */
  fromStep: number | null;
  untilStep: number | null;
  /** At most so many are kept, the newest. */
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
    /** Nothing more is wanted of a run that has come to this step. */
    isOver: (steps: number) => untilStep !== null && steps >= untilStep,
    /** Oldest first: step, milliseconds since the run began, who, what. */
    lines(): readonly string[] {
      const first = noted % most;
      return noted < most ? ring : [...ring.slice(first), ...ring.slice(0, first)];
    },
  };
}
