import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordPayment } from '../../../machines/effects.ts';
import type { Address } from '../../../src/basics/hex.ts';
import type { Slices } from '../../../src/store/base/slices.ts';
import type { PaymentQuery } from '../../../src/store/history/history.ts';
import type { PaymentRow } from '../../../src/store/history/payment-row.ts';
import { ALICE, BOB, batchOf, hash, openedStore, TOKEN } from '../../support/store.ts';

const ROWS = 5_000;
const CHANNEL = 'channel:1';

/** Few rows are of the other token or with the other partner, and they lie far apart. */
function payment(n: number): RecordPayment {
  const token = n % 1_250 === 0 ? BOB : TOKEN;
  const target = n % 700 === 0 ? BOB : ALICE;
  return {
    type: 'record.paymentSent',
    token,
    tokenNetwork: ALICE,
    target,
    attempts: 1,
    amount: 1n,
    paymentId: BigInt(n),
    secrethash: hash(n),
    channel: CHANNEL,
  };
}

/** The block of an end goes back now and then: another endpoint may know less than the one before. */
const blockOf = (n: number) => BigInt(n < 1_500 ? 7 : n % 1_000 < 10 ? 8 : Math.ceil(n / 50));
const numbers = Array.from({ length: ROWS }, (_, index) => index + 1);

function filled() {
  const store = openedStore();
  const blocks = new Map<bigint, number[]>();
  for (let first = 0; first < ROWS; first += 10) {
    const some = numbers.slice(first, first + 10);
    const block = blockOf(first);
    for (const n of some) blocks.set(block, [...(blocks.get(block) ?? []), n]);
    store.commit(batchOf({ block, payments: some.map(payment) }));
  }
  return { store, blocks };
}

const idOf = (record: PaymentRow) => ('paymentId' in record ? Number(record.paymentId) : 0);
const idsIn = (slices: Slices<PaymentRow>) => [...slices].flat().map(idOf);
const matches = (n: number, token: Address | null, partner: Address | null) => {
  const { token: of, ...rest } = payment(n);
  return (
    (token === null || token === of) &&
    (partner === null || ('target' in rest && rest.target === partner))
  );
};

describe('a long history', () => {
  it('is the same in slices as it is as a whole, whatever is asked', () => {
    const { store } = filled();
    const address = fc.constantFrom(null, TOKEN, BOB, ALICE);
    const query = fc.record({
      token: address,
      partner: address,
      offset: fc.nat({ max: ROWS + 10 }),
      limit: fc.option(fc.nat({ max: ROWS })),
    });
    const isSame = (asked: PaymentQuery) => {
      const { token, partner, offset, limit } = asked;
      const wanted = numbers
        .filter((n) => matches(n, token, partner))
        .slice(offset, limit === null ? undefined : offset + limit);
      expect(idsIn(store.payments(asked))).toEqual(wanted);
    };
    fc.assert(fc.property(query, isSame), { numRuns: 40 });
  });

  it('is read in slices of at most 400 rows', () => {
    const { store } = filled();
    const all = { token: null, partner: null, offset: 0, limit: null };
    const lengths = [...store.payments(all)].map(({ length }) => length);
    expect(Math.max(...lengths)).toBe(400);
    expect(Math.max(...[...store.paymentsOf(CHANNEL, 0n)].map(({ length }) => length))).toBe(400);
  });

  it('of a channel goes as the payments ended, from a block on', () => {
    const { store, blocks } = filled();
    for (const from of [0n, 7n, 8n, 60n, 101n]) {
      const found = [...store.paymentsOf(CHANNEL, from)].flat();
      const ids = found.map(({ record }) => idOf(record));
      const skipped = [...blocks].filter(([block]) => block < from).flatMap(([, all]) => all);
      expect(ids).toEqual(numbers.filter((n) => !skipped.includes(n)));
    }
  });

  it('shows what there was when it was asked for, though more ends while it is read', () => {
    const growing = openedStore();
    growing.commit(batchOf({ block: 7n, payments: [payment(1), payment(2)] }));
    const all = { token: null, partner: null, offset: 0, limit: null };
    const asked = [growing.payments(all), growing.payments({ ...all, partner: ALICE })];
    const ofChannel = growing.paymentsOf(CHANNEL, 0n);
    const logs = growing.logs(CHANNEL, 0n);
    const log = {
      ...({ type: 'chain.channelDeposit', tokenNetwork: TOKEN, channelId: 1n } as const),
      ...({ participant: ALICE, totalDeposit: 5n } as const),
      at: { block: 9n, logIndex: 0, transactionHash: hash(9) },
    };
    growing.commit(
      batchOf({ block: 7n, payments: [payment(3)], logs: [{ channel: CHANNEL, log }] }),
    );
    for (const slices of asked) expect(idsIn(slices)).toEqual([1, 2]);
    expect([...ofChannel].flat()).toHaveLength(2);
    expect([...logs].flat()).toEqual([]);
    expect([...growing.logs(CHANNEL, 0n)].flat()).toHaveLength(1);
  });
});

describe('the logs of a channel', () => {
  it('come in slices in the order of the chain', () => {
    const busy = openedStore();
    const places = Array.from({ length: 450 }, (_, n) => [BigInt(5 + (n >> 7)), n & 127] as const);
    const logs = places.map(([block, logIndex]) => ({
      channel: CHANNEL,
      log: {
        ...({ type: 'chain.channelDeposit', tokenNetwork: TOKEN, channelId: 1n } as const),
        ...({ participant: ALICE, totalDeposit: 5n } as const),
        at: { block, logIndex, transactionHash: hash(1) },
      },
    }));
    busy.commit(batchOf({ logs: logs.toReversed() }));
    const slices = [...busy.logs(CHANNEL, 6n)];
    expect(Math.max(...slices.map(({ length }) => length))).toBe(100);
    expect(slices.flat().map(({ block, logIndex }) => [block, logIndex])).toEqual(
      places.filter(([block]) => block >= 6n),
    );
  });
});
