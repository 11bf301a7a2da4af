/** The time of a simulation: read again and again, and controlled by commands. */
import { type Signal, signal } from '@preact/signals';
import { isAnswer } from '../../inspector/answers.ts';
import type { TimeCommand, TimeView } from '../../inspector/devnet-wire.ts';

export type TimeWatch = {
  /** Null: the simulation has not answered yet. */
  view: Signal<TimeView | null>;
  /** What went wrong, as text for the reader; null: nothing. */
  problem: Signal<string | null>;
  command(command: TimeCommand): Promise<void>;
};

const LOOK_MS = 500;

/** `base`: with a slash at its end. */
export function watchTime(base: string): TimeWatch {
  const view = signal<TimeView | null>(null);
  const problem = signal<string | null>(null);
  /** Counters by which an answer that arrives after a newer one is ignored. */
  let asked = 0;
  let answered = 0;

  async function ask(init: RequestInit): Promise<void> {
    asked += 1;
    const mine = asked;
    try {
      const response = await fetch(`${base}time`, init);
      const body: unknown = await response.json();
      if (!isAnswer('time', body)) throw new Error('The simulation answered something else.');
      if (mine < answered) return;
      answered = mine;
      view.value = body;
      problem.value = null;
    } catch {
      problem.value = 'The simulation does not answer: has it ended?';
    }
  }

  const look = () => ask({});
  void look();
  setInterval(() => void look(), LOOK_MS);
  return {
    view,
    problem,
    command: (command) =>
      ask({
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(command),
      }),
  };
}
