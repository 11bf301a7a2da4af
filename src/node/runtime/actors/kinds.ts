/** The machines that the node runs, by the word with which their actors' ids begin. */
import * as v from 'valibot';
import type { AnyMachineSnapshot, AnyStateMachine, StateValue } from 'xstate';
import { channelMachine } from '../../../../machines/channel/chart.ts';
import { channelContext } from '../../../../machines/channel/context.ts';
import type { Contexts, Kind } from '../../../../machines/contexts.ts';
import { initiatorMachine } from '../../../../machines/initiator/chart.ts';
import { initiatorContext } from '../../../../machines/initiator/context.ts';
import { keeperMachine } from '../../../../machines/keeper/chart.ts';
import { keeperContext } from '../../../../machines/keeper/context.ts';
import { mediatorMachine } from '../../../../machines/mediator/chart.ts';
import { mediatorContext } from '../../../../machines/mediator/context.ts';
import { nodeMachine } from '../../../../machines/node/chart.ts';
import { nodeContext } from '../../../../machines/node/context.ts';
import { targetMachine } from '../../../../machines/target/chart.ts';
import { targetContext } from '../../../../machines/target/context.ts';
import { tokenNetworkMachine } from '../../../../machines/token-network/chart.ts';
import { tokenNetworkContext } from '../../../../machines/token-network/context.ts';
import { userDepositMachine } from '../../../../machines/user-deposit/chart.ts';
import { userDepositContext } from '../../../../machines/user-deposit/context.ts';
import { withdrawalMachine } from '../../../../machines/user-deposit/withdrawal/chart.ts';
import { withdrawalContext } from '../../../../machines/user-deposit/withdrawal/context.ts';
import type { ActorRow } from '../../../store/base/batch.ts';
import { decode, encode } from '../../../store/base/codec.ts';
import { surelyFits } from './shape-test.ts';
import { type Shapes, stateValue, upgraded } from './upgrades.ts';

/** The part of an actor that is stored and compared: its state and its context. */
type StateOf<K extends Kind> = { kind: K; value: StateValue; context: Contexts[K] };
export type StoredState = { [K in Kind]: StateOf<K> }[Kind];

type KindOf<Context> = Shapes & {
  machine: AnyStateMachine;
  context: v.GenericSchema<unknown, Context>;
};
export const KINDS: { [K in Kind]: KindOf<Contexts[K]> } = {
  node: { machine: nodeMachine, version: 1, context: nodeContext },
  tokenNetwork: { machine: tokenNetworkMachine, version: 1, context: tokenNetworkContext },
  channel: { machine: channelMachine, version: 1, context: channelContext },
  initiator: { machine: initiatorMachine, version: 1, context: initiatorContext },
  mediator: { machine: mediatorMachine, version: 1, context: mediatorContext },
  target: { machine: targetMachine, version: 1, context: targetContext },
  keeper: { machine: keeperMachine, version: 1, context: keeperContext },
  userDeposit: { machine: userDepositMachine, version: 1, context: userDepositContext },
  withdrawal: { machine: withdrawalMachine, version: 1, context: withdrawalContext },
};

export function kindOf(id: string): Kind {
  const end = id.indexOf(':');
  const word = end < 0 ? id : id.slice(0, end);
  if (isKind(word)) return word;
  throw new Error(`no machine for actor ${id}`);
}

function isKind(word: string): word is Kind {
  return Object.hasOwn(KINDS, word);
}

/** The state of an actor. Its machine, or who has read it, guarantees the context of its kind. */
export function stateFrom(
  id: string,
  { value, context }: Pick<AnyMachineSnapshot, 'value' | 'context'>,
): StoredState {
  return { kind: kindOf(id), value, context };
}

export function rowOf(id: string, state: Pick<StoredState, 'value' | 'context'>): ActorRow {
  const kind = kindOf(id);
  const { value, context } = state;
  return { id, kind, version: KINDS[kind].version, state: encode({ value, context }) };
}

/** The state in a row. Throws when the row does not have the shape that this program writes. */
export function stateIn(row: ActorRow): StoredState {
  const kind = kindOf(row.id);
  const stored = decode(row.state);
  const isOld = row.version !== KINDS[kind].version;
  const read = isOld ? upgraded(row, KINDS[kind], stored) : stored;
  expectShape(storedShape, read);
  const shape: v.GenericSchema = KINDS[kind].context;
  expectShape(shape, read.context);
  return stateFrom(row.id, read);
}

/** Checks what was read without copying it. Throws when it does not have this shape. */
function expectShape<T>(shape: v.GenericSchema<unknown, T>, read: unknown): asserts read is T {
  if (!surelyFits(shape, read)) v.assert(shape, read);
}

const storedShape = v.object({
  value: stateValue,
  context: v.object({ wakeBlock: v.nullable(v.bigint()) }),
});
