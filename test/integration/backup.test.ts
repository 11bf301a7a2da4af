/** Copies of the database of a running node: what is in them, and what a node may do with them. */
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readHighWater } from '../../src/store/durability/high-water.ts';
import { good } from '../support/api.ts';
import { readLedger } from '../support/ledger.ts';
import { type Name, type Pair, startPair } from '../support/pair.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { callProgram, endPrograms, runProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  pair = await startPair(world, 1_000n);
  await pair.open();
  await pair.meet();
});
afterEach(endPrograms);
afterAll(() => world?.stop());

const at = (name: string) => join(world.folder, name);
const databaseOf = (name: Name) => at(join(name, 'node.db'));
const backingUp = (output: string, ...more: string[]) => [
  'backup',
  ...['--database', `file:${databaseOf('alice')}`, '--output', at(output), ...more],
];

/** The newest nonce of each side in the table of steps. */
function newestNonces(path: string): Record<string, bigint> {
  const reader = new Libsql(path);
  const rows = reader
    .prepare('SELECT side, hex(max(nonce)) AS nonce FROM steps GROUP BY side')
    .all();
  reader.close();
  const shape = v.array(v.object({ side: v.number(), nonce: v.string() }));
  return Object.fromEntries(
    v.parse(shape, rows).map(({ side, nonce }) => [side, BigInt(`0x${nonce}`)]),
  );
}

/** Puts `copy` in the place of the database of a node that has ended. */
function restore(copy: string, name: Name): void {
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(`${databaseOf(name)}${suffix}`, { force: true });
  cpSync(copy, databaseOf(name));
}

/** How far the database of a node had come, as its machine has noted. */
function noteOf(name: Name) {
  const folder = at('.local/state/sluice');
  const file = readdirSync(folder).find((entry) =>
    entry.endsWith(`${pair.address[name]}.high-water`),
  );
  const note = file === undefined ? null : readHighWater(join(folder, file));
  if (note === null) throw new Error(`there is no note of ${name}`);
  return note;
}

/** What a node prints that refuses to start. */
async function refusedStart(name: Name): Promise<string> {
  const node = await pair.relaunch(name, { isRefused: true });
  expect((await node.ended).code).toBe(1);
  return textOf(node);
}
const textOf = (node: NodeProcess) => node.output.join('\n');
const codeIn = (text: string) => /--accept-database ([0-9a-f]{8})"/.exec(text)?.[1] ?? '';

describe('sluice backup', () => {
  it('copies one moment of a node that is paying: no commit is in it in part', async () => {
    let isOver = false;
    const paying = (async () => {
      for (let count = 0; !isOver; count++)
        good(await pair.pay(count % 3 === 0 ? 'bob' : 'alice', 1n));
    })();
    const seen: number[] = [];
    for (const output of ['first.db', 'second.db', 'third.db']) {
      const { code, stdout, stderr } = await runProgram(backingUp(output, '--json'));
      expect(stderr).toContain('The key is not in it');
      expect(code).toBe(0);
      const { payments, channels, ownAddress } = JSON.parse(stdout);
      expect([channels, ownAddress]).toEqual([1, pair.address.alice]);
      const [channel] = readLedger(at(output)).channels;
      const { ownEnd, partnerEnd } = channel?.context ?? {};
      expect(newestNonces(at(output))).toEqual({ 0: ownEnd?.nonce, 1: partnerEnd?.nonce });
      seen.push(payments);
    }
    isOver = true;
    await paying;
    expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
    expect(new Set(seen).size).toBe(3);
    await pair.expectAgreement();
  });

  it('says what is in the file, and never overwrites one', async () => {
    const { code, stdout } = await callProgram(backingUp('fourth.db'));
    expect(stdout).toContain(`node      ${pair.address.alice}`);
    expect(stdout).toMatch(/^channels {2}1$/m);
    expect(stdout).toMatch(/^sha256 {4}[0-9a-f]{64}$/m);
    expect(code).toBe(0);
    const again = await callProgram(backingUp('fourth.db'));
    expect(again.stderr).toContain('is there already');
    expect([again.code, again.stdout]).toEqual([1, '']);
  });
});

describe('an old copy of the database', () => {
  it('is refused, and the node goes on with the newest one', async () => {
    await pair.nodes.alice.stop();
    cpSync(databaseOf('alice'), at('snapshot.db'));
    await pair.restart('alice');
    await pair.meet();
    good(await pair.pay('alice', 5n));
    await pair.expectAgreement();
    await pair.nodes.alice.stop();
    cpSync(databaseOf('alice'), at('newest.db'));
    restore(at('snapshot.db'), 'alice');
    const said = await refusedStart('alice');
    expect(said).toContain('the database is an old copy: it ends at step');
    restore(at('newest.db'), 'alice');
    await pair.restart('alice', { isHere: false });
    await pair.meet();
    await pair.expectAgreement();
  });

  it('is refused after a crash, too', async () => {
    const { seq } = noteOf('alice');
    good(await pair.pay('bob', 7n));
    await until(() => noteOf('alice').seq > seq, 'the progress is noted');
    await pair.nodes.alice.kill();
    restore(at('newest.db'), 'alice');
    expect(await refusedStart('alice')).toContain('the database is an old copy');
    restore(at('third.db'), 'alice');
    const said = await refusedStart('alice');
    expect(said).toContain('the database is a backup of 20');
    expect(said).toContain('Start with the original if it still exists');
  });

  it('can be gone on with to close its channels, and signs no payment', async () => {
    const code = codeIn(await refusedStart('alice'));
    await pair.restart('alice', { options: { 'accept-database': code } });
    const { alice, bob } = pair.nodes;
    expect(textOf(alice)).toContain('the channels that are open can only be closed');
    await until(async () => (await pair.findChannel('alice')) !== null, 'alice has her channel');
    const [before] = readLedger(databaseOf('alice')).channels;
    expect(before?.value).toBe('stale');
    expect((await pair.pay('alice', 1n)).status).toBe(409);
    const path = `/channels/${world.token}/${pair.address.bob}`;
    expect((await alice.api.patch(path, { total_deposit: '5000' })).status).toBe(409);
    const [after] = readLedger(databaseOf('alice')).channels;
    expect(after?.context).toEqual(before?.context);

    // What bob holds is the newest of alice, and it counts.
    const sentByBob = (await bob.api.history()).length;
    await pair.close('alice');
    await pair.settle('alice', 'bob');
    expect((await bob.api.history()).length).toBe(sentByBob);
    const total =
      (await world.tokensOf(pair.address.alice)) + (await world.tokensOf(pair.address.bob));
    expect(total).toBe(20_000n);
    expect(await alice.api.channels()).toEqual([]);
  });

  it('has no effect any more once its channels are closed: the node starts and opens channels as usual', async () => {
    await pair.nodes.alice.stop();
    await pair.restart('alice');
    await pair.open();
    await pair.meet();
    good(await pair.pay('alice', 1n));
  });
});
