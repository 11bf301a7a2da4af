/** What a process has in memory, held against its disk whenever that is written: nothing else has begun meanwhile. */
import type { NodeParts } from '../../node/runtime/parts.ts';
import type { RunningNode } from '../../node/start.ts';
import type { MachineWatcher } from './machine-options.ts';

/** The same parts. `node` answers null as long as the process has not begun its node. */
export function comparing(
  parts: NodeParts,
  node: () => RunningNode | null,
  { onWritten }: Pick<MachineWatcher, 'onWritten'>,
): NodeParts {
  if (onWritten === undefined) return parts;
  const { store } = parts;
  return {
    ...parts,
    store: {
      ...store,
      commit(batch) {
        store.commit(batch);
        const running = node();
        if (running !== null) onWritten(running.unsaid(), store.loadOutbox());
      },
    },
  };
}
