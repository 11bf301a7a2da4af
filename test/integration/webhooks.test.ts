/** Events that are told to a receiver that is not always there, out of a database on disk. */
import { createHmac } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RecordPayment } from '../../machines/effects.ts';
import { startWebhooks } from '../../src/http/webhooks.ts';
import { createFeed } from '../../src/node/runtime/commits/feed.ts';
import type { Store } from '../../src/store/store.ts';
import { type Answer, refused, startReceiver, taken } from '../support/receiver.ts';
import {
  ALICE,
  BOB,
  batchOf,
  hash,
  openedStore,
  TOKEN,
  temporaryFolder,
} from '../support/store.ts';
import { until } from '../support/until.ts';

async function receiverOf(answers?: Answer[]) {
  const receiver = await startReceiver(answers);
  onTestFinished(receiver.stop);
  return receiver;
}

const SECRET = 'a secret for tests only';
const NOW = 1_700_000_000_999;

/** A node's feed and its webhooks, as one process has them. */
function startProcess(store: Store, urls: readonly string[]) {
  const lines: string[] = [];
  const line = (fields: object, text: string) =>
    void lines.push(`${JSON.stringify(fields)} ${text}`);
  const log = { info: line, warn: line, error: line };
  const feed = createFeed(store, store.sync, log);
  const pause = { firstPauseMs: 5 };
  const stop = startWebhooks({
    urls,
    secret: SECRET,
    feed,
    cursors: store.webhooks,
    now: () => NOW,
    log,
    ...pause,
  });
  onTestFinished(stop);
  let paid = 0;
  return {
    stop,
    lines,
    pay(count: number) {
      for (let n = 0; n < count; n++) store.commit(batchOf({ payments: [sent(BigInt(++paid))] }));
      feed.announce();
    },
  };
}

const sent = (paymentId: bigint): RecordPayment => ({
  ...({
    type: 'record.paymentSent',
    attempts: 1,
    token: TOKEN,
    tokenNetwork: ALICE,
    target: BOB,
  } as const),
  paymentId,
  secrethash: hash(paymentId),
  amount: 5n,
  channel: null,
});

describe('a webhook', () => {
  it('tells each event in order, signed for its time', async () => {
    const receiver = await receiverOf();
    const node = startProcess(openedStore(), [receiver.url]);
    node.pay(3);
    await until(() => receiver.calls.length === 3, 'all are told');
    expect(receiver.ids()).toEqual([1, 2, 3]);
    const { body, signature } = receiver.calls[0] ?? { body: '', signature: '' };
    expect(JSON.parse(body)).toMatchObject({ type: 'payment', seq: '1', payment: { amount: '5' } });
    const seconds = Math.floor(NOW / 1_000);
    const mac = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex');
    expect(signature).toBe(`t=${seconds},v1=${mac}`);
  });

  it('that does not take an event is told it again before any other', async () => {
    const hangUp: Answer = (_, response) => void response.destroy();
    const elsewhere = await receiverOf();
    const redirect = refused(307, { location: elsewhere.url });
    const receiver = await receiverOf([refused(500), redirect, hangUp, refused(404), taken]);
    const node = startProcess(openedStore(), [receiver.url]);
    node.pay(2);
    await until(() => receiver.calls.length === 6, 'all are told');
    expect(receiver.ids()).toEqual([1, 1, 1, 1, 1, 2]);
    expect(elsewhere.calls).toEqual([]);
    // One line when it begins and one when it is over, without the path and the secret.
    expect(node.lines).toHaveLength(2);
    expect(node.lines.join()).toContain('status 500');
    expect(node.lines.join()).not.toMatch(/hidden|hook\?|secret/);
  });

  it('goes on after the last event that its receiver took, in the next process', async () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const never: Answer = () => {};
    const receiver = await receiverOf([taken, taken, never, taken]);
    const first = openedStore({ url });
    const before = startProcess(first, [receiver.url]);
    before.pay(4);
    await until(() => receiver.calls.length === 3, 'the third is on its way');
    await before.stop();
    first.close();
    const second = openedStore({ url });
    const after = startProcess(second, [receiver.url]);
    after.pay(1);
    await until(() => receiver.calls.length === 6, 'all are told');
    expect(receiver.ids()).toEqual([1, 2, 3, 3, 4, 5]);
  });

  it('is told of a gap in place of events that are no longer kept', async () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const receiver = await receiverOf([refused(503)]);
    const first = openedStore({ url, feedLimit: 3 });
    const before = startProcess(first, [receiver.url]);
    await before.stop();
    before.pay(10);
    first.close();
    const later = await receiverOf();
    const again = openedStore({ url, feedLimit: 3 });
    const after = startProcess(again, [receiver.url, later.url]);
    await until(() => receiver.calls.length > 1, 'the first call is tried');
    expect(receiver.calls[0]?.body).toBe('{"type":"gap","from":"1","to":"7"}');
    expect(new Set(receiver.ids())).toEqual(new Set([7]));
    after.pay(1);
    await until(() => later.calls.length === 1, 'the new one is told');
    // One that is new hears of nothing that was before it.
    expect(later.ids()).toEqual([11]);
  });

  it('that is given twice is called once, and one that does not answer delays no other', async () => {
    const silent = await receiverOf([() => {}]);
    const receiver = await receiverOf();
    const node = startProcess(openedStore(), [silent.url, receiver.url, receiver.url]);
    node.pay(2);
    await until(() => receiver.calls.length === 2, 'the other one is told');
    node.pay(1);
    await until(() => receiver.ids().at(-1) === 3, 'the other one is told of the next');
    expect(receiver.ids()).toEqual([1, 2, 3]);
    expect(silent.ids()).toEqual([1]);
  });

  it('ends with the node whatever it waits for', async () => {
    const silent = await receiverOf([() => {}]);
    const node = startProcess(openedStore(), [silent.url, 'http://127.0.0.1:1/']);
    node.pay(1);
    await until(() => silent.calls.length === 1, 'it is called');
    await node.stop();
    node.pay(1);
    expect(silent.calls).toHaveLength(1);
  });
});
