/**
 * How long a node process takes from its start until it takes calls, and what memory it needs, with 10,000
 * open channels in its database; beside it a node without channels and the bare reading of the rows.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { channelActorId, newChannel } from '../../machines/channel/context.ts';
import { tokenActorId } from '../../machines/node/chart.ts';
import { newNetwork } from '../../machines/token-network/context.ts';
import { startAnvil } from '../../src/devnet/anvil.ts';
import { type DevnetChain, setUpChain } from '../../src/devnet/set-up-chain.ts';
import { contractsFileText } from '../../src/host/contracts-file.ts';
import { rowOf } from '../../src/node/runtime/kinds.ts';
import { type Address, parseAddress, toHex } from '../../src/protocol/hex.ts';
import { LIGHT_COST } from '../../src/signer/key-file.ts';
import { writeKeystore } from '../../src/signer/keystore.ts';
import { createSigner } from '../../src/signer/signer.ts';
import { type ActorRow, emptyBatch } from '../../src/store/batch.ts';
import { openStore } from '../../src/store/open.ts';
import { createCaller } from './callers.ts';
import { report, round } from './report.ts';

const CHANNELS = 10_000;
const ROWS_PER_COMMIT = 500;

type Started = { ready: number; listed: number; memory: number };

function randomAddress(): Address {
  const address = parseAddress(toHex(randomBytes(20)));
  if (address === null) throw new Error('20 bytes are an address');
  return address;
}

/** Open channels with as many partners, as a node keeps them. */
function channelRows(chain: DevnetChain, own: Address, count: number): ActorRow[] {
  const [token] = chain.tokens;
  if (token === undefined) throw new Error('the chain has no token');
  const { tokenNetwork } = token;
  const chainId = BigInt(chain.chainId);
  const settings = { confirmations: 1n, defaultRevealTimeout: 50n, minRevealTimeout: 1n };
  const common = { chainId, own, ...settings };
  const input = { ...common, id: '', token: token.address, tokenNetwork, requestId: null };
  const channels = Array.from({ length: count }, (_, index) => {
    const id = channelActorId(tokenNetwork, BigInt(index + 1));
    const { ownEnd, ...fresh } = newChannel({
      id,
      chainId,
      own,
      tokenNetwork,
      token: token.address,
      confirmations: 1n,
      channelId: BigInt(index + 1),
      partner: randomAddress(),
      openBlock: 1n,
      settleTimeout: 500n,
      revealTimeout: 50n,
      isRevealChosen: true,
      minRevealTimeout: 1n,
    });
    const context = { ...fresh, ownEnd: { ...ownEnd, deposit: 10n ** 18n } };
    return rowOf(id, { value: { opened: { deposit: 'idle', withdraw: 'idle' } }, context });
  });
  const root = { ...common, tokens: [token.address], wakeBlock: null };
  return [
    rowOf('node', { value: 'ready', context: root }),
    rowOf(tokenActorId(token.address), {
      value: { registered: 'idle' },
      context: newNetwork(input),
    }),
    ...channels,
  ];
}

/** Fills the database; answers how many milliseconds the bare reading of its rows takes. */
function fill(url: string, chain: DevnetChain, own: Address, count: number): number {
  const registry = chain.contracts.tokenNetworkRegistryAddress;
  const stamp = {
    chainId: BigInt(chain.chainId),
    tokenNetworkRegistry: registry,
    ownAddress: own,
  };
  const opened = openStore({ url, stamp });
  if (!opened.ok) throw new Error(opened.message);
  const rows = channelRows(chain, own, count);
  for (let first = 0; first < rows.length; first += ROWS_PER_COMMIT)
    opened.store.commit({ ...emptyBatch(), actors: rows.slice(first, first + ROWS_PER_COMMIT) });
  opened.store.loadActors();
  const begin = performance.now();
  opened.store.loadActors();
  const reading = performance.now() - begin;
  opened.store.close();
  return reading;
}

/**
 * Starts `sluice node`, waits until it is ready, lists its channels, ends it. Each database has a folder for
 * the node's notes of its own: one key works with one database.
 */
async function measure(args: readonly string[], stateFolder: string): Promise<Started> {
  const begin = performance.now();
  const child = spawn(process.execPath, ['dist/src/cli/main.js', 'node', ...args], {
    env: { ...process.env, XDG_STATE_HOME: stateFolder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const api = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^ready: \S+ (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}`)));
  });
  const ready = performance.now() - begin;
  const memory = Number(
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1],
  );
  const caller = createCaller(api);
  const asked = performance.now();
  const { status } = await caller.call('GET', '/channels');
  if (status !== 200) throw new Error(`channels answered ${status}`);
  const listed = performance.now() - asked;
  caller.close();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return { ready, listed, memory };
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const anvil = await startAnvil();
try {
  const privateKey = randomBytes(32);
  const signer = createSigner(privateKey);
  const chain = await setUpChain({
    rpc: anvil.rpc,
    owners: [signer.address],
    blockTime: null,
    contracts: {},
    say: () => {},
  });
  const [contracts, password] = [join(folder, 'contracts.json'), join(folder, 'password')];
  writeFileSync(contracts, contractsFileText(chain.contracts));
  writeFileSync(password, 'bench', { mode: 0o600 });
  const keystore = join(folder, 'keystore');
  await writeKeystore(keystore, privateKey, 'bench', { cost: LIGHT_COST });
  const argsFor = (database: string) => [
    '--eth-rpc-endpoint',
    anvil.rpc,
    '--contracts',
    contracts,
    '--database',
    database,
    '--keystore-path',
    keystore,
    '--password-file',
    password,
    '--confirmations',
    '1',
    '--api-address',
    '127.0.0.1:0',
    '--poll-interval',
    '50',
    '--log-level',
    'error',
  ];
  const url = (name: string) => `file:${join(folder, name)}.db`;
  const emptyReading = fill(url('empty'), chain, signer.address, 0);
  const reading = fill(url('full'), chain, signer.address, CHANNELS);
  const empty = await measure(argsFor(url('empty')), join(folder, 'empty'));
  const full = await measure(argsFor(url('full')), join(folder, 'full'));
  const own = full.ready - empty.ready;
  report('restart', [
    { metric: 'start without channels', value: round(empty.ready), unit: 'ms' },
    {
      metric: `start with ${CHANNELS} channels`,
      value: round(full.ready),
      unit: 'ms',
      reference: round(empty.ready),
    },
    {
      metric: 'of it for the channels',
      value: round(own),
      unit: 'ms',
      reference: round(reading - emptyReading),
    },
    {
      metric: 'memory (resident)',
      value: round(full.memory / 1024),
      unit: 'MiB',
      reference: round(empty.memory / 1024),
    },
    {
      metric: 'memory for each channel',
      value: round((full.memory - empty.memory) / CHANNELS),
      unit: 'KiB',
    },
    { metric: 'GET /channels', value: round(full.listed), unit: 'ms' },
  ]);
} finally {
  await anvil.stop();
  rmSync(folder, { recursive: true, force: true });
}
