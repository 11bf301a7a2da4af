import { describe, expect, it } from 'vitest';
import type { Address, Hex } from '../../../src/basics/hex.ts';
import type { OutboxRow } from '../../../src/store/base/batch.ts';
import { KEEP_ALL } from '../../../src/store/history/sweep.ts';
import { ALICE, BOB, batchOf, hash, openedStore, proofOf, TOKEN } from '../../support/store.ts';

const UINT64_MAX = 2n ** 64n - 1n;
const UINT256_MAX = 2n ** 256n - 1n;

const actor = (id: string, state = '{}') => ({ id, kind: 'channel', version: 1, state });
const message = (key: string, parts: Partial<OutboxRow> = {}): OutboxRow => ({
  key,
  queue: 'channel:1',
  recipient: BOB,
  messageId: UINT64_MAX,
  nonce: 7n,
  givers: [],
  body: '{}',
  ...parts,
});
const job = (key: string) => ({ key, actor: 'channel:1', body: `{"key":"${key}"}` });

describe('actors', () => {
  it('are all read, each once, however many there are and whichever are gone', () => {
    const store = openedStore();
    const ids = Array.from({ length: 3_210 }, (_, at) => `channel:${at}`);
    store.commit(batchOf({ actors: ids.map((id) => actor(id)) }));
    const retired = ids.filter((_, at) => at % 3 === 0 || (at > 900 && at < 2_100));
    store.commit(batchOf({ retired }));
    const left = ids.filter((id) => !retired.includes(id));
    expect(store.loadActors()).toEqual(left.map((id) => actor(id)));
  });

  it('are stored, replaced, and gone with their end, which stays known', () => {
    const store = openedStore();
    store.commit(batchOf({ actors: [actor('a', '1'), actor('b', '2')] }));
    store.commit(batchOf({ actors: [{ ...actor('a', '3'), version: 2 }] }));
    expect(store.loadActors()).toEqual([{ ...actor('a', '3'), version: 2 }, actor('b', '2')]);
    store.commit(batchOf({ retired: ['a'], ended: ['a'] }));
    expect(store.loadActors()).toEqual([actor('b', '2')]);
    expect([store.hasEnded('a'), store.hasEnded('b')]).toEqual([true, false]);
    store.commit(batchOf({ retired: ['a'], ended: ['a'] }));
    expect(store.hasEnded('a')).toBe(true);
  });
});

describe('registered secrets', () => {
  it('are known with their block, and as something that has ended', () => {
    const store = openedStore();
    const [first, second] = [hash(1), hash(2)];
    const registered = [{ secrethash: first, block: 41n }];
    store.commit(batchOf({ ended: [`registered:${first}`], registered }));
    expect(store.registeredSecret(first)).toEqual({ block: 41n });
    expect(store.hasEnded(`registered:${first}`)).toBe(true);
    expect(store.registeredSecret(second)).toBeNull();
  });

  it('of an older version have no block until their log is read again', () => {
    const store = openedStore();
    store.commit(batchOf({ ended: [`registered:${hash(1)}`] }));
    expect(store.registeredSecret(hash(1))).toEqual({ block: null });
    const registered = [{ secrethash: hash(1), block: 7n }];
    store.commit(batchOf({ ended: [`registered:${hash(1)}`], registered }));
    expect(store.registeredSecret(hash(1))).toEqual({ block: 7n });
  });
});

describe('the outbox', () => {
  it('comes back whole and in order of insertion', () => {
    const store = openedStore();
    const rows = [message('z'), message('a', { queue: null, nonce: null }), message('m')];
    store.commit(batchOf({ outbox: rows.slice(0, 2) }));
    store.commit(batchOf({ outbox: rows.slice(2) }));
    expect(store.loadOutbox()).toEqual(rows);
  });

  it('keeps its order when the newest row goes and others come', () => {
    const store = openedStore();
    store.commit(batchOf({ outbox: [message('1'), message('2'), message('3')] }));
    store.commit(batchOf({ outbox: [message('4')], outboxDone: ['3'] }));
    store.commit(batchOf({ outboxDone: ['4'] }));
    store.commit(batchOf({ outbox: [message('5')] }));
    expect(store.loadOutbox().map(({ key }) => key)).toEqual(['1', '2', '5']);
  });

  it('replaces a row of the same key in its place', () => {
    const store = openedStore();
    store.commit(batchOf({ outbox: [message('1'), message('2')] }));
    store.commit(batchOf({ outbox: [message('1', { body: '{"again":true}' })] }));
    expect(store.loadOutbox().map(({ body }) => body)).toEqual(['{"again":true}', '{}']);
  });
});

describe('jobs', () => {
  it('come back in order until they are done', () => {
    const store = openedStore();
    store.commit(batchOf({ jobs: [job('z'), job('a'), job('x')], jobsDone: ['never'] }));
    store.commit(batchOf({ jobsDone: ['x'] }));
    expect(store.loadJobs()).toEqual([job('z'), job('a')]);
    store.commit(batchOf({ jobsDone: ['z'] }));
    expect(store.loadJobs()).toEqual([job('a')]);
  });
});

describe('transactions', () => {
  const row = (step: number, nonce: number) => ({
    job: 'job',
    step,
    nonce,
    hash: hash(nonce),
    raw: '0x02f8' as const,
    maxFeePerGas: 10n ** 20n,
    maxPriorityFeePerGas: 1n,
    gas: 21_000n,
    submittedBlock: 9n,
  });

  it('are kept by job and step, newest in place of the older one', () => {
    const { transactions } = openedStore();
    transactions.save(row(1, 8));
    transactions.save(row(0, 7));
    transactions.save({ ...row(0, 6), job: 'other' });
    expect(transactions.forJob('job')).toEqual([row(0, 7), row(1, 8)]);
    const bumped = { ...row(1, 8), hash: hash(99), maxFeePerGas: 2n * 10n ** 20n };
    transactions.replace(bumped);
    expect(transactions.all().map(({ nonce }) => nonce)).toEqual([6, 7, 8]);
    expect(transactions.forJob('job')).toEqual([row(0, 7), bumped]);
    transactions.drop('job');
    expect(transactions.all()).toEqual([{ ...row(0, 6), job: 'other' }]);
  });

  it('refuse a second first transaction of a step', () => {
    const { transactions } = openedStore();
    transactions.save(row(0, 7));
    expect(() => transactions.save(row(0, 8))).toThrow(/UNIQUE/);
    expect(transactions.all()).toEqual([row(0, 7)]);
  });
});

describe('proofs', () => {
  it('of one side come in pages, newest first and without what brings them on chain', () => {
    const nonces = [1n, 2n, 9n, 10n, UINT64_MAX - 1n];
    const store = openedStore();
    store.commit(batchOf({ proofs: nonces.map((nonce) => proofOf({ nonce })) }));
    const page = (before: bigint, limit: number) =>
      store.stepsBefore('channel:1', 'own', before, limit).map(({ nonce }) => nonce);
    expect(page(UINT64_MAX, 2)).toEqual([UINT64_MAX - 1n, 10n]);
    expect(page(10n, 9)).toEqual([9n, 2n, 1n]);
    expect(store.stepsBefore('channel:1', 'own', 2n, 1)).toEqual([
      { nonce: 1n, transferredAmount: 0n, lockedAmount: 0n, locksroot: hash(0) },
    ]);
    expect(store.stepsBefore('channel:1', 'partner', UINT64_MAX, 9)).toEqual([]);
  });

  const partnerProof = proofOf({
    side: 'partner',
    nonce: UINT64_MAX,
    transferredAmount: UINT256_MAX,
    lockedAmount: 3n,
    additionalHash: hash(6),
    signature: `0x${'1b'.repeat(65)}`,
  });

  it('are found by the hash on chain, whatever the size of their numbers', () => {
    const store = openedStore();
    store.commit(batchOf({ proofs: [partnerProof] }));
    const { channel, side, nonce, transferredAmount, lockedAmount, locksroot, balanceHash } =
      partnerProof;
    const stored = { nonce, transferredAmount, lockedAmount, locksroot, balanceHash };
    expect(store.findProof(channel, side, balanceHash)).toEqual(stored);
    expect(store.findProof(channel, 'own', balanceHash)).toBeNull();
    expect(store.findProof('channel:2', side, balanceHash)).toBeNull();
    const similar = hash(BigInt(balanceHash) ^ 1n);
    expect(store.findProof(channel, side, similar)).toBeNull();
  });

  it('give the newest of a hash that came twice, and the newest of each side, by number', () => {
    const store = openedStore();
    const nonces = [9n, 10n, 2n];
    const proofs = nonces.map((nonce) => proofOf({ nonce }));
    store.commit(batchOf({ proofs }));
    expect(store.findProof('channel:1', 'own', proofOf({}).balanceHash)?.nonce).toBe(10n);
    expect(store.latestProofs('channel:1').own?.nonce).toBe(10n);
    expect(store.latestProofs('channel:1').partner).toBeNull();
  });
});

describe('payments', () => {
  const facts = (paymentId: bigint, token: Address = TOKEN) => {
    const channel = 'channel:1';
    return { token, tokenNetwork: ALICE, paymentId, secrethash: hash(paymentId), channel } as const;
  };
  const history = () => {
    const store = openedStore();
    const other = ALICE;
    const sent = {
      type: 'record.paymentSent',
      attempts: 1,
      amount: UINT256_MAX,
      target: BOB,
    } as const;
    const why = { code: 'no_route', reason: 'no' } as const;
    const failed = {
      type: 'record.paymentFailed',
      attempts: 1,
      amount: 1n,
      target: BOB,
      ...why,
    } as const;
    const received = { type: 'record.paymentReceived', amount: 2n, initiator: other } as const;
    const payments = [{ ...sent, ...facts(1n) }];
    store.commit(batchOf({ time: 10, payments }));
    store.commit(batchOf({ time: 11, payments: [{ ...failed, ...facts(UINT64_MAX) }] }));
    store.commit(batchOf({ time: 12, payments: [{ ...received, ...facts(3n) }] }));
    store.commit(batchOf({ time: 13, payments: [{ ...received, ...facts(4n, BOB) }] }));
    return store;
  };
  const all = { token: null, partner: null, offset: 0, limit: null };

  it('come back as the events of the API, oldest first', () => {
    expect([...history().payments({ ...all, token: TOKEN })].flat()).toEqual([
      {
        event: 'EventPaymentSentSuccess',
        time: 10,
        token: TOKEN,
        amount: UINT256_MAX,
        target: BOB,
        paymentId: 1n,
      },
      {
        event: 'EventPaymentSentFailed',
        amount: 1n,
        time: 11,
        token: TOKEN,
        target: BOB,
        reason: 'no',
        paymentId: UINT64_MAX,
      },
      {
        event: 'EventPaymentReceivedSuccess',
        time: 12,
        token: TOKEN,
        amount: 2n,
        initiator: ALICE,
        paymentId: 3n,
      },
    ]);
  });

  it.each([
    ['everything', {}, [10, 11, 12, 13]],
    ['one token', { token: BOB }, [13]],
    ['one partner, whoever paid', { partner: ALICE }, [12, 13]],
    ['one token and partner', { token: TOKEN, partner: ALICE }, [12]],
    ['an offset', { offset: 3 }, [13]],
    ['a limit', { limit: 2 }, [10, 11]],
    ['a limit of zero', { limit: 0 }, []],
    ['an offset within the filter, then a limit', { partner: BOB, offset: 1, limit: 1 }, [11]],
    ['an offset beyond the end', { offset: 5 }, []],
    ['an identifier', { paymentId: UINT64_MAX }, [11]],
    ['an identifier and a partner', { paymentId: 3n, partner: BOB }, []],
    ['an identifier, a token and a partner', { paymentId: 3n, token: TOKEN, partner: ALICE }, [12]],
  ] as const)('are filtered by %s', (_, query, times) => {
    const rows = [...history().payments({ ...all, ...query })].flat();
    expect(rows.map(({ time }) => time)).toEqual(times);
  });

  it('make their secrethash used, as ended payment actors do', () => {
    const store = history();
    store.commit(batchOf({ ended: [`initiator:${hash(50)}`, `target:${hash(51)}`] }));
    const used = [3, 50, 51, 52].map((value) => store.isSecrethashUsed(hash(value)));
    expect(used).toEqual([true, true, true, false]);
  });
});

describe('records', () => {
  it('keep alerts in order', () => {
    const store = openedStore();
    const alert = (detail: string) =>
      ({ type: 'record.alert', alert: 'stale_database', channel: 'channel:1', detail }) as const;
    store.commit(batchOf({ time: 5, alerts: [alert('b'), alert('a')] }));
    expect(store.alerts()).toEqual([
      { alert: 'stale_database', channel: 'channel:1', detail: 'b', time: 5 },
      { alert: 'stale_database', channel: 'channel:1', detail: 'a', time: 5 },
    ]);
  });

  it('keep each log of a channel once, in the order of the chain', () => {
    const store = openedStore();
    const entry = (block: bigint, logIndex: number) => ({
      channel: 'channel:1',
      log: {
        ...({ type: 'chain.channelDeposit', tokenNetwork: TOKEN, channelId: 1n } as const),
        ...({ participant: ALICE, totalDeposit: UINT256_MAX } as const),
        at: { block, logIndex, transactionHash: hash(1) },
      },
    });
    const logs = [entry(100n, 3), entry(20n, 1), entry(100n, 2)];
    store.commit(batchOf({ logs }));
    store.commit(batchOf({ logs: [entry(100n, 2), { ...entry(50n, 1), channel: 'channel:2' }] }));
    const stored = [...store.logs('channel:1', 20n)].flat();
    expect(stored.map(({ block, logIndex }) => [block, logIndex])).toEqual([
      [20n, 1],
      [100n, 2],
      [100n, 3],
    ]);
    expect(stored[0]?.log).toEqual(entry(20n, 1).log);
    expect([...store.logs('channel:1', 21n)].flat()).toHaveLength(2);
  });

  it('know no block before the first, then the last one applied', () => {
    const store = openedStore();
    expect(store.cursor()).toBeNull();
    store.commit(batchOf({ cursor: { block: 9n, hash: hash(9) } }));
    store.commit(batchOf({ cursor: { block: 10n, hash: hash(10) } }));
    store.commit(batchOf({}));
    expect(store.cursor()).toEqual({ block: 10n, hash: hash(10) });
  });
});

describe('a commit', () => {
  it('that fails leaves nothing of itself, and no later one is taken', () => {
    const store = openedStore();
    store.commit(batchOf({ proofs: [proofOf({ nonce: 4n })] }));
    const failing = batchOf({
      actors: [actor('a')],
      outbox: [message('1')],
      jobs: [job('1')],
      ended: ['b'],
      proofs: [proofOf({ nonce: 5n }), proofOf({ nonce: 4n, locksroot: hash(8) })],
      cursor: { block: 1n, hash: hash(1) },
    });
    expect(() => store.commit(failing)).toThrow(/UNIQUE/);
    expect([store.loadActors(), store.loadOutbox(), store.loadJobs()]).toEqual([[], [], []]);
    expect(store.latestProofs('channel:1').own).toMatchObject({ nonce: 4n, locksroot: hash(0) });
    expect([store.hasEnded('b'), store.cursor()]).toEqual([false, null]);
    expect(() => store.commit(batchOf({}))).toThrow(/earlier commit failed/);
  });

  it('that failed leaves the transactions of open jobs usable', () => {
    const store = openedStore();
    const twice = batchOf({ proofs: [proofOf({}), proofOf({})] });
    expect(() => store.commit(twice)).toThrow(/UNIQUE/);
    expect(store.transactions.all()).toEqual([]);
    store.transactions.drop('job');
  });

  it('refuses a number that its column cannot hold', () => {
    const write = (parts: Parameters<typeof batchOf>[0]) => () =>
      openedStore().commit(batchOf(parts));
    expect(write({ proofs: [proofOf({ nonce: UINT64_MAX + 1n })] })).toThrow(/uint64/);
    expect(write({ proofs: [proofOf({ lockedAmount: -1n })] })).toThrow(/negative/);
  });
});

describe('redemptions', () => {
  const received = (n: number, time: number) =>
    batchOf({
      payments: [
        {
          type: 'record.paymentReceived',
          initiator: BOB,
          token: TOKEN,
          tokenNetwork: TOKEN,
          paymentId: 7n,
          amount: 5n,
          secrethash: hash(n),
          channel: null,
        },
      ],
      time,
    });
  const row = (n: number, time: number, request: string | null = 'request:1') => {
    return { secrethash: hash(n), paymentId: 7n, request, received: time };
  };

  it('are of payments that were received, which are found by their secrethash', () => {
    const store = openedStore();
    store.commit(received(1, 40));
    expect(store.receivedPayment(hash(1))).toEqual({
      initiator: BOB,
      token: TOKEN,
      paymentId: 7n,
      amount: 5n,
      time: 40,
    });
    expect(store.receivedPayment(hash(2))).toBeNull();
  });

  it('are taken back, and made again, in the order of the batch', () => {
    const store = openedStore();
    store.commit(batchOf({ redemptions: [row(1, 40), row(2, 40), row(2, 40, null)] }));
    expect(store.findRedemption(hash(1))).toEqual({ request: 'request:1', paymentId: 7n });
    expect(store.findRedemption(hash(2))).toBeNull();
    store.commit(batchOf({ redemptions: [row(1, 40, null), row(1, 40, 'request:2')] }));
    expect(store.findRedemption(hash(1))?.request).toBe('request:2');
  });

  it('are forgotten only together with the permission to redeem what is as old', () => {
    const store = openedStore();
    store.commit(batchOf({ redemptions: [row(1, 40), row(2, 60), row(3, 80)] }));
    expect(store.redeemableFrom()).toBe(0);
    while (store.sweep(32, { ...KEEP_ALL, redemptionsFrom: 70 }));
    expect([1, 2, 3].map((n) => store.findRedemption(hash(n)) !== null)).toEqual([
      false,
      false,
      true,
    ]);
    expect(store.redeemableFrom()).toBe(61);
  });

  it('end for all payments of an old copy of the database that is accepted', () => {
    const store = openedStore();
    store.commit(received(1, 40));
    store.commit(received(2, 30));
    store.acceptCopy();
    expect(store.redeemableFrom()).toBe(41);
  });
});

describe('calls with a key', () => {
  const call = { caller: hash(1), key: hash(2), content: hash(3), request: 'request:1' };
  const paying = { ...call, paymentId: UINT64_MAX };

  it('are under way until their end, and then have an answer', () => {
    const store = openedStore();
    store.commit(batchOf({ calls: [paying, { ...call, key: hash(4), paymentId: null }] }));
    expect(store.callsUnderWay().map(({ key }) => key)).toEqual([hash(2), hash(4)]);
    store.commit(batchOf({ callsEnded: [{ caller: hash(1), key: hash(2), answer: '{}' }] }));
    expect(store.callsUnderWay().map(({ key }) => key)).toEqual([hash(4)]);
    expect(store.findCall(call)).toEqual({ ...paying, answer: '{}' });
    expect(store.findCall({ ...call, caller: hash(9) })).toBeNull();
    expect([store.countCalls(hash(1)), store.countCalls(hash(9))]).toEqual([2, 0]);
  });

  it('cannot begin twice under one key', () => {
    const store = openedStore();
    store.commit(batchOf({ calls: [paying] }));
    expect(() => store.commit(batchOf({ calls: [paying] }))).toThrow();
  });

  it('are forgotten a time after their end, and never while they are under way', () => {
    const store = openedStore();
    const keys = [5, 6, 7].map(hash);
    store.commit(batchOf({ calls: keys.map((key) => ({ ...paying, key })), time: 10 }));
    const end = (key: Hex, time: number) =>
      store.commit(batchOf({ callsEnded: [{ caller: hash(1), key, answer: '' }], time }));
    end(hash(5), 20);
    end(hash(6), 40);
    while (store.sweep(64, { ...KEEP_ALL, callsFrom: 30 }));
    expect(keys.map((key) => store.findCall({ ...call, key }) !== null)).toEqual([
      false,
      true,
      true,
    ]);
  });
});
