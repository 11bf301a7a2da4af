/** What a replicated node does before its stream has it, and what a machine does whose place another one has taken. */
import { editIn, type PlantedBug } from './patch.ts';

const commits = editIn('src/node/runtime/commits/commits.ts');
const jobs = editIn('src/node/chain/jobs/jobs.ts');
const line = editIn('src/replica/sender.ts');
const findEnd = editIn('src/replica/find-end.ts');

export const REPLICAS: readonly PlantedBug[] = [
  {
    id: 'R23d',
    title: 'Messages leave when the disk has what they rest on, and the stream does not.',
    edits: [
      commits(
        'store.whenDurable(done, fail, () => guarded(() => options.protect(batch)));',
        'let isDone = false;\n      const once = () => {\n        if (!isDone) done();\n        isDone = true;\n      };\n      store.whenDurable(once, fail, once);',
      ),
    ],
    expected: [19],
    needs: ['direct-payment', 'standby'],
    world: 'partners pay each other, and one is replicated',
    noticedBy: null,
  },
  {
    id: 'R23e',
    title: 'A node that starts again goes on from what its stream never got.',
    edits: [
      findEnd(
        '{ ok: true, at: place.at, epoch, needsBase: false, hasGap: false, lacking }',
        '{ ok: true, at: opened.point, epoch, needsBase: false, hasGap: false, lacking: [] }',
      ),
    ],
    expected: [20],
    needs: ['direct-payment', 'standby', 'stream-away', 'crash'],
    world: 'a node dies before its stream has what it has written',
    noticedBy: 'simulation/replica.test.ts',
  },
  {
    id: 'R29b',
    title: 'A record that the stream refuses counts as taken.',
    edits: [line('if (result.ok) {', "if (result.ok || result.problem === 'taken') {")],
    expected: [19, 20],
    needs: ['direct-payment', 'standby'],
    world: 'a standby takes over while its node is busy',
    noticedBy: null,
  },
  {
    id: 'R29c',
    title: 'A node goes on when another one has written into its stream.',
    edits: [
      line('if (Buffer.compare(found, item.bytes) !== 0) return true;', ''),
      line('return last > acknowledged.sequence;', 'return false;'),
    ],
    expected: [19],
    needs: ['direct-payment', 'standby', 'stream-away'],
    world: 'a node cannot reach its stream, and its standby takes over',
    noticedBy: null,
  },
  {
    id: 'R29f',
    title: 'A node that another has replaced writes nothing more, and speaks on.',
    edits: [line('close();\n          return onTaken(acknowledged.sequence);', 'return close();')],
    expected: [19],
    needs: ['direct-payment', 'standby', 'silent-partner'],
    world: 'a standby takes over while a partner is silent',
    noticedBy: null,
  },
  {
    id: 'R29d',
    title: 'A standby takes over without what was written last.',
    edits: [
      findEnd(
        '    reader,\n    replay,\n    hasGap: !place.isOwner',
        '    reader,\n    replay: { ...replay, apply: () => {} },\n    hasGap: !place.isOwner',
      ),
    ],
    expected: [20],
    needs: ['direct-payment', 'standby'],
    world: 'a machine loses what its stream has',
    noticedBy: null,
  },
  {
    id: 'R29e',
    title: 'A channel is closed on chain before the stream knows of it.',
    edits: [
      jobs(
        "export const isHarmlessTwice = (tx: Tx): boolean => isProtective(tx) && tx.type !== 'tx.close';",
        'export const isHarmlessTwice = (tx: Tx): boolean => isProtective(tx);',
      ),
    ],
    expected: [5, 24],
    needs: ['direct-payment', 'settle', 'standby', 'stream-away'],
    world: 'a node is told to close, and its standby takes over',
    noticedBy: null,
  },
  {
    id: 'R85a',
    title: 'A stream that shows what it has counts as back before it takes anything.',
    edits: [
      line(
        'if (isFurther) return goOn();',
        'if (isFurther) {\n          if (trouble !== null) onTrouble(null);\n          trouble = null;\n          return goOn();\n        }',
      ),
    ],
    expected: [19],
    needs: ['direct-payment', 'standby', 'stream-away'],
    unseen: 'A simulated stream that can be read takes records, too.',
    noticedBy: 'unit/replica/sender.test.ts',
  },
];
