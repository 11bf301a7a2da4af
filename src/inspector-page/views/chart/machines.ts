/** The charts of a node: read once, as they never change while the node runs. */

import type { InspectorSource } from '../../../inspector/source.ts';
import type { MachineDefinition } from '../../../inspector/wire.ts';

const known = new WeakMap<InspectorSource, Promise<readonly MachineDefinition[]>>();

/** Null when the node has no such machine. Throws `SourceError`; the next call then tries again. */
export async function loadMachine(
  source: InspectorSource,
  machine: string,
): Promise<MachineDefinition | null> {
  const machines =
    known.get(source) ?? source.read('machines', 'machines').then((answer) => answer.machines);
  known.set(source, machines);
  try {
    return (await machines).find((definition) => definition.machine === machine) ?? null;
  } catch (error) {
    known.delete(source);
    throw error;
  }
}
