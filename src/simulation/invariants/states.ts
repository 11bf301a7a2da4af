/** The states of actors in the batches that nodes write. */
import type { StoredState } from '../../node/runtime/actors/kinds.ts';
import { stateIn } from '../../node/runtime/actors/kinds.ts';
import type { ActorRow } from '../../store/base/batch.ts';

/** Several rules look into the same row: it is read once. */
const read = new WeakMap<ActorRow, StoredState>();

/** The state in the row. Throws when it has not the shape that the node writes. */
export function stateOf(row: ActorRow): StoredState {
  const known = read.get(row) ?? stateIn(row);
  read.set(row, known);
  return known;
}
