/** The inspector's answers by name, and how their readers check that they got the right one. */

import type { DevnetNodes, NodeLog, PlayView, TimeView } from './devnet-wire.ts';
import type {
  ActorHistory,
  ActorList,
  ActorView,
  Labels,
  Machines,
  NodeFacts,
  Overview,
  Proofs,
  StepRecords,
} from './wire.ts';

export type Answers = {
  node: NodeFacts;
  overview: Overview;
  machines: Machines;
  actors: ActorList;
  actor: ActorView;
  history: ActorHistory;
  proofs: Proofs;
  labels: Labels;
  nodes: DevnetNodes;
  time: TimeView;
  play: PlayView;
  log: NodeLog;
};

/** The fields by which one answer is told from another. */
const FIELDS: { [Name in keyof Answers]: readonly (keyof Answers[Name])[] } = {
  node: ['address', 'chainId', 'block', 'troubles'],
  overview: ['block', 'tokens', 'channels', 'payments'],
  machines: ['machines'],
  actors: ['block', 'seq', 'actors'],
  actor: ['block', 'seq', 'row', 'context', 'next', 'deadlines'],
  history: ['base', 'steps', 'hasMore'],
  proofs: ['proofs', 'hasMore'],
  labels: ['tokens', 'names'],
  nodes: ['nodes', 'tokens'],
  time: ['epoch', 'state', 'step'],
  play: ['rpc', 'nodes'],
  log: ['last', 'lines'],
};

/**
 * Whether the value is the answer `name` of an inspector of this version. Only the fields above are checked; the
 * rest is trusted.
 */
export function isAnswer<Name extends keyof Answers>(
  name: Name,
  value: unknown,
): value is Answers[Name] {
  return (
    typeof value === 'object' &&
    value !== null &&
    FIELDS[name].every((field) => Object.hasOwn(value, field))
  );
}

/** Whether the value is one step of the stream. */
export function isStep(value: unknown): value is StepRecords {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item: unknown) => typeof item === 'object' && item !== null && 'kind' in item)
  );
}
