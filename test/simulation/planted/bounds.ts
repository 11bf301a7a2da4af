/** What others order has bounds: messages, what waits for them, gas, and room for registrations. */
import { editIn, type PlantedBug } from './patch.ts';

const ledger = editIn('src/node/chain/gas/ledger.ts');
const outbox = editIn('src/node/runtime/outbox/outbox.ts');
const publish = editIn('src/node/messaging/publish.ts');
const rules = editIn('src/node/chain/lock-rules.ts');
const backlog = editIn('src/node/runtime/outbox/backlog.ts');

const SYNCS = editIn('src/node/messaging/allowance.ts')(
  "heard.take(channel) ? null : refused('syncs', 'too many Syncs for one channel')",
  'heard.take(channel) ? null : null',
);
const ALL_THAT_WAITS = [
  outbox(
    'const [oldest, ...rest] = [...slice(sendable(lane))];',
    'const [oldest, ...rest] = lane.entries.values();',
  ),
  outbox(
    'return since < 0.9 * tripOf(lane).soonest() ? [] : [oldest, ...rest];',
    'return since < 0 ? [] : [oldest, ...rest];',
  ),
  publish('entry.isLeaving = true;', ''),
];
const EACH_TIME = editIn('src/node/runtime/commits/perform.ts')(
  "else if (item.type === 'resend') asked.add(item.queue);",
  "else if (item.type === 'resend') publisher.repeat(outbox.lacking(item.queue));",
);
const SIGNED_ANEW = publish('entry.line ??= lineOf(message);', 'entry.line = lineOf(message);');
const SENT_AT_ONCE = publish('if (round.isOver()) break;', '');
const NOT_FIRST = editIn('src/node/chain/pressure.ts')(
  'return (elapsed() - since) % (2 * LONGEST_MS) < LONGEST_MS;',
  'return false;',
);
const BUSY = 'a partner asks a busy mediator for all its messages';
const STRANGERS = 'keys of which nobody has heard leave channels to a node';
const ANY_GAS = [
  ledger('!pending.isMoney(sort.token) ? sort.gas : undefined', 'undefined'),
  ledger("if (isPaid && !budgets.canCharge(partner, standing, gas)) return 'budget spent';", ''),
];
const FLOOD = ['many-payments', 'flood'] as const;

export const BOUNDS: readonly PlantedBug[] = [
  {
    id: 'R69a',
    title: 'Each time a partner asks for its messages, all of them are signed and sent at once.',
    edits: [SYNCS, ...ALL_THAT_WAITS, EACH_TIME, SIGNED_ANEW, SENT_AT_ONCE, NOT_FIRST],
    expected: [25, 32],
    needs: FLOOD,
    world: BUSY,
    noticedBy: 'unit/node/outbox.test.ts',
  },
  {
    id: 'R69b',
    title: 'A partner that asks for its messages gets all that wait, however often it asks.',
    edits: ALL_THAT_WAITS,
    expected: [25, 32],
    needs: FLOOD,
    world: BUSY,
    noticedBy: 'unit/node/outbox.test.ts',
  },
  {
    id: 'R69c',
    title: 'A partner may ask for its messages thousands of times in a second.',
    edits: [SYNCS],
    expected: [25],
    needs: FLOOD,
    unseen:
      'What it gets is a slice for each round trip all the same: only its questions cost time.',
    noticedBy: 'unit/node/allowance.test.ts',
  },
  {
    id: 'R69d',
    title: 'Messages are read, and repeated, although blocks and registrations wait.',
    edits: [NOT_FIRST],
    expected: [25],
    needs: FLOOD,
    unseen:
      'Slices give the chain its turn in each round: the node is a little later, and in time.',
    noticedBy: 'unit/node/lateness.test.ts',
  },
  {
    id: 'R69e',
    title: 'All that a partner has sent is read in one round.',
    edits: [
      editIn('src/node/messaging/intake.ts')(
        'while (senders.size > 0 && !round.isOver())',
        'while (senders.size > 0)',
      ),
    ],
    expected: [25],
    needs: FLOOD,
    unseen: 'No payload is so large that a node on a tenth of a core loses a block by reading it.',
    noticedBy: 'unit/node/intake.test.ts',
  },
  {
    id: 'R70a',
    title: 'Any number of messages waits for a partner that never acknowledges.',
    edits: [backlog('if (met !== null) {', 'if (met === null && backlog.rows < 0) {')],
    expected: [32],
    needs: ['many-payments', 'silent-partner'],
    world: 'a payee never acknowledges what it gets',
    noticedBy: 'unit/node/backlog.test.ts',
  },
  {
    id: 'R70b',
    title: 'Metadata that is passed on takes the room of others, and not of who gave it.',
    edits: [
      backlog(
        'if (given < bounds.of.waitingBytes - backlog.bytes) return null;',
        'if (given >= 0) return null;',
      ),
    ],
    expected: [32],
    needs: ['many-payments', 'silent-partner', 'mediation'],
    world: 'a mediator with little room passes on to who never acknowledges',
    noticedBy: 'unit/node/backlog.test.ts',
  },
  {
    id: 'R71a',
    title: 'A payer may force any number of registrations on a node.',
    edits: [
      rules(
        'if (own + REGISTRATION > budgets.budgetOf(partner).most) return refused(partner);',
        '',
      ),
    ],
    expected: [26],
    needs: ['withheld-unlock', 'many-registrations'],
    world: 'a payer unlocks only what is registered',
    noticedBy: 'unit/node/gas-budgets.test.ts',
  },
  {
    id: 'R72a',
    title: 'Locks that a partner merely gives count as money of the node.',
    edits: [
      editIn('src/node/chain/channel-facts.ts')(
        'proven: partnerEnd.transferred + owed,',
        'proven: partnerEnd.transferred + partnerEnd.locked,',
      ),
    ],
    expected: [27],
    needs: ['endless-locks', 'little-gas'],
    world: 'a payer gives locks that never end',
    noticedBy: null,
  },
  {
    id: 'R73a',
    title: 'The shortest reveal timeout limits the locks of all channels.',
    edits: [
      rules(
        'if (timeout >= revealTimeout) left = Math.min(left, roomOf(timeout) - count);',
        'left = Math.min(left, roomOf(timeout) - count);',
      ),
    ],
    expected: [27],
    needs: ['many-locks', 'mediation', 'worthless-token'],
    unseen: 'Payments to a node itself take no room: only locks that are passed on could fill it.',
    noticedBy: 'unit/node/lock-rules.test.ts',
  },
  {
    id: 'R73b',
    title: 'Locks of tokens that are worth nothing take the room of all others.',
    edits: [
      rules(
        'const smallRoom = (timeout: bigint) => Math.floor(room(timeout) / SMALL_PART);',
        'const smallRoom = room;',
      ),
    ],
    expected: [27],
    needs: ['many-locks', 'mediation', 'worthless-token'],
    unseen: 'Payments to a node itself take no room: only locks that are passed on could fill it.',
    noticedBy: 'unit/node/lock-rules.test.ts',
  },
  {
    id: 'R74a',
    title: 'All that waits for a partner is repeated each time, not only the oldest.',
    edits: [
      editIn('src/node/runtime/outbox/lane.ts')(
        'if (lane.queue !== null && sends > 0) mayBeLate = false;',
        '',
      ),
    ],
    expected: [32],
    needs: ['silent-partner', 'many-payments'],
    world: 'a partner with pending locks falls silent',
    noticedBy: 'unit/node/outbox.test.ts',
  },
  {
    id: 'R74b',
    title: 'Pauses between repeats do not become longer.',
    edits: [
      editIn('src/node/runtime/outbox/round-trips.ts')(
        'return Math.max(least, Math.min(pause * 2 ** repeats, LONGEST_PAUSE_MS));',
        'return repeats + least < 0 ? LONGEST_PAUSE_MS : pause;',
      ),
    ],
    expected: [32],
    needs: ['silent-partner', 'many-payments'],
    world: 'a partner with pending locks falls silent',
    noticedBy: 'unit/node/outbox.test.ts',
  },
  {
    id: 'R78a',
    title: 'The node settles what brings it nothing, whatever its token takes.',
    edits: [...ANY_GAS, ledger("if (gain === 0n) return 'not worth its gas';", '')],
    expected: [36],
    needs: ['worthless-token', 'strangers'],
    world: 'keys of which nobody has heard close empty channels',
    noticedBy: 'unit/node/ledger.test.ts',
  },
  {
    id: 'R79a',
    title: 'Whoever has made a token decides how much gas the node pays for it.',
    edits: ANY_GAS,
    expected: [36],
    needs: ['worthless-token', 'strangers'],
    world: STRANGERS,
    noticedBy: 'unit/node/ledger.test.ts',
  },
  {
    id: 'R80a',
    title: 'What others put in for the node counts as its own money.',
    edits: [
      editIn('machines/channel/deposit.ts')(
        'return { patch: { ownEnd: raise(channel.ownEnd) }, effects: [] };',
        'return { patch: { ownEnd: raise(channel.ownEnd), funded: event.totalDeposit }, effects: [] };',
      ),
    ],
    expected: [36],
    needs: ['worthless-token', 'strangers'],
    world: STRANGERS,
    noticedBy: 'unit/node/ledger.test.ts',
  },
  {
    id: 'R81a',
    title: 'A lock for the node itself takes a place before its secret is known.',
    edits: [
      editIn('src/node/chain/claims.ts')(
        "const isOpen = tags.has('mayRegister') && isShownTo(context);",
        "const isOpen = isShownTo({ ...context, secret: context.secret ?? '0x' });",
      ),
    ],
    expected: [37],
    needs: ['endless-locks', 'worthless-token'],
    unseen: 'Small worlds have more places than their few strangers can take.',
    noticedBy: 'unit/node/pending-locks.test.ts',
  },
];
