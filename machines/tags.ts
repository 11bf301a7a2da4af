/**
 * What others ask of an actor's state: the tags that its chart gives to states. Nobody but the chart knows the names of
 * its states, so that a state can be parted, or another one added, in one place.
 */
import type { AnyStateMachine, AnyStateNode, SnapshotFrom, StateValue } from 'xstate';
import { channelMachine } from './channel/chart.ts';
import { initiatorMachine } from './initiator/chart.ts';
import { keeperMachine } from './keeper/chart.ts';
import type { KeeperContext } from './keeper/context.ts';
import { mediatorMachine } from './mediator/chart.ts';
import { nodeMachine } from './node/chart.ts';
import { targetMachine } from './target/chart.ts';
import { withdrawalMachine } from './user-deposit/withdrawal/chart.ts';

/** The tags of one state, of those that its machine may have. */
export type Tags<Tag extends string> = { has(tag: Tag): boolean };
type TagOf<Machine extends AnyStateMachine> = Extract<
  Parameters<SnapshotFrom<Machine>['hasTag']>[0],
  string
>;

export const channelTags = tagsIn(channelMachine);
export const initiatorTags = tagsIn(initiatorMachine);
export const keeperTags = tagsIn(keeperMachine);
export const mediatorTags = tagsIn(mediatorMachine);
export const nodeTags = tagsIn(nodeMachine);
export const targetTags = tagsIn(targetMachine);
export const withdrawalTags = tagsIn(withdrawalMachine);

/**
 * Finds the tags of states, as they are stored. Those of each state are gathered once: a chart has a few dozen. Throws on
 * a state that the chart does not have. The same state has the same object.
 */
function tagsIn<Machine extends AnyStateMachine>(machine: Machine) {
  const byText = new Map<string, Tags<TagOf<Machine>>>();
  /** Of values that were asked for before: an actor keeps its value until its state changes. */
  const byValue = new WeakMap<object, Tags<TagOf<Machine>>>();

  return (value: StateValue): Tags<TagOf<Machine>> => {
    const isText = typeof value === 'string';
    const known = isText ? byText.get(value) : byValue.get(value);
    if (known !== undefined) return known;
    const text = isText ? value : JSON.stringify(value);
    const tags = byText.get(text) ?? new Set<string>(tagsBelow(machine.root, value));
    byText.set(text, tags);
    if (!isText) byValue.set(value, tags);
    return tags;
  };
}

function tagsBelow(node: AnyStateNode, value: StateValue | undefined): string[] {
  const inner = typeof value === 'string' ? { [value]: undefined } : (value ?? {});
  const below = Object.entries(inner).flatMap(([name, rest]) => {
    const child = Object.hasOwn(node.states, name) ? node.states[name] : undefined;
    if (child === undefined) throw new Error(`${node.id} has no state ${name}`);
    return tagsBelow(child, rest);
  });
  return [...node.tags, ...below];
}

/**
 * Whether a keeper may still have to register the secret of its lock: only when it does not know which payment the
 * lock belongs to; otherwise it holds the lock until it expires.
 */
export function keeperMayRegister(
  value: StateValue,
  { isUnexplained }: Pick<KeeperContext, 'isUnexplained'>,
): boolean {
  const tags = keeperTags(value);
  return tags.has('isRegistering') || (tags.has('isHolding') && isUnexplained);
}

/** The state as dotted text, for the journal and the log. */
export function stateText(value: StateValue | undefined): string {
  if (typeof value === 'string') return value;
  let text = '';
  // A list of entries would take longer to make than the text, and this is asked of each actor at the start.
  for (const name in value) {
    const inner = value[name];
    const rest = typeof inner === 'string' ? inner : stateText(inner);
    text += `${text === '' ? '' : '+'}${name}${rest === '' ? '' : '.'}${rest}`;
  }
  return text;
}
