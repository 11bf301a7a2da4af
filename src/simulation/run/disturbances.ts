/** What has kept machines from their work, and until when: whoever could not act is not blamed for what it missed. */

type Disturbance = { index: number | null; untilBlock: bigint | null };

/** They keep nobody from what has to be done on chain: most come in the way of messages only. */
const BESIDE_CHAIN = new Set([
  'loss',
  'repeats',
  'delay',
  'reorder',
  'deaf',
  'partition',
  'broker_down',
  'hostile_broker',
  'second_process',
  'failing_listener',
]);

export function createDisturbances(head: () => bigint) {
  const known: Disturbance[] = [];

  /** `index` null: for all. The answer ends it. */
  function begin(name: string, index: number | null): () => void {
    const one: Disturbance = { index, untilBlock: null };
    if (!BESIDE_CHAIN.has(name)) known.push(one);
    return () => {
      one.untilBlock = head();
    };
  }

  return {
    begin,
    /** At this moment only. */
    strike: (index: number) => begin('', index)(),
    /** Whether this machine was kept from its work since the block. */
    since: (index: number, block: bigint): boolean =>
      known.some(
        (one) =>
          (one.index === null || one.index === index) &&
          (one.untilBlock === null || one.untilBlock >= block),
      ),
  };
}
