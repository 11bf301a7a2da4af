/** Whether a standby could take the place of this node: asked over the broker, from time to time. */
import type { ControlAnswer } from '../../replica/control.ts';

type Options = {
  /** Asks whoever is at the stream, until an answer is enough. Rejects when the broker cannot be reached. */
  ask(isEnough: (answer: ControlAnswer) => boolean): Promise<readonly ControlAnswer[]>;
  /** The newest record that the stream has acknowledged. */
  acknowledged(): number;
  /** Milliseconds since 1970. */
  now(): number;
};
export type StandbyWatch = ReturnType<typeof createStandbyWatch>;

/** A standby that begins anew, or whose answer was late, is there at the next question. */
const MISSES = 2;
/** For so long an answer stands while nobody can be asked. */
const STANDS_MS = 600_000;

export function createStandbyWatch({ ask, acknowledged, now }: Options) {
  let heardAt: number | null = null;
  let misses = 0;
  let answeredAt = 0;
  /** What a standby that keeps up has by the next question. */
  let due = 0;

  return {
    /** Asks now. Never rejects. */
    async look(): Promise<void> {
      const follows = ({ role, sequence }: ControlAnswer) => role === 'standby' && sequence >= due;
      const answers = await ask(follows).catch(() => null);
      if (answers === null) return;
      answeredAt = now();
      if (answers.some(follows)) {
        heardAt = now();
        misses = 0;
      } else misses += 1;
      due = acknowledged();
    },
    /**
     * Since when none follows, in milliseconds since 1970; null: one does; undefined: none has since the start, and perhaps
     * none should, or nobody could be asked for long.
     */
    missingSince(): number | null | undefined {
      if (heardAt === null) return undefined;
      if (misses >= MISSES) return heardAt;
      return now() - answeredAt > STANDS_MS ? undefined : null;
    },
  };
}
