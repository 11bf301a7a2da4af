/** Two processes with one key would sign against each other: the second one does not start. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLedger } from '../support/ledger.ts';
import { type Pair, startPair } from '../support/pair.ts';
import {
  freePort,
  type NodeProcess,
  type StartOptions,
  startWorld,
  type World,
} from '../support/processes.ts';
import { until } from '../support/until.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

let world: World;
let pair: Pair;
let wire: Wiretap;

beforeAll(async () => {
  world = await startWorld();
  wire = await tapWire(world);
  pair = await startPair(world, 1_000n, {}, { isHere: true });
  await pair.open();
});
afterAll(async () => {
  await wire?.stop();
  await world?.stop();
});

const atDatabase = (...path: string[]) => ({
  options: { database: `file:${join(world.folder, ...path)}` },
});
/** As on another machine: locks in the file system do not reach there. */
const elsewhere = () => ({ env: { HOME: join(world.folder, 'elsewhere') } });

const startRival = (name: string, given: StartOptions): Promise<NodeProcess> =>
  world.launch(name, { ...given, isRefused: true });

async function expectRefused(rival: NodeProcess, code: number, said: RegExp): Promise<void> {
  expect((await rival.ended).code).toBe(code);
  expect(rival.output.join('\n')).toMatch(said);
}

describe('a second process', () => {
  it('with the same key and the same database is refused', async () => {
    await expectRefused(await startRival('alice', {}), 1, /another process .*: stop it/);
  });

  it('with the same key and another database is refused', async () => {
    const rival = await startRival('alice', atDatabase('other.db'));
    await expectRefused(rival, 1, /another process .*: stop it/);
  });

  it('with the same database and another folder for locks is refused', async () => {
    const rival = await startRival('alice', elsewhere());
    await expectRefused(rival, 1, /another process uses the database .*: stop it, or give/);
  });

  it('with the same key on another machine is silent before it has signed against the first', async () => {
    expect((await pair.pay('alice', 1n)).status).toBe(200);
    await pair.expectAgreement();
    const { options } = atDatabase('elsewhere.db');
    const api = { 'api-address': `127.0.0.1:${await freePort()}` };
    pair.nodes.alice.pause();
    const rival = await startRival('alice', { ...elsewhere(), options: { ...options, ...api } });
    // It takes calls already while it looks for another process with its key, and says that it is ready only after that.
    const status = async () => (await rival.api.ask({ path: '/readyz' }).catch(() => null))?.status;
    await until(async () => (await status()) === 200, 'the rival takes calls');
    // Its database knows of no payment: this one would take the place of one that was made.
    const path = `/payments/${world.token}/${pair.address.bob}`;
    const answer = rival.api.post(path, { amount: '1' }).catch(() => null);
    const ledger = () => readLedger(join(world.folder, 'elsewhere.db'));
    await until(() => ledger().outbox > 0, 'the rival is about to pay');
    pair.nodes.alice.resume();
    await until(
      () => /safe mode.*the same key is in use/.test(rival.output.join('\n')),
      'the rival only guards its channels',
    );
    await until(async () => (await status()) === 503, 'the rival says so');
    expect((await rival.api.post(path, { amount: '1' })).status).toBe(503);
    expect(rival.isOver()).toBe(false);
    await rival.kill();
    expect((await answer)?.status).not.toBe(200);
    expect(wire.heard()).toBeGreaterThan(0);
    expect(wire.conflicts()).toEqual([]);
    await pair.expectAgreement();
  });

  it('with another key on the same database is refused, also when the first has ended', async () => {
    const early = await startRival('carol', atDatabase('bob', 'node.db'));
    await expectRefused(early, 1, /another process uses the database/);
    await pair.nodes.bob.stop();
    const late = await startRival('carol', atDatabase('bob', 'node.db'));
    await expectRefused(late, 1, /the database belongs to node address .*: give this node/);
    await pair.restart('bob', { isHere: true });
  });

  it('does not disturb the first', async () => {
    await pair.meet();
    expect((await pair.pay('alice', 1n)).status).toBe(200);
    await pair.expectAgreement();
  });
});
