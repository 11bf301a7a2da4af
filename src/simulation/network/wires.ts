/** What the parts of the simulated network have in common. */
import type { Abroad } from '../parts/abroad.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
import type { FaultBook } from './faults.ts';
import type { createLines } from './lines.ts';

export type Wires = {
  endpoints: Endpoints;
  faults: FaultBook;
  scheduler: Scheduler;
  lines: ReturnType<typeof createLines>;
  /** Milliseconds until something that this process sends arrives, drawn anew each time. */
  latency(from: Endpoint): number;
  /** Nodes that run in other parts of the world; null: there are none. */
  abroad: Abroad | null;
};
