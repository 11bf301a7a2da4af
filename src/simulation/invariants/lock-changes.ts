/** What signed steps did to locks, one change after the other. */
import type { RecordProof, SignedChange } from '../../../machines/effects.ts';

export type Changed = SignedChange & Pick<RecordProof, 'side' | 'channel'>;

export const lockChanges = (proofs: readonly RecordProof[]): Changed[] =>
  proofs.flatMap(({ side, channel, changes }) =>
    changes.map((change) => ({ ...change, side, channel })),
  );
