/** The nodes of a devnet, each in an operating system process of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIGHT_COST } from '../signer/key-file.ts';
import { writeKeystore } from '../signer/keystore.ts';
import { createPrivateFolder } from '../store/lock.ts';
import type { DevnetAccount } from './accounts.ts';
import { startChild } from './child.ts';
import { contractsFileText } from './contracts-file.ts';
import {
  CONFIRMATIONS,
  type DevnetNode,
  databaseOf,
  type NodesRequest,
  POLL_INTERVAL_MS,
  withPorts,
} from './nodes.ts';

/** How this program is started, e.g. `['node', 'dist/src/cli/main.js']`. */
export type Program = readonly [command: string, ...args: string[]];

/** What `sluice node` writes when it takes calls, and where. */
const READY = /^ready: .* (http:\/\/\S+)$/;

/** Runs `sluice node` once for every account, and `sluice echo`; resolves when all of them take calls. */
export async function startProcesses(
  request: NodesRequest,
  program: Program,
): Promise<DevnetNode[]> {
  const contracts = join(request.data, 'contracts.json');
  writeFileSync(contracts, contractsFileText(request.chain.contracts));
  const places = await withPorts(request);
  return Promise.all(places.map((place) => spawnOne(request, { ...place, contracts, program })));
}

type Spawn = {
  account: DevnetAccount;
  port: number;
  contracts: string;
  program: Program;
};

async function spawnOne(request: NodesRequest, given: Spawn): Promise<DevnetNode> {
  const { name, signer } = given.account;
  const folder = join(request.data, name);
  const options = { ...(await keyOptions(folder, given.account)), ...optionsOf(request, given) };
  const [command, ...args] = given.program;
  const child = await startChild({
    name,
    command,
    args: [
      ...args,
      given.account === request.echo ? 'echo' : 'node',
      ...Object.entries(options).flat(),
    ],
    env: environment(folder),
    graceMs: 15_000,
    onLine: (line) => {
      if (!READY.test(line)) request.onLine(name, line);
    },
  });
  await request.keep(child.stop);
  child.ended.then(({ wanted, code, text }) => {
    if (wanted) return;
    if (code === 0) request.onShutdown(name);
    else request.onTrouble(`${name} (process ${child.pid}) ${text}`);
  });
  const [, api = ''] = await child.line(READY);
  const { pid } = child;
  const database = databaseOf(request.data, name);
  return { name, address: signer.address, api, database, pid, ready: async () => {} };
}

function optionsOf(request: NodesRequest, { port, contracts, account }: Spawn) {
  const { chain, broker, data, apiConcurrency } = request;
  if ('bus' in broker) throw new Error('separate processes need a message broker');
  return {
    '--eth-rpc-endpoint': chain.rpc,
    '--network-id': String(chain.chainId),
    '--contracts': contracts,
    '--nats': broker.nats,
    '--database': databaseOf(data, account.name),
    '--api-address': `127.0.0.1:${port}`,
    '--api-concurrency': String(apiConcurrency),
    '--default-settle-timeout': String(request.settleTimeout),
    '--default-reveal-timeout': String(request.revealTimeout),
    '--confirmations': String(CONFIRMATIONS),
    '--poll-interval': String(POLL_INTERVAL_MS),
    '--log-level': 'warn',
  };
}

/** The key reaches the process through files that only this user can read. */
async function keyOptions(folder: string, { signer, privateKey }: DevnetAccount) {
  const keystore = join(folder, 'keystore');
  const passwordFile = join(folder, 'password');
  const password = 'devnet';
  createPrivateFolder(folder);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const written = await writeKeystore(keystore, privateKey, password, { cost: LIGHT_COST });
  if (!written.ok) throw new Error(written.detail);
  return {
    '--keystore-path': keystore,
    '--address': signer.address,
    '--password-file': passwordFile,
  };
}

/** This process's, without options that were meant for it, and with the locks in the devnet's folder. */
function environment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_'));
  return { ...Object.fromEntries(own), XDG_STATE_HOME: join(folder, 'state') };
}
