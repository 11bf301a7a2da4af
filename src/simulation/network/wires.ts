/** What the parts of the simulated network have in common. */
import type { Scheduler } from '../world/scheduler.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
import type { FaultBook } from './faults.ts';

export type Wires = {
  endpoints: Endpoints;
  faults: FaultBook;
  scheduler: Scheduler;
  /** Milliseconds until something that this process sends arrives, drawn anew each time. */
  latency(from: Endpoint): number;
};
