/** Channels on chain: closes, better proofs, settlements, unlocks, and who looks after them meanwhile. */
import { editIn, type PlantedBug } from './patch.ts';

const chart = editIn('machines/channel/chart.ts');
const dispute = editIn('machines/channel/dispute.ts');
const closing = editIn('machines/channel/closing.ts');
const notices = editIn('machines/channel/notices.ts');
const perform = editIn('src/node/runtime/commits/perform.ts');

export const DISPUTES: readonly PlantedBug[] = [
  {
    id: 'R4a',
    title: 'The node signs an update as if it were a close, and the contract refuses it.',
    edits: [
      editIn('src/node/chain/jobs/tx-calls.ts')(
        'const digest = updateDigest(proofOf(tx), tx.proof.signature);',
        'const digest = closingDigest(proofOf(tx), tx.proof.signature);',
      ),
    ],
    expected: [5, 24, 25],
    needs: ['partner-stale-close'],
    world: 'a payer closes, who was paid too',
    noticedBy: null,
  },
  {
    id: 'R5a',
    title: 'The node takes a partner’s close for a good one when it came with any balance proof.',
    edits: [
      dispute(
        'if (dispute === null || dispute.closer === channel.own || partnerProof === null) return [];',
        'if (dispute === null || dispute.closer === channel.own || partnerProof === null) return [];\n  if (dispute.ownHash !== null) return [];',
      ),
    ],
    expected: [5, 24, 25],
    needs: ['partner-stale-close'],
    world: 'a payer closes, who was paid too',
    noticedBy: 'unit/machines/channel-close.test.ts',
  },
  {
    id: 'R5b',
    title: 'The node settles with the newest amounts instead of those that stand on chain.',
    edits: [
      dispute(
        "import { ZERO_HASH } from '../../src/basics/hex.ts';",
        "import { balanceHash } from '../../src/protocol/channel/balance-proof.ts';\nimport { proofAmounts } from '../../src/protocol/channel/channel-end.ts';\nimport { ZERO_HASH } from '../../src/basics/hex.ts';",
      ),
      dispute(
        'ownHash: dispute?.ownHash ?? null,',
        'ownHash: dispute?.ownHash == null ? null : balanceHash(proofAmounts(channel.ownEnd)),',
      ),
    ],
    expected: 'liveness',
    needs: ['partner-stale-close', 'settle'],
    world: 'a payee closes with an old proof and goes',
    noticedBy: 'unit/machines/channel-close.test.ts',
  },
  {
    id: 'R5c',
    title: 'The node closes without the balance proof that it holds.',
    edits: [
      closing(
        "return { type: 'tx.close', ...onChannel(channel, 'close', null), proof: channel.partnerProof };",
        "return { type: 'tx.close', ...onChannel(channel, 'close', null), proof: null };",
      ),
    ],
    expected: [5, 24],
    needs: ['settle', 'direct-payment'],
    world: 'a payer closes, who was paid too',
    noticedBy: 'unit/machines/channel-close.test.ts',
  },
  {
    id: 'R5d',
    title: 'The monitoring service looks after the side that has closed.',
    edits: [
      editIn('src/services/monitoring/book.ts')(
        'nonClosing: closing === participant1 ? participant2 : participant1,',
        'nonClosing: closing === participant1 ? participant1 : participant2,',
      ),
    ],
    expected: [5, 25],
    needs: ['monitoring', 'partner-stale-close', 'sleep'],
    noticedBy: null,
  },
  {
    id: 'R5e',
    title: 'The monitoring service keeps the older of two requests.',
    edits: [
      editIn('src/services/monitoring/judge.ts')(
        "return proof.nonce <= known.nonce ? 'old_nonce' : null;",
        "return known.nonce > 0n ? 'old_nonce' : null;",
      ),
    ],
    expected: [5, 25],
    needs: ['monitoring', 'partner-stale-close', 'sleep'],
    noticedBy: 'unit/services/monitoring/judge.test.ts',
  },
  {
    id: 'R6a',
    title: 'The node brings its proof on chain a second time in the block after the close.',
    edits: [
      dispute('const wakeBlock = ownSettleBlock(next);', 'const wakeBlock = event.nowBlock + 1n;'),
    ],
    expected: [26],
    needs: ['partner-stale-close', 'full-blocks'],
    world: 'a payer closes, who was paid too',
    noticedBy: 'unit/machines/channel-close.test.ts',
  },
  {
    id: 'R6b',
    title: 'The node does not try again when its update fails.',
    edits: [
      chart(
        "guard: { type: 'isFailedJob', params: { job: 'update' } },",
        "guard: { type: 'isFailedJob', params: { job: 'updateProof' } },",
      ),
    ],
    expected: [5, 24, 25],
    needs: ['partner-stale-close', 'failing-simulations'],
    world: 'a payer closes while simulations fail',
    noticedBy: 'unit/machines/channel-close.test.ts',
  },
  {
    id: 'R6c',
    title: 'The node waits ten blocks before it tries an update again that has three left.',
    edits: [dispute('return nowBlock < end && isLate ? nowBlock + 1n : next;', 'return next;')],
    expected: [5, 24, 25],
    needs: ['partner-stale-close', 'failing-simulations', 'small-settle-timeout'],
    world: 'a payer closes while simulations fail',
    noticedBy: 'unit/machines/channel-close.test.ts',
  },
  {
    id: 'R5f',
    title: 'The node takes what its partner sends while its own close is on the way.',
    edits: [
      chart(
        "description: 'The database is the newest one: what became of own locks is still told.',\n          on: {",
        "description: 'The database is the newest one: what became of own locks is still told.',\n          on: {\n            'msg.update': { actions: 'takeUpdate' },",
      ),
    ],
    expected: [5, 18, 24],
    needs: ['settle', 'many-payments'],
    world: 'a transfer crosses with a close',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R25f',
    title: 'The node never closes a channel whose partner owes a lock that is claimed on chain.',
    edits: [closing('if (registered.length === 0) return null;', 'return null;')],
    expected: 'liveness',
    needs: ['direct-payment', 'withheld-unlock'],
    world: 'a payer does not unlock what was registered',
    noticedBy: 'unit/machines/channel-owed.test.ts',
  },
  {
    id: 'R36a',
    title: 'What waits for the partner of a channel stays in the outbox when the channel is gone.',
    edits: [
      notices(
        "{ type: 'done.queue', queue: channel.id, upToNonce: null },\n    ...ownEnd",
        '...ownEnd',
      ),
      notices(
        'const effects = [\n    emptied,\n    ...goneNotices(channel),',
        'const effects = [\n    ...goneNotices(channel),',
      ),
    ],
    expected: 'liveness',
    needs: ['direct-payment', 'silent-partner', 'settle'],
    world: 'a partner is silent while its channel is settled',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
  {
    id: 'R51a',
    title: 'Monitoring services hear of a balance proof after the partner has been answered.',
    edits: [
      perform('parts.announceChannels(changed);\n', ''),
      perform(
        'for (const one of news) one.announce();',
        'for (const one of news) one.announce();\n    parts.announceChannels(changed);',
      ),
    ],
    expected: [5, 25],
    needs: ['monitoring', 'partner-stale-close', 'crash'],
    noticedBy: null,
  },
  {
    id: 'R52a',
    title: 'The node settles one block too early.',
    edits: [
      dispute(
        'return (channel.dispute?.closeBlock ?? 0n) + channel.settleTimeout + 1n;',
        'return (channel.dispute?.closeBlock ?? 0n) + channel.settleTimeout;',
      ),
    ],
    expected: [23],
    needs: ['settle'],
    world: 'a payer closes, who was paid too',
    noticedBy: 'unit/machines/channel-close.test.ts',
  },
  {
    id: 'R52b',
    title:
      'The node sends transactions without a simulation, and pays for those that others have made needless.',
    edits: [
      editIn('src/chain/queue/sending.ts')(
        "const used = await client.estimateGas({\n      account: address,\n      blockTag: 'latest',\n      to,\n      data,\n      value,\n    });",
        'const used = GAS_ESTIMATES[call.kind];',
      ),
    ],
    expected: [26],
    needs: ['settle', 'direct-payment', 'full-blocks'],
    world: 'both settle while blocks are full',
    noticedBy: null,
  },
  {
    id: 'R52c',
    title: 'The update is held to be in time one block longer than it is.',
    edits: [
      dispute(
        'const deadline = settleBlock(channel) - 1n;',
        'const deadline = settleBlock(channel);',
      ),
    ],
    expected: [25],
    needs: ['partner-stale-close'],
    world: 'a payer closes, who was paid too',
    noticedBy: 'unit/machines/channel-close.test.ts',
  },
  {
    id: 'R25g',
    title: 'The node closes a channel for what its partner owes one block late.',
    edits: [
      closing(
        'return block !== null && nowBlock >= block && refusal === undefined;',
        'return block !== null && nowBlock > block && refusal === undefined;',
      ),
    ],
    expected: [13],
    needs: ['direct-payment', 'withheld-unlock'],
    unseen: 'One block off where another margin is larger, so that nothing comes of it.',
    noticedBy: 'unit/machines/channel-owed.test.ts',
  },
  {
    id: 'R68a',
    title: 'What is unlocked follows from the newest locks, not from those that stand on chain.',
    edits: [
      dispute(
        'thatPay(broughtBy(channel, event));',
        "SIDES.filter((side) => (side === 'own' ? channel.ownEnd : channel.partnerEnd).locks.length > 0);",
      ),
      dispute('unlocks: thatPay(brings),', 'unlocks: unlocksAfterSettle(channel, event),'),
    ],
    expected: [5, 24],
    needs: ['partner-stale-close', 'settle-with-locks'],
    world: 'a payee closes with an old proof and goes',
    noticedBy: 'unit/machines/channel-unlocks.test.ts',
  },
  {
    id: 'R68b',
    title: 'A channel that is being wound up hides the one that was opened after it.',
    edits: [
      editIn('src/node/runtime/actors/directory.ts')(
        'const newest = byToken.get(token)?.get(partner)?.[0]?.id;',
        'const newest = byToken.get(token)?.get(partner)?.at(-1)?.id;',
      ),
    ],
    expected: [27, 28],
    needs: ['reopened-channel', 'settle-with-locks', 'direct-payment'],
    world: 'a channel is opened again while the old one is unlocked',
    noticedBy: 'unit/node/directory.test.ts',
  },
];
