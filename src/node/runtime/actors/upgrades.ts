/** Brings states that older versions of this program stored to today's shapes, one version at a time. */
import * as v from 'valibot';
import type { StateValue } from 'xstate';
import type { ActorRow } from '../../../store/base/batch.ts';

/** A state of an older version: of its context nothing is known but that it is an object. */
export type OldState = { value: StateValue; context: Record<string, unknown> };

/**
 * `version` counts the stored shapes of a kind. `upgrades[n]` brings a state of version n to n + 1; absent: there is no
 * older shape.
 */
export type Shapes = { version: number; upgrades?: Record<number, (state: OldState) => OldState> };

export const stateValue: v.GenericSchema<unknown, StateValue> = v.union([
  v.string(),
  v.record(
    v.string(),
    v.lazy(() => stateValue),
  ),
]);
const oldState = v.object({ value: stateValue, context: v.record(v.string(), v.unknown()) });

/** Throws when no upgrade leads to today's version: what is stored is refused, and never guessed. */
export function upgraded(
  { id, version: first }: Pick<ActorRow, 'id' | 'version'>,
  { version: last, upgrades }: Shapes,
  stored: unknown,
): OldState {
  let old: OldState = v.parse(oldState, stored);
  for (let version = first; version !== last; version++) {
    const upgrade = upgrades?.[version];
    if (upgrade === undefined)
      throw new Error(`actor ${id} was stored by another version of sluice (${first})`);
    old = upgrade(old);
  }
  return old;
}
