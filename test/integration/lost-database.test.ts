/** What a node's process does when its database is deleted, replaced, or out of reach while it runs. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { good } from '../support/api.ts';
import { rowsOf } from '../support/database-rows.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { createStream, launchStandby, REPLICATED, whenFollowing } from '../support/replicated.ts';
import { canMount, needsMount, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const FATAL = 70;
const RESCUED = 75;

let world: World;
let pair: Pair;

beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, 1_000n);
  await pair.open();
  await pair.meet();
});
beforeEach(async () => {
  if (pair.nodes.alice.isOver()) await startAgain();
});
afterAll(() => world?.stop());

const database = () => join(world.home('alice'), 'node.db');
const files = () => readdirSync(dirname(database()));
const rescuedIn = (folder: string) =>
  readdirSync(folder).find((name) => /\.rescued-[^/]*Z$/.test(name)) ?? '';
const said = () => pair.nodes.alice.output.join('\n');

async function readiness(): Promise<string> {
  const answer = await pair.nodes.alice.api.get('/readyz').catch(() => null);
  return answer === null ? '' : `${answer.status} ${JSON.stringify(answer.body)}`;
}
const codeOfAlice = async () => (await pair.nodes.alice.ended).code;

/** Both pay, so that what the newest files hold cannot be what an older one had. */
async function payBoth(): Promise<void> {
  good(await pair.pay('alice', 3n));
  good(await pair.pay('bob', 2n));
}
async function startAgain(): Promise<void> {
  await pair.restart('alice');
  await pair.meet();
  await expectToAgree();
}
async function expectToAgree(): Promise<void> {
  await payBoth();
  await pair.expectAgreement();
}

describe('a node whose database is deleted', () => {
  it('writes it anew, ends with a code of its own, and goes on with all that it had', async () => {
    await payBoth();
    rmSync(database());
    await pair.pay('alice', 1n).catch(() => null);
    expect(await codeOfAlice()).toBe(RESCUED);
    expect(said()).toContain('was written anew in its place');
    expect(files()).not.toContain('node.db-wal');
    await startAgain();
    const { body } = await pair.nodes.alice.api.get('/notifications');
    expect(JSON.stringify(body)).toContain('database_lost');
  });

  it('loses nothing when it is killed as soon as the file is there, in the middle of payments', async () => {
    await payBoth();
    const path = database();
    let isOver = false;
    const payFrom = async (name: 'alice' | 'bob') => {
      while (!isOver) {
        const answer = await pair.pay(name, 1n).catch(() => null);
        if (answer?.status !== 200) return;
      }
    };
    const payers = ['alice', 'bob', 'alice', 'bob'] as const;
    const paying = Promise.all(payers.map(payFrom));
    rmSync(path);
    await until(() => existsSync(path), 'the database is there again');
    await pair.nodes.alice.kill();
    isOver = true;
    await pair.restart('alice');
    await pair.meet();
    await world.whileMining(paying);
    await expectToAgree();
  });

  it('writes it anew at its end, though it was told to end before it looked', async () => {
    await payBoth();
    rmSync(database());
    rmSync(`${database()}-wal`);
    await pair.nodes.alice.stop();
    expect(await codeOfAlice()).toBe(0);
    await startAgain();
  });

  it('writes it anew with its folder', async () => {
    const keys = join(world.home('alice'), 'keys');
    renameSync(keys, join(world.folder, 'kept'));
    await payBoth();
    rmSync(world.home('alice'), { recursive: true });
    expect(await codeOfAlice()).toBe(RESCUED);
    expect(existsSync(database())).toBe(true);
    renameSync(join(world.folder, 'kept'), keys);
    await startAgain();
  });
});

describe('a node whose database is replaced by an older copy', () => {
  it('keeps its own beside it, guards its channels from there, and starts with it again', async () => {
    await pair.nodes.alice.stop();
    copyFileSync(database(), join(world.folder, 'older.db'));
    await startAgain();
    renameSync(join(world.folder, 'older.db'), database());
    await until(async () => (await readiness()).includes('safe mode'), 'alice is in safe mode');
    const rescued = rescuedIn(world.home('alice'));
    expect(await readiness()).toContain(`503 `);
    expect(await readiness()).toContain(rescued);
    pair.nodes.alice.signal('SIGTERM');
    expect(await codeOfAlice()).toBe(FATAL);
    const refused = await pair.relaunch('alice', { isRefused: true });
    expect((await refused.ended).code).toBe(1);
    expect(said()).toContain('the database is an old copy');
    expect(said()).toContain(rescued);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${database()}${suffix}`, { force: true });
    renameSync(join(world.home('alice'), rescued), database());
    await startAgain();
  });
});

describe('a node that misses a file of its next start', () => {
  it('goes on, and says so until the file is back', async () => {
    const away = `${world.contractsFile}.away`;
    renameSync(world.contractsFile, away);
    await until(async () => (await readiness()).includes('A file is missing'), 'alice misses one');
    expect(await readiness()).toContain('200 ');
    await payBoth();
    renameSync(away, world.contractsFile);
    expect(said()).toContain('The file of --contracts (contracts.json) cannot be read');
    await until(async () => !(await readiness()).includes('A file is'), 'alice has it again');
  });

  it('says so of the lock that keeps its key from running twice', async () => {
    const folder = join(world.folder, '.local/state/sluice');
    const lock = readdirSync(folder).find((name) => name.endsWith(`${pair.address.alice}.lock`));
    rmSync(join(folder, lock ?? 'none'));
    await until(() => said().includes('The lock of the key'), 'alice says so');
    await pair.nodes.alice.stop();
    await startAgain();
  });
});

describe.skipIf(!canMount)(`a folder that takes no file${needsMount}`, () => {
  let disk: SmallDisk;
  beforeAll(() => {
    disk = smallDisk(24_000_000);
  });
  afterAll(() => disk?.end());

  /** Lets alice work on the small disk, where her state is, too, if it is said. */
  async function moveTo(folder: string, hasState: boolean) {
    await pair.nodes.alice.stop();
    mkdirSync(folder, { mode: 0o700 });
    copyFileSync(database(), join(folder, 'node.db'));
    const env = hasState ? { XDG_STATE_HOME: join(disk.folder, 'state') } : {};
    const options = { database: `file:${join(folder, 'node.db')}`, 'min-free-disk': '0' };
    await pair.restart('alice', { options, env });
    await pair.meet();
    return { options, env };
  }
  const backHome = async (file: string) => {
    copyFileSync(file, database());
    await startAgain();
  };
  const mount = (...args: string[]) => spawnSync('mount', args, { stdio: 'ignore' }).status;

  it('is left alone while it is read-only: the database is in the folder of the state', async () => {
    const folder = join(disk.folder, 'read-only');
    await moveTo(folder, false);
    await payBoth();
    rmSync(join(folder, 'node.db'));
    expect(mount('--bind', folder, folder)).toBe(0);
    expect(mount('-o', 'remount,ro,bind', folder)).toBe(0);
    try {
      await until(async () => (await readiness()).includes('safe mode'), 'alice is in safe mode');
      expect(await readiness()).toContain(`in the folder of the node's state`);
    } finally {
      spawnSync('umount', [folder]);
    }
    pair.nodes.alice.signal('SIGTERM');
    expect(await codeOfAlice()).toBe(FATAL);
    const state = join(world.folder, '.local/state/sluice');
    await backHome(join(state, rescuedIn(state)));
  });

  it('is tried again while its disk is full: the node stays, and promises nothing', async () => {
    const folder = join(disk.folder, 'full');
    const start = await moveTo(folder, true);
    await payBoth();
    disk.fill(120_000);
    rmSync(join(folder, 'node.db'));
    await until(async () => (await readiness()).includes('could not be written'), 'alice says so');
    expect(await readiness()).toContain('503 ');
    expect((await pair.pay('alice', 1n)).status).toBe(503);
    const refused = await world.whileMining(pair.pay('bob', 1n));
    expect(refused.status).not.toBe(200);
    disk.empty();
    expect(await codeOfAlice()).toBe(RESCUED);
    await pair.restart('alice', start);
    await pair.meet();
    await payBoth();
    await pair.nodes.alice.stop();
    await backHome(join(folder, 'node.db'));
  });

  it('is waited for by a node that can commit nothing, before it guards its channels', async () => {
    const folder = join(disk.folder, 'fuller');
    await moveTo(folder, true);
    await payBoth();
    disk.fill();
    rmSync(join(folder, 'node.db'));
    await until(() => said().includes('could not be written anew'), 'alice says so');
    expect(existsSync(join(folder, 'node.db'))).toBe(false);
    disk.empty();
    await until(async () => (await readiness()).includes('safe mode'), 'alice is in safe mode');
    pair.nodes.alice.signal('SIGTERM');
    expect(await codeOfAlice()).toBe(FATAL);
    await backHome(join(folder, 'node.db'));
  });
});

describe('a node whose database is replicated', () => {
  it('writes it anew, and its stream goes on from there', async () => {
    const streamed = await startWorld({ hasStreams: true });
    try {
      await createStream(streamed);
      const pair = await startPair(streamed, 1_000n, REPLICATED, {});
      await pair.open();
      await pair.meet();
      good(await pair.pay('alice', 3n));
      rmSync(join(streamed.home('alice'), 'node.db'));
      await pair.pay('alice', 1n).catch(() => null);
      expect((await pair.nodes.alice.ended).code).toBe(RESCUED);
      await pair.restart('alice', REPLICATED);
      await pair.meet();
      good(await pair.pay('bob', 2n));
      await pair.expectAgreement();
      const standby = await launchStandby(streamed, 'second');
      await whenFollowing(streamed, standby);
      await until(pair.isQuiet, 'nothing is on its way');
      const rows = (name: string) => JSON.stringify(rowsOf(join(streamed.home(name), 'node.db')));
      await until(() => rows('second') === rows('alice'), 'the standby holds the same');
    } finally {
      await streamed.stop();
    }
  });
});
