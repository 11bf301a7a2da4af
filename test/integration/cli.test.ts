import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noFault } from '../../src/basics/fault.ts';
import { type Address, parseAddress, ZERO_ADDRESS } from '../../src/basics/hex.ts';
import type { Problem, StartRefusal } from '../../src/host/base/refusal.ts';
import { type KnownContracts, parseContracts } from '../../src/host/contracts-file.ts';
import type { NodeConfig } from '../../src/host/node-config.ts';
import { openNode } from '../../src/host/open-node.ts';
import { createBus } from '../../src/partner/bus.ts';
import { DEFAULT_FEE_TERMS } from '../../src/protocol/fees/fee-terms.ts';
import { LIGHT_COST } from '../../src/signer/key-file.ts';
import { writeKeystore } from '../../src/signer/keystore.ts';
import { createSigner } from '../../src/signer/signer.ts';
import { emptyBatch } from '../../src/store/base/batch.ts';
import { connect } from '../../src/store/base/connection.ts';
import type { Stamp } from '../../src/store/base/stamp.ts';
import { openStore } from '../../src/store/open.ts';
import { createLive } from '../../src/store/tables/live.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { anvilAccount } from '../support/chain.ts';
import {
  beginProgram,
  callProgram,
  endPrograms,
  type Program,
  runProgram,
  startProgram,
} from '../support/program.ts';
import { until } from '../support/until.ts';

let anvil: Anvil;
let folder: string;
const at = (name: string) => join(folder, name);
/** In which a node finds and leaves nothing of the user who runs the tests. */
let environment: Record<string, string>;

const KEYS = [anvilAccount(1), anvilAccount(2)].map((account) => {
  return { address: account.address, key: account.getHdKey().privateKey ?? new Uint8Array() };
});
const [ALICE = ZERO_ADDRESS, BOB = ZERO_ADDRESS] = KEYS.map(({ address }) => address);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  environment = { XDG_DATA_HOME: at('data'), XDG_STATE_HOME: at('state') };
  anvil = await startAnvil();
  for (const { key } of KEYS) await writeKeystore(at('keys'), key, 'p4ss', { cost: LIGHT_COST });
  writeFileSync(at('password'), 'p4ss\n', { mode: 0o600 });
  writeFileSync(at('wrong-password'), 'hunter2\n', { mode: 0o600 });
  const payer = Buffer.from(anvilAccount(0).getHdKey().privateKey ?? []).toString('hex');
  writeFileSync(at('payer'), payer);
  const deployed = await callProgram([
    'contracts',
    'deploy',
    '--eth-rpc-endpoint',
    anvil.rpc,
    '--private-key-file',
    at('payer'),
    '--output',
    at('contracts.json'),
  ]);
  expect(deployed.stderr).toContain('Deploying the secret registry');
  expect(JSON.parse(deployed.stdout)).toEqual(
    JSON.parse(readFileSync(at('contracts.json'), 'utf8')),
  );
  expect(deployed.code).toBe(0);
});
afterEach(endPrograms);
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true });
});

/** Of a node that starts; `changes` replace options, null leaves one out. */
function nodeArguments(changes: Record<string, string | null> = {}): string[] {
  const options = {
    '--eth-rpc-endpoint': anvil.rpc,
    '--contracts': at('contracts.json'),
    '--keystore-path': at('keys'),
    '--address': ALICE,
    '--password-file': at('password'),
    '--api-address': '127.0.0.1:0',
    '--confirmations': '0',
    '--poll-interval': '50',
    ...changes,
  };
  const given = Object.entries(options).flatMap(([name, value]) => {
    return value === null ? [] : [name, value];
  });
  return ['node', ...given];
}

/** A key that has worked with one database takes no other: each database has a state folder of its own. */
function environmentOf(database: string | null | undefined): Record<string, string> {
  return { ...environment, XDG_STATE_HOME: stateHome(database) };
}
const stateHome = (database: string | null | undefined) =>
  at(database === null || database === undefined ? 'state' : `state-${basename(database)}`);

/** `begin`: where it runs. */
async function startNode(changes: Record<string, string | null> = {}, begin = beginProgram) {
  const program = begin(nodeArguments(changes), environmentOf(changes['--database']));
  const [, address, api] = await program.says(/^ready: (\S+) (http:\S+)$/m);
  return { program, address, api: `${api}/api/v1` };
}

/** What a node is told that another process may not start in this way. */
async function refusalOf(changes: Partial<NodeConfig>, key = KEYS[0]?.key): Promise<StartRefusal> {
  const config: NodeConfig = {
    version: '0.0.0-test',
    rpcUrl: anvil.rpc,
    networkId: null,
    contracts: contractsWith({}),
    broker: { bus: createBus() },
    database: null,
    dataFolder: at('data/sluice'),
    stateFolder: join(stateHome(changes.database), 'sluice'),
    confirmations: 0n,
    defaultSettleTimeout: 500n,
    defaultRevealTimeout: 50n,
    isProduction: false,
    pathfindingServiceAddress: null,
    routingMode: 'local',
    fees: { byToken: new Map(), others: DEFAULT_FEE_TERMS },
    monitoringReward: null,
    releaseFeed: null,
    hasInspector: false,
    webhooks: null,
    pollIntervalMs: 50,
    api: { host: '127.0.0.1', port: 0, concurrency: 1 },
    ...changes,
  };
  const opened = await openNode(config, {
    signer: createSigner(key ?? new Uint8Array()),
    log: { info() {}, warn() {}, error() {} },
    fault: noFault,
    onShutdown() {},
    onFatal() {},
  });
  if (!opened.ok) return opened;
  await opened.value.stop();
  throw new Error('the node has started');
}

describe('sluice node', () => {
  it('prints where its API is when it takes calls, and ends in order on SIGTERM', async () => {
    const { program, address, api } = await startNode({}, startProgram);
    expect(address).toBe(ALICE);
    expect(await (await fetch(`${api}/address`)).json()).toEqual({ our_address: ALICE });
    expect(program.stderr()).toContain('without --nats');
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('keeps its database in the data folder, by chain, contracts and address', async () => {
    const registry = deployed('token_network_registry_address');
    const { program } = await startNode();
    const name = `31337-${registry.slice(2, 10)}-${ALICE}`;
    expect(statSync(at(join('data', 'sluice', name, 'node.db'))).mode & 0o777).toBe(0o600);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
  });

  it('reads its API tokens again at SIGHUP, and keeps those before when it cannot', async () => {
    const file = at('renewed-tokens');
    const [first, second] = ['first-0123456789abcdef', 'second-0123456789abcdef'];
    writeFileSync(file, first, { mode: 0o600 });
    const { program, api } = await startNode({ '--api-token-file': file });
    const statusWith = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${api}/address`, { headers })).status;
    };
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 401]);
    writeFileSync(file, second);
    program.signal('SIGHUP');
    await until(() => program.stderr().includes('read again'));
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);
    writeFileSync(file, '');
    program.signal('SIGHUP');
    await until(() => program.stderr().includes('the tokens before stay'));
    expect(await statusWith(second)).toBe(200);
    expect(program.stderr()).not.toContain(second);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('ends with code 0 when its API is asked to', async () => {
    const { program, api } = await startNode();
    const answer = await fetch(`${api}/shutdown`, { method: 'POST' });
    expect(await answer.json()).toEqual({ status: 'shutdown' });
    expect(await program.ended).toBe(0);
  });

  it('writes its log as JSON when told so', async () => {
    const program = beginProgram([...nodeArguments(), '--log-json'], environment);
    await program.says(/^ready: /m);
    program.signal('SIGTERM');
    await program.ended;
    const lines = program.stderr().trim().split('\n');
    const stopping = { level: 'info', message: 'stopping' };
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining(stopping));
  });

  it('answers 500, says what to do and ends with code 70 when it cannot go on', async () => {
    const { program, api } = await startNode({ '--database': `file:${at('broken.db')}` });
    // As if somebody had given the database to a second process.
    const rival = new Libsql(at('broken.db'));
    // The node may be writing at this moment.
    rival.exec('PRAGMA busy_timeout = 5000');
    rival.prepare("UPDATE meta SET value = 'rival' WHERE key = 'holder'").run();
    rival.close();
    await mineUntilEnded(program);
    expect(await program.ended).toBe(70);
    expect(program.stderr()).toContain('start it again with the same options');
    await expect(fetch(`${api}/address`)).rejects.toThrow();
  });
});

describe('a database that cannot be read', () => {
  it('ends the node with code 70 before it does anything', async () => {
    const url = `file:${at('damaged.db')}`;
    const { program } = await startNode({ '--database': url });
    program.signal('SIGTERM');
    await program.ended;
    const database = connect(at('damaged.db'));
    const rubbish = { id: 'node', kind: 'node', version: 1, state: 'rubbish' };
    createLive(database).write({ ...emptyBatch(), actors: [rubbish] });
    database.client.close();
    const { code, stderr, stdout } = await runProgram(
      nodeArguments({ '--database': url }),
      environmentOf(url),
    );
    expect(stderr).toContain('sluice: unexpected: ');
    expect([code, stdout]).toEqual([70, '']);
  });
});

/** Each block makes the node write. */
async function mineUntilEnded(program: Program): Promise<void> {
  let isOver = false;
  program.ended.then(() => {
    isOver = true;
  });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x1'] });
  while (!isOver) {
    await fetch(anvil.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  }
}

describe('sluice node refuses to start', () => {
  const registry = (tokenNetworkRegistryAddress: Address) => ({ tokenNetworkRegistryAddress });

  it.each<[string, () => Partial<NodeConfig>, Problem, string]>([
    [
      'when the chain does not answer',
      () => ({ rpcUrl: 'http://127.0.0.1:1' }),
      'chain_unavailable',
      'does not answer',
    ],
    [
      'on another chain',
      () => ({ networkId: 5n }),
      'wrong_chain',
      'the endpoint serves chain 31337, not 5',
    ],
    [
      'without a contract at the registry',
      () => ({ contracts: contractsWith(registry(ALICE)) }),
      'wrong_contracts',
      `there is no contract at ${ALICE} on chain 31337`,
    ],
    [
      'with another contract in place of the registry',
      () => ({ contracts: contractsWith(registry(deployed('secret_registry_address'))) }),
      'wrong_contracts',
      'does not answer as a token network registry',
    ],
    [
      'with a secret registry that the contracts do not use',
      () => ({ contracts: contractsWith({ secretRegistryAddress: ALICE }) }),
      'wrong_contracts',
      'correct secret_registry_address',
    ],
    [
      'with confirmations that leave no time of the reveal timeout',
      () => ({ confirmations: 42n }),
      'invalid_settings',
      '--default-reveal-timeout must be at least 51 blocks',
    ],
    [
      'with a settle timeout below twice the reveal timeout',
      () => ({ defaultSettleTimeout: 99n }),
      'invalid_settings',
      'at least twice --default-reveal-timeout',
    ],
    [
      'with a database that is none',
      () => ({ database: `file:${at('password')}` }),
      'database',
      'cannot be used',
    ],
    [
      'with a database server that this version cannot use',
      () => ({ database: 'libsql://db.example' }),
      'database',
      'supported are file:',
    ],
    [
      'on a public address without a token',
      () => ({ api: { host: '0.0.0.0', port: 0, concurrency: 1 } }),
      'api_address',
      'can be reached from other machines',
    ],
  ])('%s', async (_, changes, problem, message) => {
    const refusal = await refusalOf(changes());
    expect(refusal).toMatchObject({ problem, message: expect.stringContaining(message) });
  });

  it('when another process has its key, its database or its port', async () => {
    const database = `file:${at('used.db')}`;
    const { program, api } = await startNode({ '--database': database }, startProgram);
    const port = Number(new URL(api).port);
    const taken = { host: '127.0.0.1', port, concurrency: 1 };
    const bob = KEYS[1]?.key;
    const second = { database: `file:${at('second.db')}`, stateFolder: at('state-used.db/sluice') };
    expect((await refusalOf(second)).problem).toBe('key_in_use');
    expect((await refusalOf({ database }, bob)).message).toContain('another process uses');
    const free = { database: `file:${at('third.db')}` };
    expect((await refusalOf({ ...free, api: taken }, bob)).problem).toBe('api_address');
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('with another database than the one that its key has worked with', async () => {
    const database = `file:${at('first.db')}`;
    const { program } = await startNode({ '--database': database });
    program.signal('SIGTERM');
    await program.ended;
    const { code, stderr } = await callProgram(
      nodeArguments({ '--database': `file:${at('other.db')}` }),
      environmentOf(database),
    );
    expect(stderr).toContain('sluice: the key has worked with a database, the one given is new');
    expect(code).toBe(1);
    const accepted = /--accept-database [0-9a-f]{8}/.exec(stderr)?.[0].split(' ') ?? [];
    const again = beginProgram(
      [...nodeArguments({ '--database': `file:${at('other.db')}` }), ...accepted],
      environmentOf(database),
    );
    await again.says(/^ready: /m);
    again.signal('SIGTERM');
    expect(await again.ended).toBe(0);
  });

  it.each<[string, (path: string) => void, string]>([
    [
      'of another chain',
      (path) => stampedDatabase(path, { chainId: 1n }),
      'the database belongs to chain id 1, not 31337',
    ],
    [
      'of another registry',
      (path) => stampedDatabase(path, { tokenNetworkRegistry: BOB }),
      `the database belongs to token network registry ${BOB}, not`,
    ],
    [
      'of a newer version',
      (path) => {
        stampedDatabase(path, {});
        execute(path, "UPDATE meta SET value = '999' WHERE key = 'schema'");
      },
      'install that version again',
    ],
    [
      'of another program',
      (path) => execute(path, 'CREATE TABLE notes (text TEXT)'),
      'the tables of another program',
    ],
  ])('with a database %s, and leaves it as it was', async (what, make, message) => {
    const path = at(`${what.replaceAll(' ', '-')}.db`);
    make(path);
    const before = readFileSync(path);
    const { code, stderr, stdout } = await callProgram(
      nodeArguments({ '--database': `file:${path}` }),
      environmentOf(path),
    );
    expect(stderr).toMatch(/^sluice: /m);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([1, '']);
    expect(readFileSync(path)).toEqual(before);
  });

  it('with the database of another node', async () => {
    const database = `file:${at('alice.db')}`;
    const { program } = await startNode({ '--database': database });
    program.signal('SIGTERM');
    await program.ended;
    const { message } = await refusalOf({ database }, KEYS[1]?.key);
    expect(message).toContain(`the database belongs to node address ${ALICE}, not ${BOB}`);
  });

  it.each<[string, Record<string, string>, string]>([
    ['its key', { '--keystore-path': '/nowhere' }, 'make one with "sluice account new'],
    ['its file of contracts', { '--contracts': '/nowhere' }, 'the file of --contracts cannot be'],
  ])('without %s, with code 1 and what to do', async (_, changes, message) => {
    const { code, stderr, stdout } = await callProgram(nodeArguments(changes), environment);
    expect(stderr).toMatch(/^sluice: /m);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([1, '']);
  });
});

/** A database of alice on this chain and its registry, but for the changes. */
function stampedDatabase(path: string, changes: Partial<Stamp>): void {
  const tokenNetworkRegistry = deployed('token_network_registry_address');
  const stamp = { chainId: 31_337n, tokenNetworkRegistry, ownAddress: ALICE, ...changes };
  const opened = openStore({ url: `file:${path}`, stamp });
  if (!opened.ok) throw new Error(opened.message);
  opened.store.close();
}

function execute(path: string, statement: string): void {
  const client = new Libsql(path);
  client.exec(statement);
  // Into the file itself: another connection of this process may linger, and then closing does not do it.
  client.pragma('wal_checkpoint(TRUNCATE)');
  client.close();
}

/** An address of the deployment, by its name in the file. */
function deployed(name: string): Address {
  const found = parseAddress(JSON.parse(readFileSync(at('contracts.json'), 'utf8'))[name]);
  if (found === null) throw new Error(`no ${name} was deployed`);
  return found;
}

function contractsWith(changes: Partial<KnownContracts>): KnownContracts {
  const parsed = parseContracts(readFileSync(at('contracts.json'), 'utf8'));
  if (!parsed.ok) throw new Error(parsed.message);
  return { ...parsed.value, ...changes };
}

describe('sluice account', () => {
  const account = (...args: string[]) => {
    const common = ['--keystore-path', at('new-keys'), '--password-file', at('password')];
    return callProgram(['account', ...args, ...common], environment);
  };

  it('makes a key that only this user can read, and shows where it is', async () => {
    const { code, stdout } = await account('new');
    expect(code).toBe(0);
    const [, address, file = ''] = /^(0x[0-9a-fA-F]{40}) (\/\S+)\n$/.exec(stdout) ?? [];
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { address: inFile } = JSON.parse(readFileSync(file, 'utf8'));
    expect(`0x${inFile}`).toBe(address?.toLowerCase());
  });

  it('imports a key from hex digits without showing it, and refuses it the second time', async () => {
    const { code, stdout, stderr } = await account('import', at('payer'));
    expect(code).toBe(0);
    expect(stdout).toContain(anvilAccount(0).address);
    expect(stdout + stderr).not.toContain(readFileSync(at('payer'), 'utf8'));
    const again = await account('import', at('payer'));
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('holds this key') });
  });

  it('takes over an encrypted file with its password only', async () => {
    const { value } = Object(
      await writeKeystore(at('old'), KEYS[1]?.key ?? new Uint8Array(), 'p4ss', {
        cost: LIGHT_COST,
      }),
    );
    const wrong = ['--keystore-path', at('new-keys'), '--password-file', at('wrong-password')];
    const refusal = await callProgram(['account', 'import', value.file, ...wrong], environment);
    expect(refusal).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('password is wrong'),
    });
    const { code, stdout } = await account('import', value.file);
    expect(stdout).toContain(BOB);
    expect(code).toBe(0);
  });

  it('refuses a file without a key', async () => {
    const { code, stderr } = await account('import', at('wrong-password'));
    expect(stderr).toContain('does not hold a private key');
    expect(stderr).not.toContain('hunter2');
    expect(code).toBe(1);
  });
});

describe('sluice', () => {
  it('ends with code 2 when it is called in the wrong way', async () => {
    const { code, stderr } = await runProgram(['node']);
    expect(stderr).toContain('--eth-rpc-endpoint is missing');
    expect(code).toBe(2);
  });

  it.each([
    [['dance'], "unknown command 'dance'"],
    [['node', '--dance'], "unknown option '--dance'"],
    [['account', 'dance'], "unknown command 'dance'"],
    [[], 'Usage: sluice'],
  ])('ends with code 2 and says why for %j', async (args, text) => {
    const { code, stderr } = await callProgram(args);
    expect(stderr).toContain(text);
    expect(code).toBe(2);
  });

  it('says so when the chain takes no deployment', async () => {
    const poor = at('poor');
    writeFileSync(poor, '11'.repeat(32));
    const { code, stderr } = await callProgram([
      'contracts',
      'deploy',
      '--eth-rpc-endpoint',
      anvil.rpc,
      '--private-key-file',
      poor,
    ]);
    expect(stderr).toContain('have money for gas?');
    expect(code).toBe(1);
  });
});
