/** What a channel takes of its partner, and what it signs itself. */
import { editIn, type PlantedBug } from './patch.ts';

const incoming = editIn('machines/channel/incoming.ts');
const ownLocks = editIn('machines/channel/locks.ts');
const mediation = editIn('machines/channel/mediation.ts');
const inbox = editIn('src/node/messaging/inbox.ts');
const expiration = editIn('src/protocol/channel/expiration.ts');
const end = editIn('src/protocol/channel/channel-end.ts');

export const LOCKS: readonly PlantedBug[] = [
  {
    id: 'R2b',
    title: 'The mediator’s lock for the payee expires after the payer’s.',
    edits: [
      mediation(
        'const lock = { amount: asked.amount, secrethash, expiration };',
        'const lock = { amount: asked.amount, secrethash, expiration: expiration + 1n };',
      ),
    ],
    expected: [6, 7],
    needs: ['mediation'],
    world: 'a payment passes one node',
    noticedBy: 'unit/machines/channel-mediation.test.ts',
  },
  {
    id: 'R2c',
    title: 'The node takes a lock that leaves exactly its reveal timeout.',
    edits: [
      expiration(
        'return lockTimeout > revealTimeout && lockTimeout <= settleTimeout;',
        'return lockTimeout >= revealTimeout && lockTimeout <= settleTimeout;',
      ),
    ],
    expected: 'margin',
    needs: ['mediation', 'short-lock'],
    world: 'a lock leaves just the reveal timeout',
    noticedBy: 'unit/machines/channel-mediation.test.ts',
  },
  {
    id: 'R2d',
    title: 'The node takes a lock that is one block longer than the settle timeout.',
    edits: [
      expiration(
        'return lockTimeout > revealTimeout && lockTimeout <= settleTimeout;',
        'return lockTimeout > revealTimeout && lockTimeout <= settleTimeout + 1n;',
      ),
    ],
    expected: 'margin',
    needs: ['mediation', 'long-lock'],
    world: 'a lock is one block longer than the settle timeout',
    noticedBy: 'unit/machines/channel-mediation.test.ts',
  },
  {
    id: 'R3a',
    title: 'The node takes balance proofs that are good on another chain only.',
    edits: [
      inbox("if ('chainId' in message && message.chainId !== chainId) return 'another chain';", ''),
      incoming(
        'if (message.chainId !== channel.chainId || message.tokenNetwork !== channel.tokenNetwork)',
        'if (message.tokenNetwork !== channel.tokenNetwork)',
      ),
    ],
    expected: [5, 6, 14, 24],
    needs: ['mediation', 'foreign-proof', 'partner-close'],
    world: 'a payer signs for another chain',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R9a',
    title: 'The node takes a 161st lock of its partner.',
    edits: [
      incoming(
        "if (partnerEnd.locks.length >= MAX_PENDING_LOCKS) return 'too many locks';",
        "if (partnerEnd.locks.length > MAX_PENDING_LOCKS) return 'too many locks';",
      ),
    ],
    expected: [12],
    needs: ['direct-payment', 'many-locks'],
    world: 'a partner fills a channel with locks',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R9b',
    title: 'The node signs a 161st lock, which the partner never takes.',
    edits: [
      ownLocks(
        "if (ownEnd.locks.length >= MAX_PENDING_LOCKS) return lockRefused('too_many_locks');",
        "if (ownEnd.locks.length > MAX_PENDING_LOCKS) return lockRefused('too_many_locks');",
      ),
    ],
    expected: [12],
    needs: ['direct-payment', 'many-locks'],
    unseen: 'No payment of its own gets so far, and a mediator keeps places for itself.',
    noticedBy: 'unit/machines/channel-budgets.test.ts',
  },
  {
    id: 'R10a',
    title: 'The node lets transferred and locked amounts grow beyond 256 bits.',
    edits: [end('return free < headroom ? free : headroom;', 'return free;')],
    expected: [11, 30],
    needs: ['direct-payment', 'large-amounts'],
    unseen: 'No scenario can say amounts near 2^256: wallets hold 10^24.',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R12a',
    title: 'The node pays with a secret of zeros, which everybody knows.',
    edits: [
      editIn('src/node/api/payment-values.ts')(
        "if (secret === ZERO_HASH) return failure('invalid_secret', 'The zero secret protects nothing.');",
        '',
      ),
    ],
    expected: [8, 15],
    needs: ['mediation', 'chosen-secret', 'zero-secret'],
    world: 'a node pays with a secret of zeros',
    noticedBy: 'unit/machines/payment-order.test.ts',
  },
  {
    id: 'R12b',
    title: 'The mediator passes on a transfer with the hash of a secret of zeros.',
    edits: [
      mediation(
        'if (hops.length === 0 || lock.secrethash === HASH_OF_ZERO) return [];',
        'if (hops.length === 0) return [];',
      ),
    ],
    expected: [5, 6, 15],
    needs: ['mediation', 'zero-secret', 'withheld-unlock'],
    world: 'a payer locks the hash of zeros',
    noticedBy: 'unit/machines/channel-mediation.test.ts',
  },
  {
    id: 'R14a',
    title: 'The node ends when a partner unlocks a lock that is not there.',
    edits: [
      incoming(
        "return findLock(channel.partnerEnd, secrethash) ?? 'no lock for this secret';",
        "const lock = findLock(channel.partnerEnd, secrethash);\n      if (lock === undefined) throw new Error('channel: no such lock');\n      return lock;",
      ),
    ],
    expected: [30],
    needs: ['direct-payment', 'forged-fields'],
    world: 'a payer unlocks what is not locked',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R14b',
    title: 'The node takes a lock above what the partner has, and ends.',
    edits: [
      incoming(
        "return lock.amount > distributable(partnerEnd, ownEnd) ? 'more than the partner has' : lock;",
        'return lock;',
      ),
    ],
    expected: [2, 30],
    needs: ['direct-payment', 'forged-fields'],
    world: 'a payer locks more than it has',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R14c',
    title: 'The node takes amounts and a locksroot that do not follow from what it holds.',
    edits: [
      incoming(
        'message.lockedAmount === expected.lockedAmount &&\n    message.locksroot === expected.locksroot;',
        'message.lockedAmount === expected.lockedAmount;',
      ),
    ],
    expected: [5, 6, 12, 24],
    needs: ['mediation', 'forged-fields', 'partner-close'],
    world: 'a payer changes a lock after signing',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R26a',
    title: 'The node takes a message whose nonce it has taken before.',
    edits: [
      incoming(
        "if (message.nonce <= nonce) return { kind: 'repeated' };",
        "if (message.nonce === nonce) return { kind: 'repeated' };",
      ),
    ],
    expected: [10, 11, 14, 30],
    needs: ['direct-payment', 'repeated-old-messages'],
    world: 'a payer uses a nonce again',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R26b',
    title: 'The node acknowledges no message that comes again: its sender repeats it for ever.',
    edits: [
      incoming('return acknowledgeAgain(channel, event);', 'return { patch: {}, effects: [] };'),
    ],
    expected: 'liveness',
    needs: ['direct-payment', 'lost-messages'],
    unseen: 'The partners tell each other what they hold, and the sender has its answer.',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R75a',
    title: 'The node takes of an Update what comes before its wrong change.',
    edits: [
      incoming(
        "if (typeof found === 'string') return { reason: found, place };",
        "if (typeof found === 'string') return steps.length > 0 ? steps : { reason: found, place };",
      ),
      incoming(
        '  const matches =\n    steps.length > 0 &&\n    message.transferredAmount === expected.transferredAmount &&\n    message.lockedAmount === expected.lockedAmount &&\n    message.locksroot === expected.locksroot;',
        '  const matches = steps.length > 0 && expected.nonce > 0n;',
      ),
    ],
    expected: [5, 6, 12, 14, 19, 24],
    needs: ['direct-payment', 'wrong-updates'],
    world: 'a payer mixes a wrong change among good ones',
    noticedBy: 'unit/machines/channel-signing.test.ts',
  },
  {
    id: 'R75b',
    title: 'The signature of an Update covers its first change only.',
    edits: [
      editIn('src/protocol/messages/update.ts')(
        '...changes.flatMap(packedChange),',
        '...changes.slice(0, 1).flatMap(packedChange),',
      ),
    ],
    expected: [5, 6, 14],
    needs: ['direct-payment', 'wrong-updates'],
    unseen: 'The locksroot and the amounts bind the locks, and each node says what it has signed.',
    noticedBy: 'unit/protocol/message-hash.test.ts',
  },
  {
    id: 'R75c',
    title: 'The node signs after it has begun to close, what it had changed before.',
    edits: [
      editIn('machines/channel/chart.ts')(
        "'cmd.close': { target: 'closing', actions: ['sign', 'submitClose'] },",
        "'cmd.close': { target: 'closing', actions: 'submitClose' },",
      ),
    ],
    expected: [18],
    needs: ['direct-payment', 'settle'],
    unseen: 'The close and the changes before it are in one batch, in whatever order.',
    noticedBy: 'unit/machines/channel-signing.test.ts',
  },
  {
    id: 'R28a',
    title: 'The node lends out again what is locked already.',
    edits: [
      end('const free = balance(side, other) - side.locked;', 'const free = balance(side, other);'),
    ],
    expected: [2, 30],
    needs: ['direct-payment', 'many-payments'],
    world: 'a node pays the same money twice',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
  {
    id: 'R28b',
    title: 'The API shows a balance in which what is locked still counts.',
    edits: [
      editIn('src/node/api/views.ts')(
        'const mine = balance(own, partner) - own.locked;',
        'const mine = balance(own, partner);',
      ),
    ],
    expected: [2, 28],
    needs: ['direct-payment', 'silent-partner'],
    world: 'a payee is silent',
    noticedBy: 'unit/machines/channel-locks.test.ts',
  },
  {
    id: 'R31a',
    title: 'The target counts as paid when a lock with its secrethash is paid in another channel.',
    edits: [
      editIn('machines/target/secret.ts')(
        '(payment, { channel }) => channel === payment.channel,',
        '() => true,',
      ),
    ],
    expected: [5, 8, 13],
    needs: ['direct-payment', 'reused-secrethash'],
    unseen: 'No cheat can unlock in one channel with a secret that only another node has heard.',
    noticedBy: 'unit/machines/target-channel.test.ts',
  },
  {
    id: 'R44a',
    title: 'The node takes balance proofs that a stranger has signed.',
    edits: [
      incoming(
        "if (sender !== channel.partner)\n    return { kind: 'refused', reason: 'signed by a stranger', place: null };",
        '',
      ),
    ],
    expected: [5, 14, 24],
    needs: ['direct-payment', 'strangers', 'forged-fields'],
    world: 'a payer signs in the channel of others',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R44b',
    title: 'The node takes balance proofs that are not signed by who has sealed them.',
    edits: [inbox("return signer === sender ? null : 'signature';", 'return null;')],
    expected: [5, 6, 14, 24],
    needs: ['mediation', 'bad-signature', 'partner-close'],
    world: 'a payer signs something else than it says',
    noticedBy: 'unit/node/publish.test.ts',
  },
];
