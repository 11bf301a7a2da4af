/** What is on disk, when, and what a restart makes of it. */
import { editIn, type PlantedBug } from './patch.ts';

const commits = editIn('src/node/runtime/commits/commits.ts');
const turn = editIn('src/node/runtime/commits/turn.ts');
const boot = editIn('src/node/runtime/actors/boot.ts');
const flights = editIn('src/node/api/flights.ts');
const codec = editIn('src/store/base/codec.ts');
const sync = editIn('machines/channel/sync.ts');
const online = editIn('src/node/messaging/online.ts');
const delivery = editIn('src/node/runtime/commits/delivery.ts');
const outbox = editIn('src/node/runtime/outbox/outbox.ts');

export const STORE: readonly PlantedBug[] = [
  {
    id: 'R11a',
    title: 'What is read from disk has lost the last digits of large amounts.',
    edits: [codec('return BigInt(digits);', 'return BigInt(Number(digits));')],
    expected: [12, 14, 20, 39],
    needs: ['large-amounts', 'direct-payment', 'crash'],
    world: 'partners pay each other in large amounts, and one starts again',
    noticedBy: 'unit/store/codec.test.ts',
  },
  {
    id: 'R20b',
    title: 'After a restart a payment that is on its way is made a second time.',
    edits: [
      flights(
        "if (kind === 'initiator' && !initiatorTags(value).has('answersNobody')) note(id, context.order);",
        "if (kind === 'initiator' && initiatorTags(value).has('answersNobody')) note(id, context.order);",
      ),
    ],
    expected: [29],
    needs: ['direct-payment', 'same-identifier', 'crash'],
    world: 'a payment is asked for again after a restart',
    noticedBy: null,
  },
  {
    id: 'R23a',
    title: 'Messages leave before what they rest on is on disk.',
    edits: [
      commits(
        'store.commit(batch.batch);\n      onTheWay += 1;',
        'onTheWay += 1;\n      arrived(batch);\n      store.commit(batch.batch);',
      ),
      commits('arrived(batch);\n          after();', 'after();'),
    ],
    expected: [10, 14, 19],
    needs: ['direct-payment', 'crash'],
    world: 'partners pay each other',
    noticedBy: 'simulation/runs.test.ts',
  },
  {
    id: 'R23b',
    title: 'A message that waits for its batch is sent when it is looked for what is due.',
    edits: [
      editIn('src/node/runtime/outbox/lane.ts')(
        'if (entry.isStored && !entry.isLeaving && !isHeld(lane, entry)) yield entry;',
        'if (!entry.isLeaving && !isHeld(lane, entry)) yield entry;',
      ),
      outbox(
        'keep(newPosted(row, numbered));',
        'keep(newPosted(row, numbered));\n      setTimer(laneOf({ queue, to }), 0);',
      ),
    ],
    expected: [10, 14, 19],
    needs: ['direct-payment', 'crash', 'late-disk'],
    world: 'partners pay each other on disks that are late',
    noticedBy: 'unit/node/outbox.test.ts',
  },
  {
    id: 'R23c',
    title: 'Messages leave when what they rest on is written, and a power cut can still undo it.',
    edits: [
      commits(
        'store.whenDurable(done, fail, () => guarded(() => options.protect(batch)));',
        'done();',
      ),
    ],
    expected: [10, 14, 19],
    needs: ['direct-payment', 'crash', 'late-disk'],
    world: 'partners pay each other on disks that are late',
    noticedBy: 'unit/node/turn-durable.test.ts',
  },
  {
    id: 'R23f',
    title: 'What a partner has of a channel is forgotten in memory, and stays on disk.',
    edits: [
      delivery(
        'return outbox.dropQueue(effect.queue, effect.upToNonce).forEach(open().settle);',
        'return void outbox.dropQueue(effect.queue, effect.upToNonce);',
      ),
    ],
    expected: [20],
    needs: ['direct-payment', 'crash', 'lost-messages'],
    world: 'many payments pass, and messages are lost',
    noticedBy: null,
  },
  {
    id: 'R23g',
    title: 'After a restart what belongs to no channel is not said any more.',
    edits: [
      editIn('src/node/runtime/runtime.ts')(
        'rows: store.loadOutbox(),',
        'rows: store.loadOutbox().filter(({ queue }) => queue !== null),',
      ),
    ],
    expected: [20],
    needs: ['mediation', 'crash', 'lost-messages'],
    world: 'a target starts again before the initiator has heard it',
    noticedBy: null,
  },
  {
    id: 'R29a',
    title: 'A second process with the same key speaks without looking for the first.',
    edits: [
      online('if (!options.hasTakenOver && (await givesWay())) return;\n    speak();', 'speak();'),
      online('    await givesWay();\n  }', '  }'),
    ],
    expected: [10],
    needs: ['direct-payment', 'second-process'],
    world: 'a second process is started with the key of a mediator',
    noticedBy: null,
  },
  {
    id: 'R30a',
    title: 'The node signs on when its partner has proven that the database is an old copy.',
    edits: [
      sync(
        'return fromPartner && event.isProven && event.message.acceptedNonce > channel.ownEnd.nonce;',
        'return fromPartner && event.isProven && channel.ownEnd.nonce === 0n && event.message.acceptedNonce > 0n;',
      ),
    ],
    expected: [10, 14],
    needs: ['direct-payment', 'old-copy'],
    world: 'an old copy is put back, and only a partner can tell',
    noticedBy: 'unit/machines/channel-sync.test.ts',
  },
  {
    id: 'R30b',
    title: 'The node believes a partner that only says that the database is an old copy.',
    edits: [
      sync(
        'return fromPartner && event.isProven && event.message.acceptedNonce > channel.ownEnd.nonce;',
        'return fromPartner && event.message.acceptedNonce > channel.ownEnd.nonce;',
      ),
    ],
    expected: [27],
    needs: ['direct-payment', 'false-sync'],
    world: 'a partner says that a database is old',
    noticedBy: 'unit/machines/channel-sync.test.ts',
  },
  {
    id: 'R30c',
    title: 'The node pays on when the chain has a withdrawal that its database knows nothing of.',
    edits: [sync('return event.totalWithdraw > withdrawn && !isAgreed;', 'return false;')],
    expected: [2, 10, 30],
    needs: ['withdraw', 'old-copy'],
    world: 'an old copy is put back that knows nothing of a withdrawal',
    noticedBy: 'unit/machines/channel-sync.test.ts',
  },
  {
    id: 'R30d',
    title: 'A database that is not far behind its note counts as the newest.',
    edits: [
      editIn('src/store/durability/high-water.ts')(
        'if (found.seq >= mark.seq) return null;',
        'if (found.seq + 1_000 >= mark.seq) return null;',
      ),
    ],
    expected: [19],
    needs: ['direct-payment', 'old-copy'],
    world: 'an old copy is put back, and its note tells',
    noticedBy: 'unit/store/high-water.test.ts',
  },
  {
    id: 'R40a',
    title: 'The node goes on as if it had written what the full disk did not take.',
    edits: [
      commits(
        'store.commit(batch.batch);',
        'try {\n        store.commit(batch.batch);\n      } catch {}',
      ),
    ],
    expected: [10, 19],
    needs: ['direct-payment', 'full-disk', 'crash'],
    world: 'a disk is full while payments are under way',
    noticedBy: null,
  },
  {
    id: 'R45a',
    title: 'After a commit that failed the node goes on with what it has in memory.',
    edits: [turn('broken = true;\n      open = openBatch();', 'open = openBatch();')],
    expected: [10, 19, 20, 30],
    needs: ['direct-payment', 'full-disk'],
    unseen:
      'A simulated process that cannot write is ended as soon as it says so: it never goes on.',
    noticedBy: null,
  },
  {
    id: 'R48b',
    title: 'After a restart nobody is woken at the block for which they wait.',
    edits: [boot('index.wakeUps.note(id, state);', '')],
    expected: 'liveness',
    needs: ['direct-payment', 'silent-partner', 'crash'],
    world: 'one starts again while a target is silent',
    noticedBy: 'unit/node/boot.test.ts',
  },
  {
    id: 'R48c',
    title: 'After a restart nothing of what waited in the outbox is sent any more.',
    edits: [
      editIn('src/node/runtime/outbox/posted.ts')(
        'posted.isStored = true;',
        'posted.isStored = false;',
      ),
    ],
    expected: 'liveness',
    needs: ['direct-payment', 'crash', 'lost-messages'],
    world: 'one starts again with messages that nobody has heard',
    noticedBy: 'unit/node/outbox.test.ts',
  },
  {
    id: 'R49a',
    title: 'Whoever follows the history of the node, and fails, ends it.',
    edits: [
      editIn('src/node/runtime/commits/news.ts')(
        'try {\n      listener();\n    } catch (error) {\n      onFailure(error);\n    }',
        'listener();',
      ),
    ],
    expected: [30],
    needs: ['direct-payment', 'throwing-listener'],
    world: 'somebody who follows a node fails',
    noticedBy: null,
  },
];
