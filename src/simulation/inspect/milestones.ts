/** The moments of a run that somebody may want to go back to: where the last event happened, the last block. */

/** Steps before a moment in which something changed, and before the one before it. */
type Edge = { value: number | null; begin: number | null; before: number | null };
export type Back = {
  /** Steps to go back to, by an event and by a block; null: there is nothing before. */
  before: number | null;
  blockBefore: number | null;
};
type Passed = { steps: number; block: number; events: number };

export function createMilestones() {
  let now = 0;
  const events: Edge = { value: null, begin: null, before: null };
  const blocks: Edge = { value: null, begin: null, before: null };

  return {
    pass({ steps, block, events: count }: Passed) {
      now = steps;
      note(events, count, steps);
      note(blocks, block, steps);
    },
    back: (): Back => ({ before: behind(events, now), blockBefore: behind(blocks, now) }),
    /** From the end of the run, where the moment that was passed last lies behind. */
    backFromEnd: (): Back => ({ before: events.begin, blockBefore: blocks.begin }),
  };
}

function note(edge: Edge, value: number, steps: number) {
  if (edge.value === value) return;
  edge.value = value;
  edge.before = edge.begin;
  edge.begin = steps;
}

function behind({ begin, before }: Edge, steps: number): number | null {
  return begin === steps ? before : begin;
}
