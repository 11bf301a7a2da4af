/** Runs the parts of a devnet as operating system processes of this program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractsFileText } from '../../host/contracts-file.ts';
import { namesFileText } from '../../host/names-file.ts';
import { LIGHT_COST } from '../../signer/key-file.ts';
import { writeKeystore } from '../../signer/keystore.ts';
import { createPrivateFolder } from '../../store/durability/lock.ts';
import { type Child, startChild } from '../base/child.ts';
import { CONFIRMATIONS } from '../chain/confirmations.ts';
import type { Program } from '../options.ts';
import type { DevnetAccount } from './accounts.ts';
import {
  type DevnetNode,
  databaseOf,
  MONITORING_REWARD,
  type NodesRequest,
  POLL_INTERVAL_MS,
  withPorts,
} from './nodes.ts';
import type { Surroundings } from './surroundings.ts';

/** The line that each command writes when it takes calls; its last word is the URL, or the account's address. */
const READY = /^ready: (?:.* )?(\S+)$/;

/** Runs `sluice node` once for every account, and `sluice echo`; resolves when all of them take calls. */
export async function startProcesses(
  request: NodesRequest,
  program: Program,
): Promise<DevnetNode[]> {
  const places = await withPorts(request);
  return Promise.all(places.map(({ account, port }) => startOne(request, program, account, port)));
}

export async function startOne(
  request: NodesRequest,
  program: Program,
  account: DevnetAccount,
  port: number,
): Promise<DevnetNode> {
  const command = account === request.echo ? 'echo' : 'node';
  const options = { ...nodeOptions(request), '--api-address': `127.0.0.1:${port}` };
  const { name, signer } = account;
  const surroundings = { ...request, broker: request.brokerOf(name) };
  const onEnd = (reason: string) => request.onNodeEnded(name, reason);
  let current = await spawnOne(surroundings, { account, command, options, program, onEnd });
  const { word: api, database } = current;
  return {
    name,
    address: signer.address,
    api,
    database,
    pid: () => current.pid,
    isRunning: () => current.child.isRunning(),
    ready: async () => {},
    stop: () => current.child.stop(),
    async start() {
      if (current.child.isRunning()) return;
      // The same port as before, also when the system had chosen it, so that callers find the node again.
      current = await current.again({ '--api-address': new URL(api).host });
    },
    process: {
      kill: () => current.child.kill(),
      pause: () => current.child.signal('SIGSTOP'),
      resume: () => current.child.signal('SIGCONT'),
    },
  };
}

function nodeOptions(request: NodesRequest): Record<string, string> {
  const { pathfinding, data, options } = request;
  const namesFile = join(data, 'names.json');
  writeFileSync(namesFile, namesFileText(request.names));
  return {
    '--api-concurrency': String(options.apiConcurrency),
    '--api-queue-seconds': String(options.apiQueueSeconds),
    ...(options.concurrentReads ? { '--concurrent-reads': '' } : {}),
    '--default-settle-timeout': String(options.settleTimeout),
    '--default-reveal-timeout': String(options.revealTimeout),
    // A devnet writes little, and its files are removed with it.
    '--min-free-disk': '0',
    '--names': namesFile,
    '--wallet': '',
    ...(pathfinding === null ? {} : { '--pathfinding-service-address': pathfinding }),
    ...(request.hasMonitoring
      ? { '--enable-monitoring': '', '--monitoring-reward': String(MONITORING_REWARD) }
      : {}),
  };
}

type Spawn = {
  account: DevnetAccount;
  command: 'node' | 'echo' | 'pathfinding' | 'monitoring';
  /** The options beside those that all commands share; a flag has the empty text as its value. */
  options: Record<string, string>;
  program: Program;
  /**
   * Called when it ended unexpectedly; absent: `onTrouble` is called instead. `reason` is a phrase to put after its
   * name.
   */
  onEnd?: (reason: string) => void;
};
/** `word`: the last word of its line `ready: …`. */
type Spawned = {
  pid: number;
  database: string;
  word: string;
  child: Child;
  /** Starts it once more after it has ended, with these options changed. */
  again(changed: Record<string, string>): Promise<Spawned>;
};

/** Starts the process; resolves when it is ready. */
export async function spawnOne(request: Surroundings, given: Spawn): Promise<Spawned> {
  const { account } = given;
  const folder = join(request.data, account.name);
  return spawnWith(request, given, {
    ...(await keyOptions(folder, account)),
    ...commonOptions(request, folder, account.name),
    ...given.options,
  });
}

async function spawnWith(
  request: Surroundings,
  given: Spawn,
  options: Record<string, string>,
): Promise<Spawned> {
  const { account, program } = given;
  const { name } = account;
  const folder = join(request.data, name);
  const words = Object.entries(options).flatMap(([option, value]) =>
    value === '' ? [option] : [option, value],
  );
  const [command, ...args] = program;
  const child = await startChild({
    name,
    command,
    args: [...args, given.command, ...words],
    env: environment(folder),
    graceMs: 15_000,
    onLine: (line) => {
      if (!READY.test(line)) request.onLine(name, line);
    },
  });
  await request.keep(child.stop);
  const { onEnd = (reason) => request.onTrouble(`${name} ${reason}`) } = given;
  child.ended.then(({ wanted, code, text }) => {
    if (wanted) return;
    if (code === 0) request.onShutdown(name);
    else onEnd(`(process ${child.pid}) ${text}`);
  });
  const [, word = ''] = await child.line(READY);
  const again = (changed: Record<string, string>) =>
    spawnWith(request, given, { ...options, ...changed });
  return { pid: child.pid, database: databaseOf(request.data, name), word, child, again };
}

function commonOptions({ chain, broker, data }: Surroundings, folder: string, name: string) {
  if ('bus' in broker) throw new Error('separate processes need a message broker');
  const contracts = join(folder, 'contracts.json');
  writeFileSync(contracts, contractsFileText(chain.contracts));
  return {
    '--eth-rpc-endpoint': chain.rpc,
    '--network-id': String(chain.chainId),
    '--contracts': contracts,
    '--nats': broker.nats,
    '--database': databaseOf(data, name),
    '--confirmations': String(CONFIRMATIONS),
    '--poll-interval': String(POLL_INTERVAL_MS),
    '--log-level': 'info',
  };
}

/** Writes the key and its password to files that only this user can read; answers the options that name them. */
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

/** This process's environment, without its own SLUICE_ options, and with the lock files in the devnet's folder. */
function environment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_'));
  return { ...Object.fromEntries(own), XDG_STATE_HOME: join(folder, 'state') };
}
