/** The machines that the node runs, by the word that their ids begin with. */
import * as v from 'valibot';
import type { AnyStateMachine, StateValue } from 'xstate';
import { channelMachine } from '../../machines/channel.ts';
import { initiatorMachine } from '../../machines/initiator.ts';
import { nodeMachine } from '../../machines/node.ts';
import { targetMachine } from '../../machines/target.ts';
import { tokenNetworkMachine } from '../../machines/token-network.ts';
import type { ActorRow } from '../store/batch.ts';
import { decode, encode } from '../store/codec.ts';
import * as shapes from './snapshots.ts';

export type Kind = 'node' | 'tokenNetwork' | 'channel' | 'initiator' | 'target';

/** What of an actor is stored and compared: its state and its context. */
export type StoredState = { value: StateValue; context: { wakeBlock: bigint | null } };

/** `version` counts the shapes of the context; a row of another version is refused, never guessed. */
type KindOf = { machine: AnyStateMachine; version: number; context: v.GenericSchema };
export const KINDS: Record<Kind, KindOf> = {
  node: { machine: nodeMachine, version: 1, context: shapes.nodeContext },
  tokenNetwork: { machine: tokenNetworkMachine, version: 1, context: shapes.tokenNetworkContext },
  channel: { machine: channelMachine, version: 1, context: shapes.channelContext },
  initiator: { machine: initiatorMachine, version: 1, context: shapes.initiatorContext },
  target: { machine: targetMachine, version: 1, context: shapes.targetContext },
};

export function kindOf(id: string): Kind {
  const word = id.split(':', 1)[0];
  switch (word) {
    case 'node':
    case 'tokenNetwork':
    case 'channel':
    case 'initiator':
    case 'target':
      return word;
    default:
      throw new Error(`no machine for actor ${id}`);
  }
}

export function rowOf(id: string, state: StoredState): ActorRow {
  const kind = kindOf(id);
  const { value, context } = state;
  return { id, kind, version: KINDS[kind].version, state: encode({ value, context }) };
}

/** The state in a row. Throws when the row does not have the shape that this program writes. */
export function stateIn(row: ActorRow): StoredState {
  const kind = KINDS[kindOf(row.id)];
  if (row.version !== kind.version)
    throw new Error(`actor ${row.id} was stored by another version of sluice (${row.version})`);
  const { value, context } = v.parse(storedShape, decode(row.state));
  v.assert(kind.context, context);
  return { value, context };
}

const stateValue: v.GenericSchema<unknown, StateValue> = v.union([
  v.string(),
  v.record(
    v.string(),
    v.lazy(() => stateValue),
  ),
]);
const storedShape = v.object({
  value: stateValue,
  context: v.looseObject({ wakeBlock: v.nullable(v.bigint()) }),
});

/** The state as dotted text, for the journal and the log. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return '';
  return Object.entries(value)
    .map(([name, inner]) => {
      const rest = stateText(inner);
      return rest === '' ? name : `${name}.${rest}`;
    })
    .join('+');
}
