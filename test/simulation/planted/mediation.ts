/** Transfers that are passed on: when, to whom, and how what was paid for them comes back. */
import { editIn, type PlantedBug } from './patch.ts';

const mediatorPayee = editIn('machines/mediator/payee.ts');
const mediatorPayer = editIn('machines/mediator/payer.ts');
const chart = editIn('machines/mediator/chart.ts');
const forwarding = editIn('machines/channel/mediation.ts');
const secrethashes = editIn('src/node/runtime/knowledge/secrethashes.ts');
const timeouts = editIn('src/protocol/channel/expiration.ts');

export const MEDIATION: readonly PlantedBug[] = [
  {
    id: 'R2a',
    title:
      'The mediator passes on a transfer whose lock outlives the settlement of the payer’s channel.',
    edits: [
      mediatorPayee(
        'isLockTimeoutAllowed(lockTimeout, revealTimeout, settleTimeout) &&',
        'lockTimeout > revealTimeout ||',
      ),
    ],
    expected: [5, 6],
    needs: ['mediation', 'long-lock', 'partner-close', 'registers-on-chain'],
    world: 'a lock outlives the settlement of its channel',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R8a',
    title: 'The mediator pays for the registration of a secret although it passed nothing on.',
    edits: [
      chart(
        "{ guard: and(['isForwarded', 'isUnknown']), actions: 'learn' },",
        "{ guard: 'isBeforeExpiration', target: 'registering', actions: ['learn', 'register'] },",
      ),
    ],
    expected: [26],
    needs: ['mediation', 'early-reveal'],
    world: 'a secret is shown to a mediator that passed nothing on',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R24a',
    title:
      'The mediator takes its lock back when the payee gives the transfer back, which can still claim it.',
    edits: [
      chart(
        "'actor.refunded': { guard: 'isFromPayee', actions: 'noteRefunded' },",
        "'actor.refunded': { guard: 'isFromPayee', actions: ['noteRefunded', 'expirePayee'] },",
      ),
    ],
    expected: [16],
    needs: ['mediation', 'refund'],
    world: 'a next hop gives a transfer back',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R25a',
    title: 'The mediator makes no use of a secret that its payee has brought on chain.',
    edits: [
      chart(
        "'chain.secretRevealed': {\n              guard: 'isInTime',\n              target: '.registered',\n              actions: ['learn', 'passBack'],\n            },",
        '',
      ),
    ],
    expected: [5, 6, 16],
    needs: ['mediation', 'registers-on-chain', 'withheld-unlock'],
    world: 'a payee registers in time, and the payer takes its lock back',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R25b',
    title:
      'The mediator does not tell its channel that the secret of its payer’s lock stands on chain.',
    edits: [chart("entry: 'awaitPayer',", '')],
    expected: [5, 6, 16],
    needs: ['mediation', 'registers-on-chain', 'withheld-unlock', 'early-lock-expired'],
    world: 'a payee registers in time, and the payer takes its lock back',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R25c',
    title: 'The mediator pays its payee when the secret comes too late to be paid itself.',
    edits: [
      chart(
        "'msg.revealSecret': { guard: 'isPayable', target: 'unlocked', actions: 'learn' },",
        "'msg.revealSecret': { target: 'unlocked', actions: 'learn' },",
      ),
    ],
    expected: [5, 6, 15],
    needs: ['mediation', 'late-reveal', 'withheld-unlock'],
    world: 'a secret comes when it is too late to register it',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R48a',
    title: 'The mediator never wakes to register a secret when its payer withholds the unlock.',
    edits: [
      mediatorPayer(
        'patch: woken(mediator, { payerBlock: unsafeBlock(mediator) }),\n    effects: passBack(mediator),',
        'patch: {},\n    effects: passBack(mediator),',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'withheld-unlock'],
    world: 'a payer withholds unlocks',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R54a',
    title: 'The mediator drops the routes of a transfer that it passes on.',
    edits: [
      mediatorPayee(
        'const passedOn = { paymentId, secrethash, expiration, initiator, target, metadata };',
        "const passedOn = { paymentId, secrethash, expiration, initiator, target, metadata: '{}' };",
      ),
    ],
    expected: [27],
    needs: ['mediation', 'long-routes'],
    world: 'a payment goes a long way',
    noticedBy: null,
  },
  {
    id: 'R55a',
    title: 'The mediator pays several times for one and the same way of its balance to the middle.',
    edits: [
      forwarding(
        'const underWay = (locked: bigint, { capFees }: FeeTerms): bigint => (capFees ? 0n : locked);',
        'const underWay = (): bigint => 0n;',
      ),
    ],
    expected: [5],
    needs: ['mediation', 'imbalance-fees', 'many-payments'],
    unseen: 'No world has fees that pay for the way to the middle.',
    noticedBy: 'unit/machines/channel-mediation.test.ts',
  },
  {
    id: 'R57a',
    title: 'The check of a secrethash does not see a mediator that ended in the open batch.',
    edits: [
      secrethashes(
        'const hasEndedNow = (id: string) => retired.includes(id) || ended.includes(id);',
        'const hasEndedNow = () => false;',
      ),
      editIn('src/store/base/batch.ts')(
        "inBoth(actors, batch.retired, 'is written and retired') ??\n    inBoth(actors, batch.ended, 'is written and marked as ended') ??",
        '',
      ),
    ],
    expected: [5, 6, 13],
    needs: ['mediation', 'ghost-mediator', 'crash'],
    unseen: 'Since then a keeper answers for each lock that has no mediator any more.',
    noticedBy: 'unit/node/secrethashes.test.ts',
  },
  {
    id: 'R57b',
    title: 'A partner ends the node with one secrethash twice in one payload.',
    edits: [
      secrethashes(
        'const hasEndedNow = (id: string) => retired.includes(id) || ended.includes(id);',
        'const hasEndedNow = () => false;',
      ),
    ],
    expected: [13, 30],
    needs: ['mediation', 'ghost-mediator'],
    world: 'a payer locks the same secrethash again with each unlock',
    noticedBy: 'unit/node/secrethashes.test.ts',
  },
  {
    id: 'R57c',
    title: 'The node passes on a transfer whose secret stands on chain already.',
    edits: [
      secrethashes(
        "const isKnownToAll = role === 'mediator' && isPublic(store, secrethash);",
        'const isKnownToAll = false;',
      ),
    ],
    expected: [5, 6],
    needs: ['mediation', 'public-secret'],
    unseen: 'The secret stands on chain in time for both locks, so that nobody loses.',
    noticedBy: 'unit/node/secrethashes.test.ts',
  },
  {
    id: 'R58a',
    title: 'The node relies on reveal timeouts in which nothing can be registered.',
    edits: [
      timeouts('return least > floor ? least : floor;', 'return floor;'),
      editIn('src/node/chain/lock-rules.ts')(
        'const blocks = revealTimeout - confirmations - BLOCKS_TO_BE_SEEN;',
        'const blocks = revealTimeout;',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'small-settle-timeout', 'withheld-unlock'],
    world: 'the payer chose a settle timeout that is too short',
    noticedBy: 'unit/machines/reveal-timeout.test.ts',
  },
  {
    id: 'R58b',
    title: 'The node takes payments in a channel that is settled before it can answer a close.',
    edits: [
      timeouts(
        'return revealTimeout >= least && settleTimeout >= 2n * revealTimeout;',
        'return revealTimeout >= least;',
      ),
      editIn('machines/channel/timeouts.ts')(
        'return isRevealChosen || revealTimeout < longest ? revealTimeout : longest;',
        'return isRevealChosen || longest > 0n ? revealTimeout : longest;',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['direct-payment', 'small-settle-timeout', 'partner-stale-close', 'full-blocks'],
    world: 'the partner chose a settle timeout that is too short',
    noticedBy: 'unit/machines/reveal-timeout.test.ts',
  },
  {
    id: 'R58c',
    title: 'The node matches deposits into a channel whose timeouts it cannot rely on.',
    edits: [editIn('machines/channel/deposit.ts')('if (!canMediate(channel)) return [];', '')],
    expected: [5, 25],
    needs: ['matching-deposits', 'small-settle-timeout', 'partner-stale-close', 'full-blocks'],
    unseen: 'No scenario lets nodes join and match deposits.',
    noticedBy: 'unit/machines/reveal-timeout.test.ts',
  },
  {
    id: 'R58d',
    title: 'After a start with more confirmations, channels and transfers go by the old ones.',
    edits: [
      editIn('src/node/life.ts')(
        "deliver(...['node', ...networkActors, ...found.outdated].map((to) => ({ to, event })));",
        "deliver(...['node', ...networkActors].map((to) => ({ to, event })));",
      ),
    ],
    expected: [16, 25],
    needs: ['mediation', 'changed-settings', 'withheld-unlock'],
    unseen: 'No scenario starts a node again with other confirmations.',
    noticedBy: null,
  },
  {
    id: 'R61b',
    title:
      'The node goes on passing transfers on for a payer whose locks it had to claim on chain.',
    edits: [
      editIn('src/node/chain/lock-rules.ts')(
        "isForwarded && pending.forcedBy(partner) > 0 ? 'no_route' : null;",
        "isForwarded && pending.forcedBy(partner) < 0 ? 'no_route' : null;",
      ),
    ],
    expected: [5, 26],
    needs: ['mediation', 'withheld-unlock', 'many-payments'],
    world: 'a payer withholds unlocks, and pays on',
    noticedBy: 'unit/node/lock-rules.test.ts',
  },
  {
    id: 'R67a',
    title: 'One payer may fill every place of an outgoing channel.',
    edits: [forwarding("if (times > BigInt(freeSlots)) return lockRefused('too_many_locks');", '')],
    expected: [27],
    needs: ['mediation', 'dust'],
    world: 'a payer fills a channel with dust',
    noticedBy: 'unit/machines/channel-budgets.test.ts',
  },
  {
    id: 'R67b',
    title: 'Others may take the places of an outgoing channel that are kept for own payments.',
    edits: [forwarding('const SLOTS_FOR_OWN = 16;', 'export const SLOTS_FOR_OWN = 0;')],
    expected: 'liveness',
    needs: ['mediation', 'dust', 'direct-payment'],
    unseen: 'The places for own payments are reached by eight colluding payers and more.',
    noticedBy: 'unit/machines/channel-budgets.test.ts',
  },
  {
    id: 'R67c',
    title: 'Dust may take all the room that there is for registrations.',
    edits: [
      editIn('src/node/chain/lock-rules.ts')(
        '(isSmall && partners.small >= roomLeft(',
        '(isSmall && partners.small >= 2 ** 30 * roomLeft(',
      ),
    ],
    expected: 'liveness',
    needs: ['mediation', 'dust', 'many-registrations'],
    unseen: 'Another limit, of one payer in one channel, is met first.',
    noticedBy: 'unit/node/lock-rules.test.ts',
  },
];
