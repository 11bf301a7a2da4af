import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import type { RecordPayment } from '../../../machines/effects.ts';
import type { ChannelLog } from '../../../src/contracts/channel-events.ts';
import type { NotificationRow } from '../../../src/store/base/batch.ts';
import {
  ALICE,
  BOB,
  batchOf,
  hash,
  openedStore,
  proofOf,
  TOKEN,
  temporaryFolder,
} from '../../support/store.ts';

const CHANNEL = 'channel:1';
const channelRow = (id = CHANNEL, openBlock = 5n) => ({
  ...({ id, token: TOKEN, partner: BOB, openBlock } as const),
});
const sent = (paymentId: bigint, channel: string | null = CHANNEL): RecordPayment => ({
  ...({
    type: 'record.paymentSent',
    attempts: 1,
    token: TOKEN,
    tokenNetwork: ALICE,
    target: BOB,
  } as const),
  paymentId,
  secrethash: hash(paymentId),
  amount: 2n ** 200n,
  channel,
});
const logAt = (block: bigint, logIndex = 0): ChannelLog => ({
  ...({ type: 'chain.channelDeposit', tokenNetwork: ALICE, channelId: 1n } as const),
  participant: BOB,
  totalDeposit: 7n,
  at: { block, logIndex, transactionHash: hash(1) },
});
const note = (body = 'Pay in.'): NotificationRow => ({
  ...({ id: 'low_rdn', summary: 'Low', urgency: 'normal' } as const),
  body,
});

describe('the feed', () => {
  it('tells of logs, payments and new notifications in the order of cause and consequence', () => {
    const store = openedStore();
    const rest = { payments: [sent(1n)], logs: [{ channel: CHANNEL, log: logAt(9n) }] };
    const notifications = [note(), note('Pay in, still.')];
    store.commit(batchOf({ time: 4, channels: [channelRow()], notifications, ...rest }));
    expect(store.feed.after(0, 10)).toEqual([
      {
        seq: 1,
        time: 4,
        kind: 'channel',
        body: { token: TOKEN, partner: BOB, log: logAt(9n) },
      },
      {
        seq: 2,
        time: 4,
        kind: 'payment',
        body: {
          event: 'EventPaymentSentSuccess',
          token: TOKEN,
          target: BOB,
          amount: 2n ** 200n,
          paymentId: 1n,
        },
      },
      {
        seq: 3,
        time: 4,
        kind: 'notification',
        body: { id: 'low_rdn', summary: 'Low', body: 'Pay in.', urgency: 'normal' },
      },
    ]);
    expect(store.feed.bounds()).toEqual({ oldest: 1, newest: 3 });
    expect(store.feed.after(1, 1).map(({ seq }) => seq)).toEqual([2]);
  });

  it('is empty at first', () => {
    const store = openedStore();
    expect(store.feed.bounds()).toEqual({ oldest: 1, newest: 0 });
    expect(store.feed.after(0, 10)).toEqual([]);
  });

  it('tells of a log that comes twice once', () => {
    const store = openedStore();
    const logs = [{ channel: CHANNEL, log: logAt(9n) }];
    store.commit(batchOf({ channels: [channelRow()], logs }));
    store.commit(batchOf({ logs }));
    expect(store.feed.bounds().newest).toBe(1);
  });

  it('keeps the newest rows and never uses a number twice, after a restart either', () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const first = openedStore({ url, feedLimit: 3 });
    for (let id = 1n; id <= 7n; id++) first.commit(batchOf({ payments: [sent(id)] }));
    expect(first.feed.bounds()).toEqual({ oldest: 5, newest: 7 });
    first.close();
    const second = openedStore({ url, feedLimit: 1 });
    expect(second.feed.bounds()).toEqual({ oldest: 7, newest: 7 });
    second.commit(batchOf({ payments: [sent(8n)] }));
    expect(second.feed.bounds()).toEqual({ oldest: 8, newest: 8 });
    expect(second.feed.after(0, 10).map(({ seq }) => seq)).toEqual([8]);
  });

  it('is cut in small steps when far too much is kept', () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const first = openedStore({ url });
    const logs = Array.from({ length: 500 }, (_, n) => ({
      channel: CHANNEL,
      log: logAt(BigInt(n + 1)),
    }));
    first.commit(batchOf({ channels: [channelRow()], logs }));
    first.close();
    const second = openedStore({ url, feedLimit: 10 });
    second.commit(batchOf({ payments: [sent(501n)] }));
    expect(second.feed.bounds()).toEqual({ oldest: 492, newest: 501 });
    const client = new Libsql(url.replace('file:', ''));
    expect(client.prepare('SELECT count(*) FROM feed').raw().get()).toEqual([399]);
    client.close();
  });

  it('has nothing of a commit that failed', () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const store = openedStore({ url });
    const rows = { payments: [sent(1n)], logs: [{ channel: CHANNEL, log: logAt(9n) }] };
    const proofs = [proofOf({}), proofOf({})];
    const failing = { ...rows, proofs, channels: [channelRow()], notifications: [note()] };
    expect(() => store.commit(batchOf(failing))).toThrow(/UNIQUE/);
    expect(store.feed.after(0, 10)).toEqual([]);
    store.close();
    const again = openedStore({ url });
    expect(again.feed.bounds()).toEqual({ oldest: 1, newest: 0 });
    expect(again.channelIds()).toEqual([]);
    expect(again.takeNotifications()).toEqual([]);
  });
});

describe('channels', () => {
  it('are found by token and partner, newest first, for ever', () => {
    const store = openedStore();
    const other = { ...channelRow('channel:3', 7n), partner: ALICE } as const;
    store.commit(batchOf({ channels: [channelRow(), channelRow('channel:2', 8n), other] }));
    store.commit(batchOf({ channels: [{ ...channelRow(), openBlock: 99n }] }));
    expect(store.channelsWith(TOKEN, BOB)).toEqual([channelRow('channel:2', 8n), channelRow()]);
    expect(store.channelsWith(TOKEN, TOKEN)).toEqual([]);
    expect(store.channelIds().sort()).toEqual(['channel:1', 'channel:2', 'channel:3']);
  });

  it('are told apart by their number when they were opened in one block', () => {
    const store = openedStore();
    const rows = ['channel:10', 'channel:9', 'channel:11'].map((id) => channelRow(id, 8n));
    store.commit(batchOf({ channels: rows }));
    const ids = store.channelsWith(TOKEN, BOB).map(({ id }) => id);
    expect(ids).toEqual(['channel:11', 'channel:10', 'channel:9']);
  });

  it('know their payments by the block of their end', () => {
    const store = openedStore();
    store.commit(batchOf({ block: 8n, payments: [sent(1n), sent(2n, null)] }));
    store.commit(batchOf({ block: 9n, payments: [sent(3n), sent(4n, 'channel:2')] }));
    const found = [...store.paymentsOf(CHANNEL, 0n)]
      .flat()
      .map(({ block, record }) => [block, record.event]);
    expect(found).toEqual([
      [8n, 'EventPaymentSentSuccess'],
      [9n, 'EventPaymentSentSuccess'],
    ]);
    expect([...store.paymentsOf(CHANNEL, 9n)].flat()).toMatchObject([
      { record: { paymentId: 3n } },
    ]);
  });
});

describe('notifications', () => {
  it('are one of each kind, the newest, until they are read', () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const store = openedStore({ url });
    store.commit(batchOf({ notifications: [note('old'), note('new')] }));
    const gas = { ...note(), id: 'missing_gas_reserve' } as const;
    store.commit(batchOf({ time: 1, notifications: [gas] }));
    expect(store.takeNotifications()).toMatchObject([note('new'), { id: 'missing_gas_reserve' }]);
    expect(store.takeNotifications()).toEqual([]);
    store.close();
    expect(openedStore({ url }).takeNotifications()).toEqual([]);
  });
});

describe('a condition', () => {
  it('is news when it begins, and again after its end, over restarts', () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const told = (batches: Parameters<typeof batchOf>[0][]) => {
      const store = openedStore({ url });
      for (const batch of batches) store.commit(batchOf(batch));
      const { newest } = store.feed.bounds();
      store.close();
      return newest;
    };
    const raise = { notifications: [note()] };
    expect(told([raise, raise])).toBe(1);
    expect(told([raise])).toBe(1);
    expect(told([{ over: ['low_rdn'] }])).toBe(1);
    expect(told([raise, raise])).toBe(2);
  });
});

describe('the place of a receiver in the feed', () => {
  it('is kept by its name', () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const store = openedStore({ url });
    expect(store.webhooks.get('a')).toBeNull();
    store.webhooks.set('a', 4);
    store.webhooks.set('b', 0);
    store.webhooks.set('a', 5);
    store.close();
    const again = openedStore({ url });
    expect([again.webhooks.get('a'), again.webhooks.get('b')]).toEqual([5, 0]);
  });
});
