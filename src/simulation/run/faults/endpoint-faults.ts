/** The faults of a node's chain endpoint. */

import type { Endpoint } from '../../chain/endpoint.ts';
import type { Fault } from '../../scenario/schema/trouble.ts';
import { during } from './fault-schedule.ts';

type Kind =
  | 'stale_head'
  | 'frozen_head'
  | 'missing_logs'
  | 'unreachable'
  | 'failing_calls'
  | 'refused_calls'
  | 'short_log_ranges'
  | 'wrong_receipts';
export type EndpointFault = Extract<Fault, { kind: Kind }>;

/** Begins the fault; the returned function ends it. `head`: the chain's newest block. */
export function beginAt({ faults, freeze, thaw }: Endpoint, fault: EndpointFault, head: bigint) {
  switch (fault.kind) {
    case 'stale_head':
      return during(faults, 'lagBlocks', fault.lag, 0n);
    case 'frozen_head':
      freeze();
      return thaw;
    case 'missing_logs':
      return during(faults, 'missingLogs', { from: head, to: head + fault.when.blocks }, null);
    case 'unreachable':
      return during(faults, 'isUnreachable', true, false);
    case 'failing_calls':
      return during(faults, 'failures', new Map([['*', fault.share]]), new Map());
    case 'refused_calls':
      return during(faults, 'isRefusing', true, false);
    case 'short_log_ranges':
      return during(faults, 'mostLogBlocks', fault.most, null);
    case 'wrong_receipts':
      return during(faults, 'isMixingReceipts', true, false);
  }
}
