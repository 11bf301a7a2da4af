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
 * The states that were asked for, as a tree: each name in a value leads on to the next one. States are asked for at each
 * event, and to make a text of a value, as a key, takes three times as long as to follow its names.
 */
type Place<Tag extends string> = { tags: Tags<Tag> | null; next: Map<string, Place<Tag>> };

/**
 * Finds the tags of states, as they are stored. Those of each state are gathered once: a chart has a few dozen. Throws on
 * a state that the chart does not have. The same state has the same object.
 */
function tagsIn<Machine extends AnyStateMachine>(machine: Machine) {
  const first: Place<TagOf<Machine>> = { tags: null, next: new Map() };
  /** Of values that were asked for before: an actor keeps its value until its state changes. */
  const known = new WeakMap<object, Tags<TagOf<Machine>>>();

  function tagsOf(value: StateValue): Tags<TagOf<Machine>> {
    const place = placeOf(first, value);
    place.tags ??= new Set<string>(tagsBelow(machine.root, value));
    return place.tags;
  }

  return (value: StateValue): Tags<TagOf<Machine>> => {
    if (typeof value === 'string') return tagsOf(value);
    const before = known.get(value);
    if (before !== undefined) return before;
    const tags = tagsOf(value);
    known.set(value, tags);
    return tags;
  };
}

function placeOf<Tag extends string>(from: Place<Tag>, value: StateValue | undefined): Place<Tag> {
  if (typeof value === 'string') return after(from, value);
  let place = from;
  for (const name in value) place = placeOf(after(place, name), value[name]);
  return place;
}

function after<Tag extends string>({ next }: Place<Tag>, name: string): Place<Tag> {
  const known = next.get(name);
  if (known !== undefined) return known;
  const place: Place<Tag> = { tags: null, next: new Map() };
  next.set(name, place);
  return place;
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
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isRegions(value)) return '';
  let text = '';
  // A list of entries would take longer to make than the text, and this is asked of each actor at the start.
  for (const name in value) {
    const rest = stateText(value[name]);
    text += `${text === '' ? '' : '+'}${name}${rest === '' ? '' : '.'}${rest}`;
  }
  return text;
}

function isRegions(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
