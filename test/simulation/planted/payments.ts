/** Payments at their two ends: what the initiator answers, and what the target claims. */
import { editIn, type PlantedBug } from './patch.ts';

const initiatorOutcome = editIn('machines/initiator/outcome.ts');
const initiatorLock = editIn('machines/initiator/lock.ts');
const initiator = editIn('machines/initiator/chart.ts');
const target = editIn('machines/target/chart.ts');
const targetSecret = editIn('machines/target/secret.ts');
const sealing = editIn('src/node/messaging/sealing.ts');
const payments = editIn('src/node/api/payments.ts');

export const PAYMENTS: readonly PlantedBug[] = [
  {
    id: 'R7a',
    title:
      'The target does not tell its channel of a registration that somebody else was faster with.',
    edits: [target("actions: ['learnFromChain', 'passBack'],", "actions: ['passBack'],")],
    expected: [5, 13, 16],
    needs: ['direct-payment', 'withheld-unlock', 'front-running', 'early-lock-expired'],
    world: 'a payer registers the secret, withholds the unlock and takes its lock back',
    noticedBy: 'unit/machines/target.test.ts',
  },
  {
    id: 'R8b',
    title: 'The target pays for a registration without waiting for the unlock.',
    edits: [
      targetSecret(
        'return { ...payment, secret, wakeBlock: unsafeBlock(payment) };',
        'return { ...payment, secret, wakeBlock: 0n };',
      ),
    ],
    expected: [26],
    needs: ['direct-payment', 'lost-messages'],
    world: 'a payer withholds unlocks of direct payments',
    noticedBy: 'unit/machines/target.test.ts',
  },
  {
    id: 'R20a',
    title: 'Two calls at once with one identifier make two payments.',
    edits: [
      payments(
        'const same = flightOf(payment);\n      if (same !== undefined) return sameOrRefused(same, request, call);',
        '',
      ),
    ],
    expected: [29],
    needs: ['direct-payment', 'same-identifier'],
    world: 'two calls have one identifier',
    noticedBy: null,
  },
  {
    id: 'R20c',
    title: 'Another attempt begins although the secret has come with the first one.',
    edits: [
      payments('const isOnly = alternatives.length === 0;', 'const isOnly = true;'),
      initiatorLock('context.order.sealedSecret !== null,', 'context.order.attempt < 0,'),
    ],
    expected: [29],
    needs: ['mediation', 'refund'],
    world: 'a first hop gives back a transfer that could bring its secret',
    noticedBy: 'charts/payment-charts.test.ts',
  },
  {
    id: 'R21b',
    title: 'A payment whose channel is closed after its secret was shown is never answered.',
    edits: [initiator("'chain.block': { target: 'failed', actions: 'failClosed' },", '')],
    expected: 'liveness',
    needs: ['direct-payment', 'partner-close'],
    world: 'a target knows the secret and a mediator closes',
    noticedBy: 'unit/machines/initiator.test.ts',
  },
  {
    id: 'R21c',
    title: 'The target asks for the secret for ever when it does not come.',
    edits: [
      target(
        "'actor.channelClosed': { guard: 'isOwnChannel', target: 'closed' },\n        'chain.block': { target: 'expiring', actions: 'fallSilent' },",
        "'actor.channelClosed': { guard: 'isOwnChannel', target: 'closed' },",
      ),
      target(
        "lost: { type: 'final', description: 'The lock is gone unpaid.', entry: 'fallSilent' },",
        "lost: { type: 'final', description: 'The lock is gone unpaid.' },",
      ),
    ],
    expected: 'liveness',
    needs: ['direct-payment', 'silent-partner'],
    world: 'a payer does not hear what its target asks',
    noticedBy: 'unit/machines/target.test.ts',
  },
  {
    id: 'R22a',
    title: 'An attempt that was given up is forgotten while its lock still stands.',
    edits: [
      initiator(
        "'chain.block': { target: 'replaced', actions: 'expireLock' },",
        "'chain.block': { target: 'replaced' },",
      ),
    ],
    expected: [13],
    needs: ['mediation', 'alternatives', 'refund'],
    world: 'a first hop gives a transfer back, and there is another way',
    noticedBy: 'unit/machines/retry.test.ts',
  },
  {
    id: 'R22b',
    title: 'A payment whose lock has run out is answered, and its lock is never taken back.',
    edits: [
      initiator(
        "{ target: 'failed', actions: ['expireLock', 'failExpired'] },\n        ],",
        "{ target: 'failed', actions: ['failExpired'] },\n        ],",
      ),
    ],
    expected: [13],
    needs: ['direct-payment', 'silent-partner'],
    world: 'a payee is silent',
    noticedBy: 'unit/machines/initiator.test.ts',
  },
  {
    id: 'R24b',
    title:
      'A payment is called failed when its channel closes, although the target has the secret.',
    edits: [
      initiator(
        "'actor.channelClosed': { target: 'disputed', actions: 'stopRevealing' },",
        "'actor.channelClosed': { target: 'failed', actions: 'failClosed' },",
      ),
    ],
    expected: [8],
    needs: ['direct-payment', 'partner-close', 'registers-on-chain'],
    world: 'a mediator closes and registers',
    noticedBy: 'unit/machines/initiator.test.ts',
  },
  {
    id: 'R24c',
    title:
      'The initiator pays once more over another way while the target can claim the first lock.',
    edits: [
      initiator(
        "'actor.channelClosed': { target: 'disputed', actions: 'stopRevealing' },",
        "'actor.channelClosed': [\n          { guard: 'hasNextAttempt', target: 'abandoned', actions: 'spawnNextAttempt' },\n          { target: 'disputed', actions: 'stopRevealing' },\n        ],",
      ),
    ],
    expected: [5, 8, 29],
    needs: ['mediation', 'alternatives', 'partner-close', 'registers-on-chain'],
    world: 'a first hop closes, and there is another way',
    noticedBy: null,
  },
  {
    id: 'R25d',
    title: 'The initiator takes a lock back whose secret the target has brought on chain.',
    edits: [
      initiator(
        "guard: 'isInTime',\n      target: '.paid',\n      actions: ['tellRegistered', 'pay'],",
        "guard: 'isInTime',\n      actions: 'stopRevealing',",
      ),
    ],
    expected: [8, 16],
    needs: ['direct-payment', 'registers-on-chain'],
    world: 'a target registers in time',
    noticedBy: 'unit/machines/initiator.test.ts',
  },
  {
    id: 'R25e',
    title: 'The target never turns to the chain when its payer withholds the unlock.',
    edits: [
      targetSecret(
        'return { ...payment, secret, wakeBlock: unsafeBlock(payment) };',
        'return { ...payment, secret, wakeBlock: null };',
      ),
    ],
    expected: [5, 25],
    needs: ['direct-payment', 'withheld-unlock'],
    world: 'a payer withholds unlocks of direct payments',
    noticedBy: 'unit/machines/target.test.ts',
  },
  {
    id: 'R33a',
    title: 'The history tells the secret of a payment that failed.',
    edits: [
      initiatorOutcome(
        'function expiredReason({ isSpoilt, isRefunded }: InitiatorContext): string {',
        'function expiredReason({ isSpoilt, isRefunded, order }: InitiatorContext): string {',
      ),
      initiatorOutcome(
        ": 'lock expired before it was claimed';",
        ": 'lock expired before it was claimed for '.concat(order.secret);",
      ),
    ],
    expected: [31],
    needs: ['direct-payment', 'silent-partner'],
    world: 'a payee is silent',
    noticedBy: null,
  },
  {
    id: 'R42c',
    title: 'The initiator shows the secret to a target that gets less than it is to be paid.',
    edits: [initiatorLock('message.amount >= order.amount;', 'message.amount > 0n;')],
    expected: [8, 9, 15],
    needs: ['mediation', 'greedy-mediator'],
    world: 'a mediator passes on less than it was given',
    noticedBy: 'unit/machines/retry.test.ts',
  },
  {
    id: 'R42e',
    title: 'The target shows a secret that came with a lock, whatever the lock holds.',
    edits: [
      sealing(
        'return secrethashOf(secret) === secrethash && lockAmount >= amount ? secret : null;',
        'return secrethashOf(secret) === secrethash && lockAmount > 0n ? secret : null;',
      ),
    ],
    expected: [8, 9, 15],
    needs: ['mediation', 'greedy-mediator'],
    world: 'a mediator passes on less of a payment whose secret comes with it',
    noticedBy: 'unit/node/sealing.test.ts',
  },
  {
    id: 'R44c',
    title: 'The initiator shows the secret at the word of anybody who knows the payment.',
    edits: [
      initiatorLock(
        'if (sender !== order.target || isSpoilt) return false;',
        'if (isSpoilt) return false;',
      ),
    ],
    expected: [8, 15],
    needs: ['mediation', 'wrong-secret-request'],
    world: 'a mediator asks for the secret',
    noticedBy: 'unit/machines/initiator.test.ts',
  },
  {
    id: 'R44d',
    title: 'The initiator still shows the secret after a request of the target that did not fit.',
    edits: [
      initiatorLock(
        'if (sender !== order.target || isSpoilt) return false;',
        'if (sender !== order.target) return false;',
      ),
    ],
    expected: [15],
    needs: ['direct-payment', 'wrong-secret-request'],
    world: 'a target asks for another expiration, and then for the right one',
    noticedBy: 'unit/machines/initiator.test.ts',
  },
];
