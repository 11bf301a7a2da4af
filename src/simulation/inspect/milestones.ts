/** The moments of a run that the reader may go back to: the last event, and the last block. */

/** `begin`: steps before the last moment at which the value changed; `before`: steps before the change before that. */
type Edge = { value: number | null; begin: number | null; before: number | null };
export type Back = {
  /** The step to go back to, by one event and by one block; null: there is no earlier one. */
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
    /** Where to go back to from the end of the run, which lies after the last moment that was passed. */
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
