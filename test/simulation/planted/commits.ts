/** What a batch leaves on disk: that all of it is signed, that nothing stays of what is over, and by which side it is judged. */
import { editIn, type PlantedBug } from './patch.ts';

const ownLocks = editIn('machines/channel/locks.ts');
const incoming = editIn('machines/channel/incoming.ts');

export const COMMITS: readonly PlantedBug[] = [
  {
    id: 'R87a',
    title: 'A batch that begins with taking a lock back is never signed.',
    edits: [
      ownLocks(
        'if (unsigned === null) return { patch: {}, effects: [] };',
        "if (unsigned === null) return { patch: {}, effects: [] };\n  if (unsigned.changes[0]?.change.type === 'expired') return { patch: { unsigned: null }, effects: [] };",
      ),
    ],
    expected: [39],
    needs: ['mediation', 'silent-partner'],
    world: 'a target never answers',
    noticedBy: 'unit/machines/channel-locks.test.ts',
  },
  {
    id: 'R87b',
    title: 'Secrets that were registered stay in a channel when their locks are gone.',
    edits: [
      ownLocks(
        'const next = forgetOwn(forget(changed, secrethash), secrethash);',
        'const next = forgetOwn(changed, secrethash);',
      ),
    ],
    expected: [39],
    needs: ['mediation', 'registers-on-chain'],
    world: 'a mediator turns to the chain, and is paid all the same',
    noticedBy: null,
  },
  {
    id: 'R87c',
    title: 'Fees are judged by the side of the payer after all changes of its message.',
    edits: [
      incoming('consequence({ ...next, partnerEnd: step.end }, step', 'consequence(next, step'),
    ],
    expected: [9],
    needs: ['mediation', 'imbalance-fees'],
    world: 'several payments share a message, and balance is dear',
    noticedBy: null,
  },
];
