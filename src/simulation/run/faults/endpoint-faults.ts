/** The faults of a node's chain endpoint. */
import type { Endpoint } from '../../chain/endpoint.ts';
import type { Fault } from '../../scenario/schema/trouble.ts';

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
      faults.lagBlocks = fault.lag;
      return () => {
        faults.lagBlocks = 0n;
      };
    case 'frozen_head':
      freeze();
      return thaw;
    case 'missing_logs':
      faults.missingLogs = { from: head, to: head + fault.when.blocks };
      return () => {
        faults.missingLogs = null;
      };
    case 'unreachable':
      faults.isUnreachable = true;
      return () => {
        faults.isUnreachable = false;
      };
    case 'failing_calls':
      faults.failures = new Map([['*', fault.share]]);
      return () => {
        faults.failures = new Map();
      };
    case 'refused_calls':
      faults.isRefusing = true;
      return () => {
        faults.isRefusing = false;
      };
    case 'short_log_ranges':
      faults.mostLogBlocks = fault.most;
      return () => {
        faults.mostLogBlocks = null;
      };
    case 'wrong_receipts':
      faults.isMixingReceipts = true;
      return () => {
        faults.isMixingReceipts = false;
      };
  }
}
