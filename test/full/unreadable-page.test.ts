/** What a node's process does when a page of its database cannot be read any more. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NodeProcess, startWorld, TOKENS, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const PAGE_BYTES = 4_096;

let world: World;
let alice: NodeProcess;
let bob: NodeProcess;
let name: string;
let count = 0;
beforeAll(async () => {
  world = await startWorld({ isHere: true });
  alice = await world.start('alice');
  await world.fund(alice.address, 100n * TOKENS);
});
afterAll(() => world?.stop());

const pay = () => {
  const json = { amount: String(TOKENS) };
  return alice.api.post(`/payments/${world.token}/${bob.address}`, json);
};

/** A node that alice has paid. */
beforeEach(async () => {
  count += 1;
  name = `bob${count}`;
  bob = await world.start(name);
  const opening = alice.api.put('/channels', {
    partner_address: bob.address,
    token_address: world.token,
    total_deposit: String(10n * TOKENS),
  });
  expect((await world.whileMining(opening)).status).toBe(201);
  await until(async () => (await pay()).status === 200 || world.nudge(), 'bob is paid');
});

/** The page where the table begins holds nothing any more. */
function wipe(table: string): void {
  const file = join(world.folder, name, 'node.db');
  const client = new Libsql(file);
  client.pragma('wal_checkpoint(TRUNCATE)');
  const row: unknown = client
    .prepare('SELECT rootpage FROM sqlite_master WHERE name = ?')
    .get([table]);
  client.close();
  if (typeof row !== 'object' || row === null || !('rootpage' in row))
    throw new Error(`there is no ${table}`);
  const handle = openSync(file, 'r+');
  writeSync(
    handle,
    Buffer.alloc(PAGE_BYTES),
    0,
    PAGE_BYTES,
    (Number(row.rootpage) - 1) * PAGE_BYTES,
  );
  closeSync(handle);
}

const readiness = async () => {
  const answer = await bob.api.get('/readyz').catch(() => null);
  return answer === null ? '' : `${answer.status} ${JSON.stringify(answer.body)}`;
};
const says = (text: string) => async () => (await readiness()).includes(text);

/** Alice holds no proof of bob, so her close says that she has paid nothing. */
async function expectGuarded(): Promise<void> {
  const path = `/channels/${world.token}/${bob.address}`;
  const closing = alice.api.patch(path, { state: 'closed' });
  expect((await world.whileMining(closing)).status).toBe(200);
  const isPaid = async () => (await world.tokensOf(bob.address)) === TOKENS;
  await until(async () => (await isPaid()) || world.nudge(), 'bob has his tokens');
  await bob.stop();
}

describe('a node with a page that cannot be read', () => {
  it.each(['journal', 'feed', 'payments'])(
    'guards its channels when it is started with an unreadable table: %s',
    async (table) => {
      await bob.stop();
      wipe(table);
      bob = await world.launch(name);
      await until(
        says('The node is in safe mode. A part of the database cannot be read'),
        'bob says why',
      );
      expect(await readiness()).toContain('503');
      await expectGuarded();
    },
  );

  it('guards its channels from a copy when safe mode cannot write either', async () => {
    await bob.stop();
    // It is not read at the start, and written when the channel is closed.
    wipe('logs');
    bob = await world.start(name);
    await expectGuarded();
    expect(bob.output.join()).toContain('begins again from the disk');
  });
});
