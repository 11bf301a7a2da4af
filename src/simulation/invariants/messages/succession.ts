/**
 * Of two machines with one key, that have a stream between them, the later owner stands: once nothing is in the way, the
 * earlier has heard of it, and says nothing any more.
 */
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'head' | 'undisturbedSince'> & {
  /** The machine of this node that speaks now, so many milliseconds after another took its place; null: its owner does. */
  lateSpeaker(who: string): { speaking: string; ms: number } | null;
};

/** An owner writes once a second, if only that it lives, and is refused then. */
const SLACK_MS = 10_000;
const SLACK_BLOCKS = 3n;

export function createSuccession({ head, undisturbedSince, lateSpeaker }: Needs): Oracle {
  return {
    sends(who, to) {
      const late = lateSpeaker(who);
      if (late === null || late.ms <= SLACK_MS) return;
      const since = undisturbedSince();
      if (since === null || head() - since <= SLACK_BLOCKS) return;
      const { speaking, ms } = late;
      const text = `${speaking} speaks to ${to}, ${ms} ms after another has taken its place`;
      throw new Violation(19, who, text);
    },
  };
}
