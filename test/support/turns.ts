/** Counts how often everything else has its turn while something long is done. */
export function turnsOfOthers() {
  let turns = -1;
  let isOver = false;
  function take() {
    turns += 1;
    if (!isOver) setImmediate(take);
  }
  take();
  return {
    end(): number {
      isOver = true;
      return turns;
    },
  };
}
