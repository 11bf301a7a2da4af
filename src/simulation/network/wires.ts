/** What the parts of the simulated network share. */
import type { Scheduler } from '../world/scheduler.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
import type { FaultBook } from './faults.ts';

export type Wires = {
  endpoints: Endpoints;
  faults: FaultBook;
  scheduler: Scheduler;
  /** Milliseconds that something takes which this process sends, drawn anew each time. */
  latency(from: Endpoint): number;
};
