import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { recordObject } from '../../src/http/shapes/serializers.ts';
import type { Store } from '../../src/store/store.ts';
import { callProgram, endPrograms, runProgram } from '../support/program.ts';
import {
  ALICE,
  BOB,
  batchOf,
  hash,
  openedStore,
  TOKEN,
  temporaryFolder,
} from '../support/store.ts';

afterEach(endPrograms);

const COUNT = 1_000;
const START = Date.UTC(2026, 0, 1);
const facts = (n: number) =>
  ({
    token: TOKEN,
    tokenNetwork: ALICE,
    paymentId: BigInt(n),
    secrethash: hash(n),
    channel: null,
    amount: 10n ** 20n + BigInt(n),
  }) as const;

/** A store that stays open, with an hour between two payments: one of three sent, failed, received. */
function filled(url: string): Store {
  const store = openedStore({ url });
  const kinds = [
    { type: 'record.paymentSent', target: BOB, attempts: 1 },
    {
      type: 'record.paymentFailed',
      target: BOB,
      attempts: 1,
      code: 'no_route',
      reason: 'a "b", c',
    },
    { type: 'record.paymentReceived', initiator: BOB },
  ] as const;
  for (let n = 0; n < COUNT; n++) {
    const kind = kinds[n % 3] ?? kinds[0];
    store.commit(batchOf({ time: START + n * 3_600_000, payments: [{ ...kind, ...facts(n) }] }));
  }
  return store;
}

const wanted = (store: Store) =>
  [...store.payments({ token: null, partner: null, offset: 0, limit: null })].flat();

function fresh() {
  const url = `file:${join(temporaryFolder(), 'node.db')}`;
  return { url, store: filled(url), run: (...more: string[]) => run('--database', url, ...more) };
}
const run = (...more: string[]) => callProgram(['export', 'payments', ...more]);

describe('an export of payments', () => {
  it('has the fields of the API, oldest first, while a node has the database open', async () => {
    const { store, url } = fresh();
    const { stdout, code } = await runProgram(['export', 'payments', '--database', url]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(wanted(store).map(recordObject));
    expect([lines.length, code]).toEqual([COUNT, 0]);
  });

  it('is a table with a line of names, and what ends a cell in quotes', async () => {
    const { run } = fresh();
    const { stdout } = await run('--format', 'csv', '--before', '2026-01-01T03:00Z');
    const sent = `2026-01-01T00:00:00.000,EventPaymentSentSuccess,${TOKEN},100000000000000000000,,${BOB},0,`;
    const failed = `2026-01-01T01:00:00.000,EventPaymentSentFailed,${TOKEN},,,${BOB},,"a ""b"", c"`;
    const received = `2026-01-01T02:00:00.000,EventPaymentReceivedSuccess,${TOKEN},100000000000000000002,${BOB},,2,`;
    const names = 'log_time,event,token_address,amount,initiator,target,identifier,reason';
    expect(stdout).toBe([names, sent, failed, received, ''].join('\r\n'));
  });

  it('ends before the given day, which is not in it', async () => {
    const { run } = fresh();
    const { stdout } = await run('--before', '2026-01-03');
    expect(stdout.trimEnd().split('\n')).toHaveLength(48);
  });

  it('is refused with the reason when there is no such database', async () => {
    const { stdout, stderr, code } = await run('--database', 'file:/nowhere/node.db');
    expect([stdout, code]).toEqual(['', 1]);
    expect(stderr).toContain('there is no database /nowhere/node.db');
  });
});
