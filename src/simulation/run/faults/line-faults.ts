/** The faults of what goes to a node and comes from it. */
import type { Address } from '../../../basics/hex.ts';
import type { Faults as NetworkFaults } from '../../network/faults.ts';
import type { Fault } from '../../scenario/schema/trouble.ts';

type LineFault = Extract<Fault, { kind: 'loss' | 'repeats' | 'delay' | 'reorder' | 'deaf' }>;

/** Delay in ms that lets one more payload overtake: payloads are seldom closer to each other. */
const PLACE_MS = 50;
const REORDERED = { kind: 'reorder', probability: 0.5 } as const;

/** Begins the fault; the returned function ends it. */
export function disturbLines(
  network: NetworkFaults,
  name: string,
  fault: LineFault,
  node: Address,
) {
  const where = { node };
  switch (fault.kind) {
    case 'loss':
      return network.begin(name, { kind: 'lose', probability: fault.share, where });
    case 'repeats':
      return network.begin(name, { kind: 'duplicate', probability: fault.share, where });
    case 'delay': {
      const { leastMs, mostMs } = fault;
      return network.begin(name, { kind: 'delay', leastMs, mostMs, where });
    }
    case 'reorder':
      return network.begin(name, { ...REORDERED, windowMs: PLACE_MS * fault.window, where });
    case 'deaf':
      return network.begin(name, { kind: 'deaf', node });
  }
}
