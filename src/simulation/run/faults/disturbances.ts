/**
 * Records what has kept nodes from their work, and until when: a node that could not act is not blamed for what it
 * missed.
 */

type Disturbance = { index: number | null; untilBlock: bigint | null };

/** Faults that do not keep a node from its work on chain: most affect messages only. */
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

export type Disturbances = ReturnType<typeof createDisturbances>;

export function createDisturbances(head: () => bigint) {
  const known: Disturbance[] = [];
  /** How many of all kinds there are now, and the block in which the last one ended. */
  let present = 0;
  let endedBlock = 0n;

  /** Begins a disturbance; `index` null: of all nodes. The returned function ends it. */
  function begin(name: string, index: number | null): () => void {
    const one: Disturbance = { index, untilBlock: null };
    if (!BESIDE_CHAIN.has(name)) known.push(one);
    present += 1;
    return () => {
      one.untilBlock = head();
      endedBlock = head();
      present -= 1;
    };
  }

  return {
    begin,
    /** A disturbance at this moment only. */
    strike: (index: number) => begin('', index)(),
    /** The last block in which there was one of any kind. */
    latestBlock: (): bigint => (present > 0 ? head() : endedBlock),
    /** Whether this node was kept from its work at any time since the block. */
    since: (index: number, block: bigint): boolean =>
      known.some(
        (one) =>
          (one.index === null || one.index === index) &&
          (one.untilBlock === null || one.untilBlock >= block),
      ),
  };
}
