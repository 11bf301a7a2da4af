import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, it } from 'vitest';
import type { RecordPayment } from '../../../machines/effects.ts';
import { KEEP_ALL } from '../../../src/store/history/sweep.ts';
import { ALICE, batchOf, hash, openedStore, TOKEN, temporaryFolder } from '../../support/store.ts';

const hashOf = (n: number) => hash(BigInt(n) * 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251n);
const received = (n: number): RecordPayment => ({
  type: 'record.paymentReceived',
  token: TOKEN,
  tokenNetwork: ALICE,
  initiator: ALICE,
  amount: 1n,
  paymentId: BigInt(n),
  secrethash: hashOf(n),
  channel: null,
});
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => from + at);
const REFUSAL =
  "CREATE TRIGGER refuse BEFORE DELETE ON payments BEGIN SELECT RAISE(ABORT, 'no room'); END";

it('knows how many payments there are after a slice of the sweep that failed', () => {
  const path = join(temporaryFolder(), 'node.db');
  const store = openedStore({ url: `file:${path}` });
  store.commit(batchOf({ time: 1, payments: numbers(0, 2_048).map(received) }));
  for (let step = 0; step < 5; step++) store.commit(batchOf({}));
  store.commit(batchOf({ time: 1, payments: numbers(2_048, 2_050).map(received) }));
  const client = new Libsql(path);
  const history = { from: 9, now: 9 };
  client.exec(REFUSAL);
  expect(() => store.sweep(1_024, { ...KEEP_ALL, history })).toThrow('no room');
  expect(store.paymentCount()).toBe(2_050);
  client.exec('DROP TRIGGER refuse');
  store.commit(batchOf({}));
  expect(store.sweep(64, { ...KEEP_ALL, history })).toBe(true);
  const [[left] = []] = client.prepare('SELECT count(*) FROM payments').raw().all() as number[][];
  const [[rows] = []] = client.prepare('SELECT rows FROM history_parts').raw().all() as number[][];
  client.close();
  expect({ rows, count: store.paymentCount() }).toEqual({ rows: (left ?? 0) - 2, count: left });
});

it('keeps the secrethash of a payment that a failed slice has not deleted', () => {
  const path = join(temporaryFolder(), 'node.db');
  const url = `file:${path}`;
  const store = openedStore({ url });
  const call = { caller: hash(1), key: hash(2), content: hash(3), request: 'r', paymentId: null };
  store.commit(batchOf({ time: 5, payments: numbers(1, 9).map(received), calls: [call] }));
  store.commit(batchOf({ time: 5, callsEnded: [{ ...call, answer: 'a' }] }));
  const client = new Libsql(path);
  const history = { from: 9, now: 9 };
  client.exec(REFUSAL);
  expect(() => store.sweep(1_024, { ...KEEP_ALL, history })).toThrow('no room');
  client.exec('DROP TRIGGER refuse');
  client.close();
  while (store.sweep(1_024, { ...KEEP_ALL, history, callsFrom: 9 }));
  const lost = (one: typeof store) => numbers(1, 9).filter((n) => !one.isSecrethashUsed(hashOf(n)));
  expect(lost(store)).toEqual([]);
  store.close();
  expect(lost(openedStore({ url }))).toEqual([]);
});
