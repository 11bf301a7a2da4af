/** What a node may do with its store, drawn at random from few names, and all that it can read back. */
import fc from 'fast-check';
import type { RecordPayment } from '../../machines/effects.ts';
import { type Address, toHex } from '../../src/basics/hex.ts';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import { encodeLock } from '../../src/protocol/channel/lock.ts';
import type { SignedTransaction } from '../../src/protocol/signed-transaction.ts';
import { type Batch, emptyBatch } from '../../src/store/base/batch.ts';
import { KEEP_ALL } from '../../src/store/history/sweep.ts';
import type { Store } from '../../src/store/store.ts';
import { ALICE, BOB, carriersOf, hash, proofOf, REGISTRY, stepOf, TOKEN } from './store.ts';

/** One thing that a node does; it may throw. */
export type StoreStep = { name: string; run(store: Store): unknown };

const few = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 2 });
const anyOf = <const T>(...items: readonly T[]) => fc.constantFrom(...items);

const TOKENS = [TOKEN, REGISTRY] as const;
const PEOPLE = [ALICE, BOB] as const;
const CHANNELS = [`channel:${TOKEN}:2`, `channel:${TOKEN}:10`, `channel:${REGISTRY}:1`];
const ACTORS = ['node', 'target:0x1', 'mediator:0x2', 'channel:1', 'channel:2'];
const IDS = ['low_rdn', 'unsafe_timeouts', 'chain_unavailable'] as const;

const CALLERS = [hash(1), hash(2)];
/** So many that few commits begin a call with a key that has one, which no store accepts. */
const KEYS = Array.from({ length: 12 }, (_, n) => hash(n));

const token = fc.constantFrom(...TOKENS);
const person = fc.constantFrom(...PEOPLE);
const channel = fc.constantFrom(...CHANNELS);
const actor = fc.constantFrom(...ACTORS);
const id = fc.constantFrom(...IDS);
const side = anyOf('own', 'partner');
const text = fc.string({ maxLength: 8 });
const word = anyOf('a', 'b', 'c', 'd');
const hashes = fc.nat(6).map(hash);
const block = fc.bigInt(0n, 9n);
/** An amount; now and then a negative one, which no store accepts. */
const amount = fc.oneof(
  { weight: 60, arbitrary: fc.bigInt(0n, 2n ** 70n) },
  { weight: 1, arbitrary: fc.constant(-1n) },
);

const payment: fc.Arbitrary<RecordPayment> = fc
  .record({
    kind: anyOf('sent', 'failed', 'received'),
    token,
    other: person,
    amount,
    paymentId: fc.bigInt(0n, 3n),
    secrethash: hashes,
    channel: fc.option(channel),
    reason: text,
  })
  .map(({ kind, other, reason, ...facts }): RecordPayment => {
    const known = { ...facts, tokenNetwork: TOKENS[1], attempts: 1 };
    if (kind === 'sent') return { type: 'record.paymentSent', target: other, ...known };
    if (kind === 'received') return { type: 'record.paymentReceived', initiator: other, ...known };
    return { type: 'record.paymentFailed', target: other, code: 'no_route', reason, ...known };
  });

const log: fc.Arbitrary<ChannelLog> = fc
  .record({ block, logIndex: fc.nat(2), totalDeposit: fc.bigInt(0n, 99n) })
  .map(({ block, logIndex, totalDeposit }) => ({
    type: 'chain.channelDeposit',
    tokenNetwork: REGISTRY,
    channelId: 1n,
    participant: ALICE,
    totalDeposit,
    at: { block, logIndex, transactionHash: hash(block) },
  }));

const proof = fc
  .record({
    channel,
    side,
    nonce: fc.bigInt(0n, 40n),
    locksroot: hashes,
    transferredAmount: amount,
    lockedAmount: fc.bigInt(0n, 9n),
    additionalHash: fc.option(hashes),
    changes: few(
      fc
        .record({ kind: anyOf('add', 'pay', 'expire'), secrethash: hashes, expiration: block })
        .map(({ kind, ...lock }) => {
          const packed = toHex(encodeLock({ ...lock, amount: 1n }));
          return { kind, secrethash: lock.secrethash, lock: packed };
        }),
    ),
  })
  .map(proofOf);

const journalRow = fc
  .record({
    kind: anyOf('spawn', 'event', 'event', 'keyframe', 'stop'),
    actor,
    event: text,
    block,
    state: text,
    causedBy: fc.option(fc.nat(2)),
    version: fc.nat(3),
    time: fc.nat(99),
  })
  .map(stepOf);

const fork = fc.record({
  block,
  hash: fc.option(hashes),
  lostBlock: block,
  lostHash: hashes,
  foundHash: hashes,
});

/** Registered secrets stand among the ended, too. */
const endedId = fc.oneof(
  actor,
  hashes.map((one) => `target:${one}`),
  hashes.map((one) => `registered:${one}`),
);

const batchParts: { [K in keyof Batch]: fc.Arbitrary<Batch[K]> } = {
  actors: few(fc.record({ id: actor, kind: word, version: fc.nat(3), state: text })),
  retired: few(actor),
  ended: few(endedId),
  gone: few(channel),
  registered: few(fc.record({ secrethash: hashes, block })),
  outbox: few(
    fc.record({
      key: word,
      queue: fc.option(word),
      recipient: person,
      messageId: amount,
      nonce: fc.option(fc.bigInt(0n, 2n ** 64n)),
      givers: few(fc.record({ giver: person, bytes: fc.nat(9) })),
      body: text,
    }),
  ),
  outboxDone: few(word),
  jobs: few(fc.record({ key: word, actor, body: text })),
  jobsDone: few(word),
  proofs: few(proof),
  payments: few(payment),
  mediations: fc.constant([]),
  budgets: few(fc.record({ caller: word, token, hour: fc.nat(60), spent: amount })),
  forced: few(fc.record({ account: anyOf(ALICE, 'strangers'), fullBlock: fc.bigInt(-1n, 12n) })),
  calls: few(
    fc.record({
      caller: anyOf(...CALLERS),
      key: anyOf(...KEYS),
      content: hashes,
      request: word,
      paymentId: fc.option(amount),
    }),
  ),
  callsEnded: few(fc.record({ caller: anyOf(...CALLERS), key: anyOf(...KEYS), answer: text })),
  redemptions: few(
    fc.record({
      secrethash: hashes,
      paymentId: amount,
      request: fc.option(word),
      received: fc.nat(99),
    }),
  ),
  alerts: few(
    fc.record({
      type: fc.constant('record.alert' as const),
      channel,
      detail: text,
      alert: anyOf('stale_database', 'unanswered_lock', 'chain_replaced'),
    }),
  ),
  logs: few(fc.record({ channel, log })),
  // A step is caused by one before it.
  journal: few(journalRow).map((rows) =>
    rows.map((row, at) => ({ ...row, causedBy: at === 0 || row.causedBy === null ? null : 0 })),
  ),
  channels: few(fc.record({ id: channel, token, partner: person, openBlock: block })),
  notifications: few(
    fc.record({ id, summary: text, body: text, urgency: anyOf('normal', 'high') }),
  ),
  over: few(id),
  cursor: fc.option(
    fc.record(
      { block: fc.bigInt(0n, 900n), hash: hashes, lastLog: fc.nat(9) },
      { requiredKeys: ['block', 'hash'] },
    ),
  ),
  fork: fc.option(fork, { freq: 12 }),
  time: fc.nat(99),
  block,
};

/** A few parts of a batch: if most were filled, most batches would contradict themselves. */
const batch = fc
  .tuple(fc.record(batchParts), fc.subarray(Object.keys(batchParts), { maxLength: 6 }))
  .map(([all, filled]): Batch => {
    const left = Object.entries(all).filter(([key]) => filled.includes(key));
    const drawn: Batch = { ...emptyBatch(), ...Object.fromEntries(left) };
    return { ...drawn, channels: [...drawn.channels, ...carriersOf(drawn.payments)] };
  });

const transaction: fc.Arbitrary<SignedTransaction> = fc.record({
  job: word,
  step: fc.nat(2),
  nonce: fc.nat(50),
  hash: hashes,
  raw: hashes,
  maxFeePerGas: amount,
  maxPriorityFeePerGas: amount,
  gas: amount,
  submittedBlock: block,
});
const session = fc.record({ receiver: person, oneToN: token, amount, claimableUntil: block });

const step = <T>(name: string, drawn: fc.Arbitrary<T>, run: (store: Store, with_: T) => unknown) =>
  drawn.map((value): StoreStep => {
    return {
      name: `${name} ${fc.stringify(value)}`,
      run: (store) => run(store, value),
    };
  });

export const storeStep: fc.Arbitrary<StoreStep> = fc.oneof(
  { weight: 12, arbitrary: step('commit', batch, (store, value) => store.commit(value)) },
  step('sweep', fc.integer({ min: 1, max: 3 }), (store, rows) => store.sweep(rows)),
  step(
    'sweep history',
    fc.record({ rows: fc.integer({ min: 1, max: 3 }), from: fc.nat(120) }),
    (store, { rows, from }) => store.sweep(rows, { ...KEEP_ALL, history: { from, now: 200 } }),
  ),
  step('sweep calls', fc.nat(120), (store, callsFrom) =>
    store.sweep(16, { ...KEEP_ALL, callsFrom }),
  ),
  step('sweep redemptions', fc.nat(120), (store, redemptionsFrom) =>
    store.sweep(32, { ...KEEP_ALL, redemptionsFrom }),
  ),
  step('read notifications', fc.constant(null), (store) => store.takeNotifications()),
  step('accept fork', fc.constant(null), (store) => store.acceptFork()),
  step('accept copy', fc.constant(null), (store) => store.acceptCopy()),
  step('end rereading', fc.constant(null), (store) => store.endRereading()),
  step('webhook', fc.tuple(word, fc.nat(99)), (store, [name, seq]) =>
    store.webhooks.set(name, seq),
  ),
  step('promise', session, (store, value) => store.iouSessions.set(value)),
  step('save', transaction, (store, row) => store.transactions.save(row)),
  step('replace', transaction, (store, row) => store.transactions.replace(row)),
  step('drop job', word, (store, job) => store.transactions.drop(job)),
);

/** Commits each of which changes something: to write what is there already changes nothing in a file. */
export const journaledCommit: fc.Arbitrary<StoreStep> = step(
  'commit',
  fc.tuple(batch, journalRow).map(([one, row]) => ({
    ...one,
    journal: [{ ...row, causedBy: null }, ...one.journal],
  })),
  (store, value) => store.commit(value),
);

/**
 * The answer, or that the store threw; the error itself is not compared, because each store words it
 * differently.
 */
export function answerOf<T>(ask: () => T): T | 'thrown' {
  try {
    return ask();
  } catch {
    return 'thrown';
  }
}

/** Everything that the store answers about the names above. */
export function everythingIn(store: Store) {
  const { feed, journal, webhooks, iouSessions, transactions } = store;
  const nullable = (items: readonly Address[]) => [null, ...items];
  return {
    boot: [store.loadActors(), store.loadOutbox(), store.loadJobs()],
    ended: [...ACTORS, ...CHANNELS].map(store.hasEnded),
    chain: [store.cursor(), store.trail(), store.fork()],
    marks: [store.isRereading(), store.highWater().seq],
    hashes: [0, 1, 2, 3, 4, 5, 6].map(hash).map((one) => [
      store.isSecrethashUsed(one),
      store.registeredSecret(one),
      store.findRedemption(one),
      // Of several with one secrethash, which no node has, any may be answered.
      store.receivedPayment(one) === null,
    ]),
    redeemableFrom: store.redeemableFrom(),
    calls: [
      store.callsUnderWay(),
      CALLERS.map(store.countCalls),
      CALLERS.map((caller) => KEYS.map((key) => store.findCall({ caller, key }))),
    ],
    payments: nullable(TOKENS).flatMap((token) =>
      nullable(PEOPLE).map((partner) => [
        [...store.payments({ token, partner, offset: 0, limit: null })].flat(),
        [...store.payments({ token, partner, offset: 1, limit: 2 })].flat(),
        [...store.payments({ token, partner, offset: 0, limit: 0 })].flat(),
        [...store.payments({ token, partner, paymentId: 2n, offset: 1, limit: null })].flat(),
      ]),
    ),
    channels: [
      store.channelIds(),
      store.channelsAfter(4n),
      TOKENS.map((token) => PEOPLE.map((person) => store.channelsWith(token, person))),
    ],
    ofChannels: CHANNELS.map((one) => ofChannel(store, one)),
    alerts: store.alerts(),
    forced: store.forced().toSorted((a, b) => (a.account < b.account ? -1 : 1)),
    feed: [feed.after(0, 99), feed.after(3, 2)],
    journal: [journal.limit, journal.after(0, 99), journal.after(4, 3)],
    stops: [journal.stops(1, 99), journal.stops(3, 5)],
    journalOf: ACTORS.map((actor) =>
      [3, 8, 99].map((before) => [
        journal.ofActor(actor, before, 3),
        journal.ofActor(actor, before, 0),
        journal.baseOf(actor, before),
        journal.between(actor, 2, before),
      ]),
    ),
    others: ['a', 'b', 'c', 'd'].map((one) => [webhooks.get(one), transactions.forJob(one)]),
    promises: PEOPLE.map((receiver) =>
      TOKENS.map((oneToN) => iouSessions.get({ receiver, oneToN })),
    ),
    // Those of one nonce have no order.
    transactions: transactions.all().map(({ nonce }) => nonce),
  };
}

/**
 * The numbers of what is kept. The real store counts them in memory, and has counted on where a commit failed
 * midway; from then on they tell nothing, as it takes no further commit.
 */
export function boundsIn({ feed, journal }: Store) {
  return [feed.bounds(), journal.bounds()];
}

function ofChannel(store: Store, channel: string) {
  const { own, partner } = store.latestProofs(channel);
  const known = [own, partner].map((proof) => proof?.balanceHash ?? hash(0));
  return [
    [...store.logs(channel, 0n)].flat(),
    [...store.logs(channel, 5n)].flat(),
    [...store.paymentsOf(channel, 4n)].flat(),
    [own, partner],
    (['own', 'partner'] as const).map((side) => [
      store.stepsBefore(channel, side, 20n, 3),
      known.map((one) => store.findProof(channel, side, one)),
      [0n, 10n, 40n].map((nonce) => answerOf(() => store.locksAt(channel, side, nonce))),
    ]),
  ];
}
