import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, it } from 'vitest';
import { batchOf, hash, openedStore, temporaryFolder } from '../../support/store.ts';

const hashOf = (n: number) => hash(BigInt(n) * 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251n);
const PART = 2_048;
/** Parts whose secrethashes are in one filter. */
const SHELF = 64;

it('forgets no secrethash when the process dies while the last part of a filter is closed', () => {
  const path = join(temporaryFolder(), 'node.db');
  const url = `file:${path}`;
  openedStore({ url }).close();
  const client = new Libsql(path);
  for (let part = 1; part < SHELF; part++) {
    client.exec(`INSERT INTO history_parts VALUES (${part}, 'spent', 1, 1, 0, 0)`);
    client.exec(`INSERT INTO history_keys VALUES (${part}, 0, randomblob(16), 0)`);
  }
  client.close();
  let n = 0;
  const end = (count: number) =>
    batchOf({ ended: Array.from({ length: count }, () => `mediator:${hashOf(++n)}`) });
  const store = openedStore({ url });
  store.commit(end(PART));
  // The keys are written, and the part is not closed: five more come.
  store.commit(end(5));
  store.close();
  const again = openedStore({ url });
  for (let step = 0; step < 6; step++) again.commit(batchOf({}));
  const lost = (one: typeof again) =>
    Array.from({ length: n }, (_, at) => at + 1).filter((at) => !one.isSecrethashUsed(hashOf(at)));
  expect(lost(again)).toEqual([]);
  again.close();
  expect(lost(openedStore({ url }))).toEqual([]);
});
