/** The account's transactions: their nonces, their order, their price, and the money for them. */
import { editIn, type PlantedBug } from './patch.ts';

const pendingTransactions = editIn('src/chain/queue/pending-transactions.ts');
const schedule = editIn('src/chain/queue/schedule.ts');
const sending = editIn('src/chain/queue/sending.ts');
const lockRules = editIn('src/node/chain/lock-rules.ts');

const SAVED = `await must(() => {
      fault('transaction.signed');
      if (storage.forJob(job).some((stored) => stored.step === step)) storage.replace(row);
      else storage.save(row);
      fault('transaction.saved');
    });`;

export const TRANSACTIONS: readonly PlantedBug[] = [
  {
    id: 'R17a',
    title: 'Transactions that were not done are forgotten by a restart.',
    edits: [editIn('src/node/chain/jobs/job-queue.ts')('jobs.resume(store.loadJobs());', '')],
    expected: 'liveness',
    needs: ['settle', 'crash'],
    world: 'a node dies with orders that no block has taken',
    noticedBy: null,
  },
  {
    id: 'R17b',
    title: 'A transaction is sent before it is on disk, and once more after a restart.',
    edits: [
      pendingTransactions(SAVED, ''),
      pendingTransactions(
        'await broadcast(pending, market);\n    return pending;',
        `await broadcast(pending, market);\n    ${SAVED}\n    return pending;`,
      ),
    ],
    expected: [19, 26],
    needs: ['deposit', 'crash'],
    world: 'a node dies as soon as a transaction is sent',
    noticedBy: null,
  },
  {
    id: 'R17c',
    title: 'Nothing more is ever offered for a transaction that no block takes.',
    edits: [
      editIn('src/chain/queue/keep-alive.ts')(
        'const isLate = waitingSince !== null && market.headBlock - waitingSince >= patience;',
        'const isLate = false;',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'withheld-unlock', 'full-blocks'],
    world: 'a secret is to be registered while blocks are full',
    noticedBy: null,
  },
  {
    id: 'R18a',
    title: 'Two transactions of one moment get one nonce.',
    edits: [
      pendingTransactions(
        'return Math.max(pending, usedNonces, ...own);',
        'return usedNonces > 0 ? usedNonces : pending;',
      ),
    ],
    expected: [26],
    needs: ['settle', 'deposit', 'many-payments'],
    world: 'two partners close in one moment',
    noticedBy: null,
  },
  {
    id: 'R18b',
    title: 'All transactions wait for ever for a nonce that a stranger has left free.',
    edits: [
      editIn('src/chain/queue/nonce-gap.ts')(
        'return pending <= nonce || (isUrgent && waited >= UNKNOWN_PATIENCE);',
        'return false;',
      ),
    ],
    expected: 'liveness',
    needs: ['foreign-transactions', 'settle'],
    world: 'somebody else uses the account of a node',
    noticedBy: null,
  },
  {
    id: 'R19a',
    title: 'A transaction is sent for money that those under way have reserved.',
    edits: [sending('if (cost + kept > money) continue;', '')],
    expected: [26, 27],
    needs: ['little-gas', 'settle', 'deposit'],
    world: 'a node with little gas closes two channels',
    noticedBy: null,
  },
  {
    id: 'R19b',
    title: 'Locks are taken on for gas money that transactions under way have reserved.',
    edits: [
      editIn('src/node/chain/gas/gas-watch.ts')(
        'const spare = balance.wei - larger(balance.reserved, reserved());',
        'const spare = balance.wei;',
      ),
    ],
    expected: [5, 25, 26],
    needs: ['mediation', 'little-gas', 'deposit', 'withheld-unlock'],
    noticedBy: 'unit/node/gas-watch.test.ts',
  },
  {
    id: 'R39a',
    title: 'After the clock was set back an old gas balance counts as a new one.',
    edits: [
      editIn('src/node/chain/gas/gas-watch.ts')(
        'const isLate = ({ at }: { at: number }) => Math.abs(clock.now() - at) > MOST_AGE_MS;',
        'const isLate = ({ at }: { at: number }) => clock.now() - at > MOST_AGE_MS;',
      ),
    ],
    expected: [25, 26],
    needs: ['mediation', 'clock-jump', 'little-gas', 'endpoint-errors'],
    unseen:
      'A clock that is more than 15 seconds behind the newest block ends all promises, so that the balance counts for 15 seconds longer at most.',
    noticedBy: 'unit/node/gas-watch.test.ts',
  },
  {
    id: 'R46a',
    title: 'A token may burn as much gas in a settlement as it likes.',
    edits: [
      sending(
        'const most = mostGas ?? MOST_GAS[call.kind];',
        'const most: bigint | undefined = undefined;',
      ),
    ],
    expected: [5, 26],
    needs: ['hostile-token', 'settle'],
    world: 'a token burns gas when a channel is settled',
    noticedBy: null,
  },
  {
    id: 'R46b',
    title: 'A settlement that a token makes fail each time is sent again at once, for ever.',
    edits: [
      schedule(
        'return pauses === 0 ? 0n : lostBlock + FIRST_LOSS_PAUSE * LOSS_PAUSE_GROWTH ** BigInt(pauses - 1);',
        'return pauses === 0 ? 0n : lostBlock;',
      ),
    ],
    expected: [5, 26],
    needs: ['hostile-token', 'settle'],
    world: 'a token fails when a channel is settled',
    noticedBy: 'unit/chain/schedule.test.ts',
  },
  {
    id: 'R60a',
    title: 'The node takes on more locks than it could bring on chain in time.',
    edits: [
      lockRules(
        'partners.all >= roomLeft(pending.byTimeout(), revealTimeout, room) ||',
        'partners.all >= 2 ** 30 ||',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'many-registrations', 'withheld-unlock', 'full-blocks'],
    noticedBy: 'unit/node/lock-rules.test.ts',
  },
  {
    id: 'R60b',
    title: 'Each secret is registered in a transaction of its own.',
    edits: [
      editIn('src/chain/queue/registrations.ts')(
        'if (others.length === 1) return others;',
        'if (others.length > 0) return others.slice(0, 1);',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'many-registrations', 'withheld-unlock'],
    world: 'many secrets are to be registered at once',
    noticedBy: null,
  },
  {
    id: 'R60c',
    title: 'Registrations that came too late go first, and those in time wait behind them.',
    edits: [
      schedule(
        'return headBlock >= (isUnderWay ? deadlineBlock + confirmations + 1n : deadlineBlock);',
        'return false;',
      ),
    ],
    expected: [5, 25, 26],
    needs: ['mediation', 'many-registrations', 'withheld-unlock', 'full-blocks'],
    noticedBy: 'unit/chain/schedule.test.ts',
  },
  {
    id: 'R60d',
    title: 'Registrations go before the proofs that save whole channels.',
    edits: [
      schedule(
        "export const CLASSES = ['protect', 'register', 'other'] as const;",
        "export const CLASSES = ['register', 'other', 'protect'] as const;",
      ),
      schedule(
        "if (kind === 'register') return waiting.register < MOST_OF_CLASS.register;\n  if (kind === 'other' && waiting.other >= MOST_OF_CLASS.other) return false;",
        "if (kind !== 'protect' && all < MOST_WAITING) return MOST_OF_CLASS.other > 0;",
      ),
    ],
    expected: [5, 24, 25],
    needs: ['many-registrations', 'partner-stale-close', 'full-blocks'],
    noticedBy: 'unit/chain/schedule.test.ts',
  },
  {
    id: 'R61a',
    title: 'The node passes transfers on with an account that cannot pay for a registration.',
    edits: [
      lockRules(
        "onShort(wanted);\n    return 'insufficient_gas';",
        'onShort(wanted);\n    return null;',
      ),
    ],
    expected: [5, 6, 25, 26],
    needs: ['mediation', 'little-gas', 'withheld-unlock'],
    world: 'a mediator has no money for gas',
    noticedBy: 'unit/node/lock-rules.test.ts',
  },
  {
    id: 'R61c',
    title: 'The gas reserve of a channel has one registration in it, however many locks there are.',
    edits: [
      editIn('src/node/chain/gas/gas-reserve.ts')(
        'registerSecret * BigInt(registrations);',
        'registerSecret * BigInt(Math.min(registrations, 1));',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'little-gas', 'withheld-unlock', 'many-registrations'],
    noticedBy: 'unit/node/gas-reserve.test.ts',
  },
  {
    id: 'R61d',
    title:
      'The money for gas that a node should have counts no channels that strangers have opened.',
    edits: [
      editIn('src/node/chain/protection.ts')(
        'reserveOf(weiFor(pending.gas(), ',
        'reserveOf(weiFor(pending.gasOfOwn(), ',
      ),
    ],
    expected: [28],
    needs: ['little-gas'],
    world: 'strangers open channels with a node that has little gas',
    noticedBy: null,
  },
  {
    id: 'R61e',
    title: 'A node says that it lacks money for gas, however much it has.',
    edits: [
      editIn('src/node/health/table.ts')(
        'return spare < wanted ? texts.missingGas(own, spare, wanted) : null;',
        'return texts.missingGas(own, spare, wanted);',
      ),
    ],
    expected: [28],
    needs: ['direct-payment'],
    world: 'partners pay each other',
    noticedBy: null,
  },
];
