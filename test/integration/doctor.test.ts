import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Libsql from 'libsql';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Address, ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { createReads } from '../../src/chain/reads.ts';
import * as chains from '../../src/cli/doctor/chain.ts';
import { checkDatabase } from '../../src/cli/doctor/database.ts';
import { privateFiles } from '../../src/cli/doctor/files.ts';
import { type Finding, failed, ok, tableOf } from '../../src/cli/doctor/finding.ts';
import { checkKey } from '../../src/cli/doctor/key.ts';
import { checkApi, checkBroker } from '../../src/cli/doctor/network.ts';
import { contractsFileText } from '../../src/host/contracts-file.ts';
import { connectNats } from '../../src/partner/nats.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { createSigner } from '../../src/signer/signer.ts';
import { backUp } from '../../src/store/durability/backup.ts';
import { writeHighWater } from '../../src/store/durability/high-water.ts';
import { openStore } from '../../src/store/open.ts';
import { good } from '../support/api.ts';
import { anvilCall } from '../support/chain.ts';
import { freePort, startWorld, type World } from '../support/processes.ts';
import { callProgram, endPrograms, runProgram } from '../support/program.ts';

let world: World;
let alice: Address;
let port: number;

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  alice = await world.createKey('alice');
  port = await freePort();
});
afterEach(endPrograms);
afterAll(() => world?.stop());

const at = (name: string) => join(world.folder, name);
const answer = v.object({
  ok: v.boolean(),
  findings: v.array(
    v.object({
      check: v.string(),
      verdict: v.picklist(['ok', 'warning', 'failed', 'skipped']),
      found: v.string(),
      advice: v.nullable(v.string()),
    }),
  ),
});

function argumentsOf(changes: Record<string, string> = {}): string[] {
  const options = {
    'eth-rpc-endpoint': world.anvil.rpc,
    contracts: at('contracts.json'),
    nats: world.natsUrl,
    database: `file:${at('alice/node.db')}`,
    'keystore-path': at('alice/keys'),
    address: alice,
    'password-file': at('password'),
    'api-address': `127.0.0.1:${port}`,
    confirmations: '1',
    ...changes,
  };
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return ['doctor', ...given];
}

async function diagnosis(changes: Record<string, string> = {}) {
  const { code, stdout } = await callProgram([...argumentsOf(changes), '--json'], {
    HOME: world.folder,
  });
  const parsed = v.parse(answer, JSON.parse(stdout));
  expect(code).toBe(parsed.ok ? 0 : 1);
  const found = new Map(parsed.findings.map((finding) => [finding.check, finding]));
  return { ...parsed, stdout, find: (check: string) => found.get(check) };
}

const verdictsOf = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict]));
const WELL = {
  program: 'ok',
  key: 'ok',
  chain: 'ok',
  clock: 'ok',
  timeouts: 'ok',
  confirmations: 'ok',
  contracts: 'ok',
  services: 'ok',
  database: 'ok',
  disk: 'ok',
  broker: 'ok',
  gas: 'ok',
  'service deposit': 'warning',
  'private files': 'ok',
  API: 'ok',
};

describe('sluice doctor', () => {
  it('finds everything in order before the first start, and makes nothing', async () => {
    const { findings, find } = await diagnosis();
    expect(verdictsOf(findings)).toEqual(WELL);
    expect(find('database')?.found).toContain('will be made at the first start');
    expect(find('API')?.found).toBe(`127.0.0.1:${port} is free`);
    expect(readdirSync(at('alice'))).toEqual(['keys']);
    expect(existsSync(at('.local'))).toBe(false);
  });

  it('finds everything in order beside a running node, which goes on', async () => {
    const node = await world.start('alice', { options: { 'api-address': `127.0.0.1:${port}` } });
    const { findings, find } = await diagnosis();
    // It may have found already that its user deposit is low.
    expect(verdictsOf(findings)).toMatchObject({ ...WELL, 'newest copy': 'ok' });
    expect(find('database')?.found).toContain('in use by a running node');
    expect(find('broker')?.found).toBe('reachable, the running node listens');
    expect(find('API')?.found).toBe(`127.0.0.1:${port} is served by this node`);
    expect(good(await node.api.get('/status'))).toEqual({ status: 'ready' });
    await node.stop();
    const after = await diagnosis();
    expect(verdictsOf(after.findings)).toEqual({ ...WELL, 'newest copy': 'ok' });
    expect(after.find('database')?.found).toContain('not in use, 0 channels');
  });

  it('says when the broker keeps no streams, although the database is to be replicated', async () => {
    const { find } = await diagnosis({ replicate: 'alice' });
    expect(find('stream')).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining('keeps no streams now (503)'),
    });
  });

  it('shows a table with what to do, and ends with code 1 when something has failed', async () => {
    writeFileSync(at('wrong'), 'hunter2\n', { mode: 0o644 });
    const { code, stdout } = await runProgram(argumentsOf({ 'password-file': at('wrong') }), {
      HOME: world.folder,
    });
    expect(stdout).toMatch(/^failed {3}key .* is open to other users/m);
    expect(stdout).toMatch(/^failed {3}private files .*wrong$/m);
    expect(stdout).toContain(`-> chmod 600 ${at('wrong')}`);
    expect(stdout).toMatch(/\n\d+ ok, 1 to look at, 2 failed\n$/);
    expect(stdout).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  it('goes on with what does not need the chain when that does not answer', async () => {
    const dead = 'http://127.0.0.1:2/secret-access-key';
    const { findings, stdout } = await diagnosis({
      'eth-rpc-endpoint': dead,
      'network-id': '31337',
    });
    expect(verdictsOf(findings)).toMatchObject({
      chain: 'failed',
      key: 'ok',
      database: 'ok',
      broker: 'ok',
      'private files': 'ok',
      API: 'ok',
      contracts: 'skipped',
      services: 'skipped',
      gas: 'skipped',
      clock: 'skipped',
    });
    expect(stdout).not.toContain('secret-access-key');
  });

  it('ends with code 2 when it is called in the wrong way', async () => {
    const { code, stderr } = await callProgram(['doctor', '--contracts', at('contracts.json')]);
    expect(stderr).toContain('--eth-rpc-endpoint is missing');
    expect(code).toBe(2);
  });
});

describe('of the options, sluice doctor', () => {
  it('names those whose files cannot be used, all at once', async () => {
    writeFileSync(at('short'), 'short\n', { mode: 0o600 });
    const { findings } = await diagnosis({
      'api-token-file': at('short'),
      webhook: 'http://127.0.0.1:2/hook',
      'webhook-secret-file': at('short'),
      'web-ui': at('alice'),
    });
    const broken = { 'API tokens': 'failed', webhooks: 'failed', 'web UI': 'failed' };
    expect(verdictsOf(findings)).toEqual({ ...WELL, 'newest copy': 'ok', ...broken });
  });
});

describe('of the contracts, sluice doctor', () => {
  it.each([
    ['a file of something else', '[]', 'is not a file of contracts'],
    ['a registry where there is none', null, 'there is no contract at'],
  ])('refuses %s', async (_, text, message) => {
    const registry = { tokenNetworkRegistryAddress: alice };
    writeFileSync(at('other.json'), text ?? contractsFileText({ ...world.contracts, ...registry }));
    const { find } = await diagnosis({ contracts: at('other.json') });
    expect(find('contracts')).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining(message),
    });
  });
});

const reads = () =>
  createReads({
    client: world.chain.client,
    registry: world.contracts.tokenNetworkRegistryAddress,
  });
const SETTINGS = {
  networkId: null,
  confirmations: 5n,
  defaultSettleTimeout: 500n,
  defaultRevealTimeout: 50n,
};

describe('of the chain, sluice doctor', () => {
  const head = (aheadMs: number, networkId: bigint | null = null) =>
    chains.checkHead(world.chain, { ...SETTINGS, networkId }, Date.now() + aheadMs);

  it('refuses another one than the one that is wanted', async () => {
    expect(await head(0, 5n)).toMatchObject([
      { verdict: 'failed', found: 'the endpoint serves chain 31337, not 5' },
    ]);
  });

  it('warns of a newest block that is old, and of a clock that is wrong', async () => {
    expect(verdictsOf(await head(0))).toEqual({ chain: 'ok', clock: 'ok' });
    expect(verdictsOf(await head(7_200_000))).toEqual({ chain: 'warning', clock: 'ok' });
    expect(verdictsOf(await head(-7_200_000))).toEqual({ chain: 'ok', clock: 'warning' });
    const elsewhere = { client: world.chain.client, chainId: 5n };
    const inFuture = Date.now() + 7_200_000;
    expect(verdictsOf(await chains.checkHead(elsewhere, SETTINGS, inFuture))).toEqual({
      chain: 'failed',
      clock: 'ok',
    });
  });

  it.each<[string, Partial<typeof SETTINGS>, bigint, Record<string, string>]>([
    ['takes the defaults', {}, 1n, { timeouts: 'ok', confirmations: 'ok' }],
    ['warns of hardly any', { confirmations: 1n }, 1n, { confirmations: 'warning' }],
    ['takes few in development', { confirmations: 0n }, 31_337n, { confirmations: 'ok' }],
    ['warns of too many', { confirmations: 25n }, 1n, { confirmations: 'warning' }],
    ['takes as many as leave time', { confirmations: 41n }, 31_337n, { timeouts: 'ok' }],
    ['refuses one more', { confirmations: 42n }, 31_337n, { timeouts: 'failed' }],
    ['refuses a short reveal timeout', { defaultRevealTimeout: 19n }, 1n, { timeouts: 'failed' }],
    ['refuses a short settle timeout', { defaultSettleTimeout: 99n }, 1n, { timeouts: 'failed' }],
  ])('%s', (_, changes, chainId, verdicts) => {
    const findings = chains.checkSettings(chainId, { ...SETTINGS, ...changes });
    expect(verdictsOf(findings)).toMatchObject(verdicts);
  });

  it('refuses service contracts that are not there', async () => {
    const known = { ...world.contracts, userDepositAddress: alice, oneToNAddress: null };
    expect(await chains.checkServices(reads(), known)).toMatchObject([
      { verdict: 'failed', found: 'there is no contract at user_deposit_address' },
    ]);
  });

  it('demands money for the gas that the end of every channel takes', async () => {
    const burden = (channels: number) => ({ channels, pending: 2 });
    const gas = (address: Address, channels: number) =>
      chains.checkGas(reads(), address, burden(channels)).then(([finding]) => finding);
    expect(await gas(alice, 3)).toMatchObject({ verdict: 'ok' });
    const poor = '0x1111111111111111111111111111111111111111';
    expect(await gas(poor, 0)).toMatchObject({ verdict: 'failed' });
    await anvilCall(world.chain, 'anvil_setBalance', poor, '0x5af3107a4000');
    expect(await gas(poor, 3)).toMatchObject({
      verdict: 'warning',
      found: expect.stringMatching(
        /^0\.0001 ETH are there, 0\.\d+ are enough to end 3 channels and 2 payments at three times/,
      ),
    });
  });

  it('looks for the deposit that services are paid from', async () => {
    const deposit = (contract: Address | null) =>
      chains.checkServiceDeposit(reads(), contract, alice).then(([finding]) => finding?.verdict);
    expect(await deposit(null)).toBe('ok');
    expect(await deposit(world.contracts.userDepositAddress)).toBe('warning');
    expect(await deposit(world.token)).toBe('failed');
  });

  it('counts of that deposit only what no planned withdrawal takes', async () => {
    const contract = world.contracts.userDepositAddress;
    const facts = await reads().userDeposit(contract, alice);
    if (!facts.ok) throw new Error(facts.detail);
    const balance = 10n ** 19n;
    const verdict = async (effectiveBalance: bigint) => {
      const value = { ...facts.value, balance, effectiveBalance };
      const rich = { ...reads(), userDeposit: async () => ({ ok: true as const, value }) };
      const [finding] = await chains.checkServiceDeposit(rich, contract, alice);
      return finding?.verdict;
    };
    expect(await verdict(balance)).toBe('ok');
    expect(await verdict(1n)).toBe('warning');
  });
});

describe('of the key, sluice doctor', () => {
  const key = (changes: Partial<Parameters<typeof checkKey>[0]>) =>
    checkKey({ keystorePath: at('alice/keys'), address: null, passwordFile: null, ...changes });

  it('warns when it may not open it, and refuses one that is not there', async () => {
    expect((await key({})).findings).toMatchObject([{ check: 'key', verdict: 'warning' }]);
    const missing = await key({ address: ZERO_ADDRESS });
    expect(missing).toMatchObject({ address: null, findings: [{ verdict: 'failed' }] });
    const unread = await key({ passwordFile: at('nothing') });
    expect(unread.findings[0]?.found).toContain('the password cannot be read');
  });
});

describe('of the files, sluice doctor', () => {
  it('names those that other users can open, and how to change that', () => {
    mkdirSync(at('open'), { mode: 0o755 });
    writeFileSync(at('open/file'), '', { mode: 0o600 });
    chmodSync(at('open/file'), 0o640);
    const [finding] = privateFiles([at('open'), at('open/file'), at('nothing'), at('password')]);
    expect(finding).toMatchObject({
      verdict: 'failed',
      found: `open to other users: ${at('open')}, ${at('open/file')}`,
      advice: `chmod 700 ${at('open')} && chmod 600 ${at('open/file')}`,
    });
  });
});

const stampOf = () => ({
  chainId: 31_337n,
  tokenNetworkRegistry: world.contracts.tokenNetworkRegistryAddress,
  ownAddress: alice,
});

/** A database of alice, not in use. */
function madeDatabase(name: string): string {
  const path = at(name);
  const opened = openStore({ url: `file:${path}`, stamp: stampOf() });
  if (!opened.ok) throw new Error(opened.message);
  opened.store.close();
  return path;
}

describe('of the database, sluice doctor', () => {
  const check = (path: string, highWater = at('no-note'), accepted: string | null = null) =>
    checkDatabase({ url: `file:${path}`, stamp: stampOf(), highWater, accepted }).findings;

  it('accepts a sound one, and warns when there is no note of how far it had come', () => {
    const findings = check(madeDatabase('sound.db'));
    expect(verdictsOf(findings)).toEqual({ database: 'ok', 'newest copy': 'warning', disk: 'ok' });
  });

  it('refuses one of another node, of another program, and none at all', () => {
    const path = madeDatabase('other.db');
    const other = { ...stampOf(), ownAddress: ZERO_ADDRESS };
    const [foreign] = checkDatabase({
      url: `file:${path}`,
      stamp: other,
      highWater: at('no-note'),
      accepted: null,
    }).findings;
    expect(foreign?.found).toContain(`belongs to node address ${alice}`);
    const stranger = new Libsql(at('stranger.db'));
    stranger.exec('CREATE TABLE notes (text TEXT)');
    stranger.close();
    expect(check(at('stranger.db'))[0]?.found).toContain('the tables of another program');
    writeFileSync(at('text.db'), 'not a database. '.repeat(100));
    expect(check(at('text.db'))[0]).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining('cannot be read'),
    });
  });

  it('refuses an old copy, a backup, and a missing database where there was one', () => {
    const path = madeDatabase('newest.db');
    const note = at('note.high-water');
    const inspect = new Libsql(path);
    const [row] = inspect.prepare("SELECT value FROM meta WHERE key = 'instance'").all();
    inspect.close();
    const { value: instance } = v.parse(v.object({ value: v.string() }), row);
    writeHighWater(note, { instance, seq: 1 }, false);
    expect(check(path, note)[1]).toMatchObject({
      check: 'newest copy',
      verdict: 'failed',
      advice: expect.stringContaining('it ends at step 0'),
    });
    const code = /--accept-database ([0-9a-f]{8})"/.exec(check(path, note)[1]?.advice ?? '')?.[1];
    expect(check(path, note, code)[1]).toMatchObject({ verdict: 'warning' });
    const output = at('copy.db');
    expect(backUp({ url: `file:${path}`, output, now: new Date() }).ok).toBe(true);
    expect(check(output)[1]?.advice).toContain('the database is a backup');
    expect(check(at('gone.db'), note)[0]).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining('is missing'),
    });
  });

  it('changes nothing in it', () => {
    const path = madeDatabase('untouched.db');
    cpSync(path, at('twin.db'));
    check(path);
    expect(backUp({ url: `file:${path}`, output: at('a.db'), now: new Date(0) })).toMatchObject({
      ...backUpOf(at('twin.db'), at('b.db')),
    });
  });
});

/** What a backup of a twin says, but for its name. */
function backUpOf(path: string, output: string) {
  const made = backUp({ url: `file:${path}`, output, now: new Date(0) });
  if (!made.ok) throw new Error(made.message);
  const { file: _, ...value } = made.value;
  return { ok: true, value };
}

describe('of the network, sluice doctor', () => {
  const signer = createSigner(new Uint8Array(32).fill(7));
  const { address, publicKey, sign } = signer;
  const broker = (nats: string | null, isRunning = false) =>
    checkBroker({ nats, isRunning, address, ...stampOf() });

  it('warns without a broker, and refuses one that does not answer', async () => {
    expect(await broker(null)).toMatchObject([{ verdict: 'warning' }]);
    expect(await broker('nats://127.0.0.1:1')).toMatchObject([
      { verdict: 'failed', found: expect.stringContaining('cannot be reached') },
    ]);
  });

  it('finds another process with the key, and a node that nobody can reach', async () => {
    const rival = connectNats({
      url: world.natsUrl,
      address,
      ...stampOf(),
      sign,
      recover,
    });
    onTestFinished(() => rival.close());
    rival.onMessage(() => {}, publicKey);
    await rival.findRival();
    expect(verdictsOf(await broker(world.natsUrl))).toEqual({
      broker: 'ok',
      'key in use': 'failed',
    });
    expect(await broker(world.natsUrl, true)).toMatchObject([{ verdict: 'ok' }]);
    await rival.close();
    expect(await broker(world.natsUrl, true)).toMatchObject([{ verdict: 'warning' }]);
  });

  it('refuses a port that another program or another node has, and hears what this node finds wrong', async () => {
    const ROW = {
      check: 'broker_unavailable',
      keeps: 'Partners are reached over the message broker.',
      state: 'good',
      since: '2026-01-01T00:00:00.000',
      urgency: 'high',
      stops_calls: false,
      summary: null,
      body: null,
    };
    let health: object[] = [ROW];
    let body = '<html>';
    const server = createServer(({ url }, response) =>
      response.end(url?.endsWith('/health') ? JSON.stringify(health) : body),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const place = server.address();
    const taken = typeof place === 'object' && place !== null ? place.port : 0;
    const api = () => checkApi({ host: '127.0.0.1', port: taken, token: null, address: alice });
    expect((await api())[0]?.found).toContain('is taken by another program');
    body = JSON.stringify({ our_address: ZERO_ADDRESS });
    expect((await api())[0]?.found).toContain(`is served by another node, ${ZERO_ADDRESS}`);
    body = JSON.stringify({ our_address: alice });
    expect(await api()).toMatchObject([{ verdict: 'ok' }, { check: 'node', verdict: 'ok' }]);
    health = [
      {
        ...ROW,
        state: 'bad',
        summary: 'The message broker is away',
        body: 'It is.\nCheck --nats.',
      },
      { ...ROW, check: 'disk_full' },
    ];
    expect((await api()).slice(1)).toMatchObject([
      { check: 'node: broker_unavailable', verdict: 'failed', advice: 'It is.\nCheck --nats.' },
    ]);
    const elsewhere = { host: '192.0.2.1', port: 0, address: alice };
    expect((await checkApi({ ...elsewhere, token: null }))[0]?.found).toContain('without a token');
    expect(await checkApi({ ...elsewhere, token: 't'.repeat(16) })).toMatchObject([
      { verdict: 'failed', found: expect.stringContaining('EADDRNOTAVAIL') },
    ]);
  });
});

describe('the table of sluice doctor', () => {
  it('counts the verdicts and puts advice below what it is about', () => {
    const table = tableOf([ok('chain', 'there'), failed('gas', 'none', 'send some')]);
    expect(table).toBe(
      [
        'ok       chain  there',
        'failed   gas    none',
        '                -> send some',
        '',
        '1 ok, 0 to look at, 1 failed',
      ].join('\n'),
    );
  });
});
