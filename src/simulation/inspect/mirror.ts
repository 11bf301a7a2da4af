/**
 * A copy of a simulated node's disk in the main thread: it gets every batch that the disk got, and answers the
 * inspector as the node itself would.
 */

import { MAX_UINT64 } from '../../basics/amount.ts';
import type { Inspection } from '../../node/api/inspection.ts';
import { stateIn } from '../../node/runtime/actors/kinds.ts';
import type { ActorRow, Batch } from '../../store/base/batch.ts';
import { createSteps } from '../disk/steps.ts';
import { createUndo } from '../disk/undo.ts';
import type { Cast } from './messages.ts';
import { createMirrorJournal } from './mirror-journal.ts';

export type Mirror = { take(batch: Batch): void; inspection: Inspection };

/** The most signed steps of each side of each channel that are kept. */
const SIGNED_STEPS = 1_000;

/** `steps`: how many steps of the journal are kept. */
export function createMirror(
  { chainId, token }: Cast,
  { address, revealTimeout }: Cast['nodes'][number],
  steps: number,
): Mirror {
  const undo = createUndo(0);
  const signed = createSteps(undo, SIGNED_STEPS);
  const rows = new Map<string, ActorRow>();
  const { put, ...journal } = createMirrorJournal(steps);
  const listeners = new Set<() => void>();
  let block = 0n;

  return {
    take(batch) {
      block = batch.block;
      for (const row of batch.actors) rows.set(row.id, row);
      for (const id of batch.retired) rows.delete(id);
      undo.transaction(() => batch.proofs.forEach(signed.put));
      put(batch.journal);
      if (batch.journal.length > 0) for (const listener of listeners) listener();
    },
    inspection: {
      facts: { address, chainId: BigInt(chainId), version: 'simulated', revealTimeout },
      tokens: () => [token.address],
      nowBlock: () => block,
      // What it keeps is looked after where it runs.
      troubles: () => [],
      journal: {
        ...journal,
        onNew(listener) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        file: null,
      },
      actors: {
        ids: () => [...rows.keys()],
        stateOf(id) {
          const row = rows.get(id);
          return row === undefined ? null : stateIn(row);
        },
      },
      // The queue of its transactions is not copied.
      whyWaits: () => undefined,
      signedSteps: (channel, side, before, limit) =>
        signed
          .below(channel, side, before ?? MAX_UINT64)
          .slice(0, limit)
          .map(({ nonce, transferredAmount, lockedAmount, locksroot }) => {
            return { nonce, transferredAmount, lockedAmount, locksroot };
          }),
    },
  };
}
