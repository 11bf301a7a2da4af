/** What the node believes of the chain, and when. */
import { editIn, type PlantedBug } from './patch.ts';

const watcher = editIn('src/chain/watch/watcher.ts');
const sight = editIn('src/chain/watch/sight.ts');
const batches = editIn('src/chain/watch/batches.ts');
const logs = editIn('src/chain/watch/sound-logs.ts');
const follower = editIn('src/node/chain/follower.ts');
const rewind = editIn('machines/rewind.ts');

export const CHAIN: readonly PlantedBug[] = [
  {
    id: 'R15a',
    title: 'The node acts on blocks as soon as it sees them.',
    edits: [
      watcher(
        'const blocks = nextBlocks(wholeBlock(), head.number - confirmations, range);',
        'const blocks = nextBlocks(wholeBlock(), head.number, range);',
      ),
    ],
    expected: [23],
    needs: ['reorg'],
    world: 'a payee has to register',
    noticedBy: null,
  },
  {
    id: 'R15b',
    title: 'The node acts on blocks one confirmation too early.',
    edits: [
      watcher(
        'const blocks = nextBlocks(wholeBlock(), head.number - confirmations, range);',
        'const blocks = nextBlocks(wholeBlock(), head.number - confirmations + 1n, range);',
      ),
    ],
    expected: [23],
    needs: ['reorg'],
    world: 'a payee has to register',
    noticedBy: null,
  },
  {
    id: 'R15c',
    title: 'The node takes a transaction for done when it is mined, whatever becomes of its block.',
    edits: [
      editIn('src/node/chain/jobs/jobs.ts')(
        'mined.set(key, outcome);\n      confirmIfDue(key, outcome);',
        'end(key, outcome);',
      ),
    ],
    expected: [5, 6, 23],
    needs: ['mediation', 'withheld-unlock', 'reorg'],
    world: 'a payee has to register',
    noticedBy: 'unit/node/jobs.test.ts',
  },
  {
    id: 'R16a',
    title: 'The node notes that it has read blocks before what they said is on disk.',
    edits: [
      editIn('src/node/chain/applying.ts')(
        'for (let count = applySome(range, 0);',
        'engine.turn([], (batch) => {\n        batch.cursor = { block: range.toBlock, hash: range.toHash };\n      });\n      engine.flush();\n      for (let count = applySome(range, 0);',
      ),
    ],
    expected: [5, 20, 25],
    needs: ['partner-stale-close', 'crash'],
    world: 'a node is off while its channel is closed',
    noticedBy: null,
  },
  {
    id: 'R16b',
    title: 'After a restart the node leaves out one block.',
    edits: [follower('? { ...cursor, hash: cursor.hash }', '? { deployBlock: cursor.block + 2n }')],
    expected: [5, 20, 25],
    needs: ['crash', 'partner-stale-close'],
    world: 'a node is off while its channel is closed',
    noticedBy: null,
  },
  {
    id: 'R50a',
    title: 'The node takes the receipt of another transaction for its own.',
    edits: [
      editIn('src/chain/queue/outcomes.ts')(
        "if (transactionHash !== hash || from.toLowerCase() !== address.toLowerCase()) {\n        throw new Error('the receipt of another transaction');\n      }",
        '',
      ),
    ],
    expected: [5, 23, 25, 26],
    needs: ['wrong-receipts', 'withheld-unlock', 'mediation'],
    world: 'a payee has to register while receipts are mixed up',
    noticedBy: null,
  },
  {
    id: 'R53a',
    title: 'The node asks again and again for more blocks at once than the endpoint gives.',
    edits: [
      editIn('src/chain/watch/ranges.ts')(
        "if (end === 'refused' || end.logs > MANY_LOGS) return range > 1n ? range / 2n : 1n;",
        "if (end === 'refused') return range;",
      ),
    ],
    expected: [27],
    needs: ['short-log-ranges', 'sleep'],
    world: 'a node sleeps long, and then gets logs of few blocks at once',
    noticedBy: 'unit/chain/ranges.test.ts',
  },
  {
    id: 'R59a',
    title: 'The node judges the locks of others by a height that may be long past.',
    edits: [
      follower(
        'const isUpToDate = () => staleness() === null && unapplied() <= MOST_UNSEEN_BLOCKS;',
        'const isUpToDate = () => head !== null;',
      ),
      editIn('src/node/node.ts')(
        'isReadySoon: () => follower.staleness() === null && mayPromise(),',
        'isReadySoon: () => mayPromise(),',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'sleep', 'withheld-unlock'],
    world: 'a machine waits for its disk while payments come',
    noticedBy: null,
  },
  {
    id: 'R59b',
    title: 'The node judges the head when it reads it, and not when it promises something.',
    edits: [
      sight(
        'let word: { told: bigint | null; at: number } | null = null;',
        'let word: { told: bigint | null; at: number } | null = null;\n  let atLook: string | null = null;',
      ),
      sight(
        'return { ...found.header, trouble: troubleOf(found) };',
        'atLook = troubleOf(found);\n      return { ...found.header, trouble: atLook };',
      ),
      sight(
        'lookTrouble(now() - seen.now, pollIntervalMs) ??\n        lookTrouble(elapsed() - seen.elapsed, pollIntervalMs) ??\n        troubleOf(head)',
        'atLook ?? lookTrouble(0 * seen.now, pollIntervalMs)',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'sleep', 'withheld-unlock'],
    world: 'a machine waits for its disk while payments come',
    noticedBy: 'unit/chain/sight.test.ts',
  },
  {
    id: 'R59c',
    title: 'The node believes whatever the endpoint calls the newest block, however old it is.',
    edits: [
      editIn('src/chain/watch/freshness.ts')(
        'if (age > longestAge(pace))\n    return (',
        'if (age === Infinity)\n    return (',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'stale-head', 'withheld-unlock'],
    world: 'an endpoint stands still when a short lock comes',
    noticedBy: 'unit/chain/freshness.test.ts',
  },
  {
    id: 'R63a',
    title: 'The node takes it for an answer when an endpoint that lags has no logs.',
    edits: [
      logs(
        'const answer = await insisted(() => byHash(client, header, question));',
        'const blocks = { fromBlock: header.number, toBlock: header.number };\n    const answer = await insisted(() => byRange(client, blocks, question));',
      ),
      logs(
        'if (isExplained(header, question, answer)) return answer;\n  // The answer to',
        'if (isExplained(header, question, answer) || answer.length === 0) return answer;\n  // The answer to',
      ),
    ],
    expected: [5, 20, 25],
    needs: ['missing-logs', 'partner-stale-close'],
    world: 'logs are missing while a channel is closed',
    noticedBy: null,
  },
  {
    id: 'R64a',
    title: 'The node goes on without a word on a chain that has replaced confirmed blocks.',
    edits: [
      watcher(
        'if (blocks === null) return check.reorgBelow(head, cursor);',
        'if (blocks === null) return null;',
      ),
      batches(
        'if (reorg !== null) return reorg;\n      throw new Error(',
        'if (reorg !== null) cursor.hash = reorg.foundHash;\n      String(',
      ),
    ],
    expected: [5, 20, 23],
    needs: ['deep-reorg'],
    world: 'confirmed blocks are replaced',
    noticedBy: null,
  },
  {
    id: 'R64b',
    title: 'The node signs on in a channel of which the chain has lost deposits.',
    edits: [
      rewind(
        "const before: Rewound<ChannelContext> = { value: 'stale', context: bare(channel) };",
        "const before: Rewound<ChannelContext> = { value: { opened: { deposit: 'idle', withdraw: 'idle' } }, context: bare(channel) };",
      ),
    ],
    expected: [2, 5, 24],
    needs: ['deep-reorg', 'deposit'],
    noticedBy: 'unit/machines/rewind.test.ts',
  },
  {
    id: 'R64c',
    title: 'After a replaced chain the node forgets what the fork’s own block said.',
    edits: [
      editIn('src/node/runtime/actors/rewind.ts')(
        'const left = logs.filter(({ at }) => at.block <= fork.block);',
        'const left = logs.filter(({ at }) => at.block < fork.block);',
      ),
    ],
    expected: [2, 5, 20, 24],
    needs: ['deep-reorg', 'deposit'],
    noticedBy: null,
  },
];
