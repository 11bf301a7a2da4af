import { describe, expect, it } from 'vitest';
import type { ChannelLog } from '../../../src/contracts/channel-events.ts';
import { KEEP_ALL } from '../../../src/store/history/sweep.ts';
import type { Store } from '../../../src/store/store.ts';
import { ALICE, BOB, batchOf, hash, openedStore, TOKEN } from '../../support/store.ts';

const GONE = `channel:${TOKEN}:1`;
const ALL = { token: null, partner: null, offset: 0, limit: null };

const paid = (n: number) =>
  ({
    type: 'record.paymentReceived',
    initiator: BOB,
    amount: BigInt(n),
    token: TOKEN,
    tokenNetwork: ALICE,
    paymentId: BigInt(n),
    secrethash: hash(n),
    channel: GONE,
  }) as const;

/** A payment at each millisecond from 1 on. */
function history(count: number, url = ':memory:'): Store {
  const store = openedStore({ url });
  for (let time = 1; time <= count; time++) store.commit(batchOf({ time, payments: [paid(time)] }));
  return store;
}

const timesIn = (store: Store) => [...store.payments(ALL)].flat().map(({ time }) => time);

/** Deletes slice by slice what is older; how many slices there were. */
function swept(store: Store, from: number, rows = 160): number {
  let slices = 0;
  while (store.sweep(rows, { ...KEEP_ALL, history: { from, now: 1_000 } })) slices += 1;
  return slices;
}

const log = (block: bigint): ChannelLog => ({
  type: 'chain.channelDeposit',
  tokenNetwork: TOKEN,
  channelId: 1n,
  participant: ALICE,
  totalDeposit: block,
  at: { block, logIndex: 0, transactionHash: hash(block) },
});
const logsIn = (store: Store, channel: string) => [...store.logs(channel, 0n)].flat().length;

describe('history that is not kept', () => {
  it('is deleted in slices, and only what is older', () => {
    const store = history(40);
    expect(swept(store, 26)).toBe(3);
    expect(timesIn(store)).toEqual(Array.from({ length: 15 }, (_, n) => 26 + n));
  });

  it('is all kept unless somebody says how long', () => {
    const store = history(3);
    expect(store.sweep(10)).toBe(false);
    expect(timesIn(store)).toEqual([1, 2, 3]);
  });

  it('leaves the newest payment, so that no place in the history comes twice', () => {
    const store = history(5);
    swept(store, 999);
    expect(timesIn(store)).toEqual([5]);
    store.commit(batchOf({ time: 6, payments: [paid(6)] }));
    expect([...store.paymentsOf(GONE, 0n)].flat().map(({ seq }) => seq)).toEqual([5, 6]);
  });

  it('is never forgotten as used: no payment gets the secrethash of a deleted one', () => {
    const store = history(5);
    swept(store, 4);
    const known = [1, 2, 3, 4, 5, 6].map((n) => store.isSecrethashUsed(hash(n)));
    expect(known).toEqual([true, true, true, true, true, false]);
  });

  it('has the logs of channels that are gone for so long, and of no other', () => {
    const store = openedStore();
    const channels = [GONE, 'channel:recent', 'channel:live'];
    const logs = channels.flatMap((channel) =>
      [1n, 2n, 3n].map((block) => ({ channel, log: log(block) })),
    );
    store.commit(batchOf({ logs }));
    store.commit(batchOf({ time: 10, gone: [GONE] }));
    store.commit(batchOf({ time: 20, gone: ['channel:recent'] }));
    expect(swept(store, 15, 2)).toBe(4);
    expect(channels.map((channel) => logsIn(store, channel))).toEqual([0, 3, 3]);
    expect(store.channelIds()).toEqual([]);
  });

  it('has no logs of a channel whose id lives again', () => {
    const store = openedStore();
    const actor = { id: GONE, kind: 'channel', version: 1, state: '{}' };
    store.commit(batchOf({ time: 10, logs: [{ channel: GONE, log: log(1n) }], gone: [GONE] }));
    store.commit(batchOf({ actors: [actor] }));
    swept(store, 999);
    expect(logsIn(store, GONE)).toBe(1);
    store.commit(batchOf({ time: 20, retired: [GONE], gone: [GONE] }));
    swept(store, 999);
    expect(logsIn(store, GONE)).toBe(0);
  });
});

describe('payments that left no row in the history', () => {
  const ids = [`initiator:${hash(1)}`, `mediator:${hash(2)}`, `target:${hash(3)}`];

  it('stay used, whichever role this node had', () => {
    const store = openedStore();
    store.commit(batchOf({ ended: [...ids, 'withdrawal:7'] }));
    expect([1, 2, 3, 4].map((n) => store.isSecrethashUsed(hash(n)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(['withdrawal:7', 'withdrawal:8'].map(store.hasEnded)).toEqual([true, false]);
  });
});

describe('received payments in a token that is no money', () => {
  const others = 'record.paymentSent' as const;
  const worthless = { from: 901, newest: 0, isMoney: (token: string) => token === BOB };
  const sweepAll = (store: Store, rows = 160) => {
    let slices = 0;
    while (store.sweep(rows, { ...KEEP_ALL, worthless })) slices += 1;
    return slices;
  };
  const inMoney = (n: number) => ({ ...paid(n), token: BOB }) as const;
  function sent(n: number) {
    const { initiator: target, ...facts } = paid(n);
    return { ...facts, type: others, target, attempts: 1 } as const;
  }

  it('are forgotten when they are old, and nothing else is', () => {
    const store = openedStore();
    const all = [paid(1), inMoney(2), sent(3), paid(4), paid(5)];
    all.forEach((payment, n) => {
      store.commit(batchOf({ time: n < 4 ? 900 : 901, payments: [payment] }));
    });
    store.commit(batchOf({ time: 902, payments: [paid(6)] }));
    sweepAll(store);
    const left = [...store.payments(ALL)].flat().map(({ paymentId }) => paymentId);
    expect(left).toEqual([2n, 3n, 5n, 6n]);
    // No payment of the same secrethash is taken a second time.
    expect([1, 4, 7].map((n) => store.isSecrethashUsed(hash(n)))).toEqual([true, true, false]);
    expect(store.receivedPayment(hash(1))).toBeNull();
  });

  it('are found behind any number of others, a few at a time', () => {
    const store = openedStore();
    const payments = Array.from({ length: 700 }, (_, n) =>
      n % 350 === 349 ? paid(n) : inMoney(n),
    );
    store.commit(batchOf({ time: 5, payments }));
    store.commit(batchOf({ time: 902, payments: [paid(800)] }));
    expect(sweepAll(store)).toBeGreaterThan(2);
    expect([...store.payments(ALL)].flat()).toHaveLength(699);
    expect([349, 699].map((n) => store.isSecrethashUsed(hash(n)))).toEqual([true, true]);
  });
});
