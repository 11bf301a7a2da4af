/** Every message to an honest node is received and acknowledged in the end. */

import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Batch } from '../../../store/base/batch.ts';

type Waiting = { recipient: Address; sinceBlock: bigint };

export function createOutboxes(head: () => bigint) {
  const waiting = new Map<string, Map<string, Waiting>>();

  return {
    /** A node has written this batch. */
    commit(who: string, { outbox, outboxDone }: Pick<Batch, 'outbox' | 'outboxDone'>) {
      const known = getOrMake(waiting, who, () => new Map<string, Waiting>());
      for (const { key, recipient } of outbox) known.set(key, { recipient, sinceBlock: head() });
      for (const key of outboxDone) known.delete(key);
    },
    /** The messages of each node that have been waiting since before this block. */
    since: (block: bigint) =>
      [...waiting].flatMap(([who, known]) =>
        [...known]
          .filter(([, { sinceBlock }]) => sinceBlock < block)
          .map(([key, { recipient }]) => ({ who, key, recipient })),
      ),
  };
}
