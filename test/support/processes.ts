/** Nodes as users run them: on a real chain, a real broker and databases on disk, in one process each unless told. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Address, fromHex, toHex } from '../../src/basics/hex.ts';
import { secretRegistryAbi, tokenNetworkAbi } from '../../src/chain/abi.ts';
import { deployContracts } from '../../src/contracts/deploy.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { deployToken, mintTokens, registerNewToken } from '../../src/contracts/tokens.ts';
import { startChild } from '../../src/devnet/base/child.ts';
import { contractsFileText } from '../../src/host/contracts-file.ts';
import { writeKeystore } from '../../src/signer/keystore.ts';
import { createSigner, type Signer } from '../../src/signer/signer.ts';
import { startAnvil } from './anvil.ts';
import { apiAt } from './api.ts';
import { anvilAccount, clientsFor, connected, mine } from './chain.ts';
import { startHere } from './here.ts';
import { whileMining } from './mining.ts';
import { startNats } from './nats.ts';
import { createReader } from './sealed.ts';

export const TOKENS = 10n ** 18n;
export const SETTLE_TIMEOUT = 40n;
export const REVEAL_TIMEOUT = 10n;

/** Between two blocks that are mined for nothing but time to pass. */
const BLOCK_PAUSE_MS = 150;
/** The program: what was built here, or another one, such as that of an installed package. */
const MAIN =
  process.env['SLUICE_MAIN'] ??
  fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const PASSWORD = 'not a secret';
/** The least that a keystore takes: these keys protect nothing, and are opened hundreds of times. */
const LEAST_COST = { n: 1_024, r: 8, p: 1 };

export type World = Awaited<ReturnType<typeof startWorld>>;
export type NodeProcess = ReturnType<typeof processOf>;
/** Options of `sluice node` without their dashes; null leaves one out, a list gives it several values. */
type NodeOptions = Record<string, string | readonly string[] | null>;
export type StartOptions = {
  /** Which of the programs that have a key; `node` by default. */
  command?: 'node' | 'echo' | 'pathfinding';
  options?: NodeOptions;
  env?: Record<string, string>;
  /** Where it writes, in the words of a shell, such as `> /dev/full 2>&1`: then nobody hears that it is ready. */
  output?: string;
  /** The process is expected to be refused, so its end is not reported. */
  isRefused?: boolean;
  /** It runs in the process of the tests, and cannot be killed or paused. */
  isHere?: boolean;
};

type WorldOptions = {
  /** The broker keeps streams. */
  hasStreams?: boolean;
  /** A broker that somebody else starts and stops. */
  broker?: string;
  /** Its nodes run in the process of the tests, unless one is told otherwise. */
  isHere?: boolean;
  /** Where its files go; whoever gives it removes it. */
  folder?: string;
  /** Is told every line that a node writes. */
  onLine?(name: string, line: string): void;
};

/** A chain with contracts and one registered token, a broker, and a folder for the nodes' files. */
export async function startWorld(given: WorldOptions = {}) {
  const { hasStreams = false, broker } = given;
  if (!existsSync(MAIN)) throw new Error('nothing is built: run npm run build');
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'sluice-processes-'));
  const anvil = await startAnvil();
  const streams = join(folder, 'streams');
  const brokerArgs = hasStreams ? ['--jetstream', '--store_dir', streams] : [];
  let nats = broker === undefined ? await startNats({ args: brokerArgs }) : null;
  const natsUrl = nats?.url ?? broker ?? '';
  const chain = await connected(anvil.rpc);
  const clients = clientsFor(anvil.rpc, chain, anvilAccount(0));
  const contracts = await deployContracts(clients, { settleTimeoutMin: 2n * REVEAL_TIMEOUT });
  const token = await deployToken(clients, { name: 'Test', symbol: 'TTA' });
  const tokenNetwork = await registerNewToken(
    clients,
    contracts.tokenNetworkRegistryAddress,
    token,
  );
  // The registration must be confirmed before the first node reads the chain.
  await mine(chain, 2);
  const contractsFile = join(folder, 'contracts.json');
  writeFileSync(contractsFile, contractsFileText(contracts));
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  /** How each that runs is ended with the world. */
  const ends = new Map<NodeProcess, () => Promise<void>>();
  const keys = new Map<string, Address>();
  const signers = new Map<Address, Signer>();
  let accounts = 0;
  let lastNudge = 0;
  const ports = new Map<string, number>();
  const home = (name: string) => join(folder, name);

  function noteKey(key: Uint8Array): void {
    const signer = createSigner(key);
    signers.set(signer.address, signer);
  }

  /** Gives the name a key in a keystore of its own; the next of the chain's rich accounts by default. */
  async function createKey(name: string, key = richKey(++accounts)): Promise<Address> {
    mkdirSync(home(name), { mode: 0o700, recursive: true });
    const written = await writeKeystore(join(home(name), 'keys'), key, PASSWORD, {
      cost: LEAST_COST,
    });
    if (!written.ok) throw new Error(written.detail);
    keys.set(name, written.value.address);
    noteKey(key);
    return written.value.address;
  }

  async function defaultsOf(name: string, address: Address): Promise<NodeOptions> {
    const port = ports.get(name) ?? (await freePort());
    ports.set(name, port);
    return {
      'eth-rpc-endpoint': anvil.rpc,
      contracts: contractsFile,
      nats: natsUrl,
      database: `file:${join(home(name), 'node.db')}`,
      'keystore-path': join(home(name), 'keys'),
      address,
      'password-file': passwordFile,
      'api-address': `127.0.0.1:${port}`,
      confirmations: '1',
      'poll-interval': '100',
      'min-free-disk': '4',
      'default-settle-timeout': String(SETTLE_TIMEOUT),
      'default-reveal-timeout': String(REVEAL_TIMEOUT),
      'api-concurrency': '8',
    };
  }

  /** Starts the node's process, on the database that it left when it ran before. */
  async function launch(name: string, start: StartOptions = {}): Promise<NodeProcess> {
    const {
      command: subcommand = 'node',
      options,
      isRefused = false,
      isHere = given.isHere ?? false,
    } = start;
    const address = keys.get(name) ?? (await createKey(name));
    const all = { ...(await defaultsOf(name, address)), ...options };
    const orders = join(home(name), 'die');
    const output: string[] = [];
    const env = { ...bareEnvironment(folder), SLUICE_CHECK_BOOKS: '1', ...start.env };
    const args = [subcommand, ...argumentsOf(all)];
    const onLine = (line: string) => {
      output.push(line);
      given.onLine?.(name, line);
    };
    const program = [process.execPath, MAIN, ...args];
    const [command = '', ...rest] =
      start.output === undefined
        ? program
        : ['bash', '-c', `exec "$0" "$@" ${start.output}`, ...program];
    const begin = () =>
      startChild({
        name,
        command,
        args: rest,
        env: { SLUICE_CRASH_AT: `file:${orders}`, ...env },
        onLine,
      });
    const child = isHere ? startHere({ name, args, env, onLine }) : await begin();
    const node = processOf({ child, address, api: `http://${all['api-address']}`, orders, output });
    ends.set(node, isHere ? child.stop : child.kill);
    void node.ended.then(({ wanted, code, text }) => {
      ends.delete(node);
      // The process ended without being stopped or killed: its last lines say why the test will fail.
      if (!wanted && !isRefused && code !== 0 && code !== null)
        console.error(`${name} ${text}`, output.slice(-9));
    });
    return node;
  }

  return {
    folder,
    /** Where the broker keeps its streams. */
    streams,
    home,
    passwordFile,
    contractsFile,
    anvil,
    natsUrl,
    chain,
    clients,
    contracts,
    token,
    tokenNetwork,
    createKey,
    noteKey,
    launch,
    /** What is in a payload for a node whose key was noted, or made here. */
    read: createReader(
      { chainId: chain.chainId, tokenNetworkRegistry: contracts.tokenNetworkRegistryAddress },
      (address) => signers.get(address),
    ),
    /** Starts the node and waits until it has caught up with the chain. */
    async start(name: string, given: StartOptions = {}): Promise<NodeProcess> {
      const node = await launch(name, given);
      await node.ready();
      return node;
    },
    fund: (address: Address, amount: bigint) => mintTokens(clients, token, address, amount),
    /** What the account holds of the token outside of channels. */
    tokensOf: (address: Address) =>
      chain.client.readContract({
        address: token,
        abi: customTokenAbi,
        functionName: 'balanceOf',
        args: [address],
      }),
    /** Everything that ever happened in the token network, oldest first. */
    events: () =>
      chain.client.getContractEvents({
        address: tokenNetwork,
        abi: tokenNetworkAbi,
        fromBlock: 0n,
        strict: true,
      }),
    /** Every secret that stands on chain. */
    secrets: () =>
      chain.client.getContractEvents({
        address: contracts.secretRegistryAddress,
        abi: secretRegistryAbi,
        fromBlock: 0n,
      }),
    mine: (blocks: bigint) => mine(chain, Number(blocks)),
    /** Moves the chain by one block, unless it did so just before. Answers false. */
    async nudge(): Promise<false> {
      const now = performance.now();
      if (now - lastNudge < BLOCK_PAUSE_MS) return false;
      lastNudge = now;
      await mine(chain, 1);
      return false;
    },
    /** Keeps the chain moving while something waits for confirmations. */
    whileMining: <T>(work: Promise<T>): Promise<T> =>
      whileMining(() => mine(chain, 1), BLOCK_PAUSE_MS, work),
    /** Kills the broker; the answer starts another in its place. */
    async killBroker(): Promise<() => Promise<void>> {
      if (nats === null) throw new Error('the broker is not that of this world');
      const { port } = nats;
      await nats.stop();
      return async () => {
        nats = await startNats({ port, args: brokerArgs });
      };
    },
    /** Ends everything; a node that was told to stop by nobody is killed. */
    async stop(): Promise<void> {
      await Promise.all([...ends.values()].map((end) => end()));
      chain.stop();
      await Promise.all([nats?.stop(), anvil.stop()]);
      if (given.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Parts = {
  child: Awaited<ReturnType<typeof startChild>>;
  address: Address;
  api: string;
  /** Where the process looks for the order to die. */
  orders: string;
  output: string[];
};

function processOf({ child, address, api, orders, output }: Parts) {
  const { name, pid, ended, stop, kill } = child;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const client = apiAt(api);
  const signal = (wanted: NodeJS.Signals) => void (isOver || child.signal(wanted));

  /** Whole at once, since the process may look at any moment. */
  function order(text: string): void {
    writeFileSync(`${orders}.new`, text);
    renameSync(`${orders}.new`, orders);
  }
  let isReady = false;
  const whenReady = child.line(/^ready: /).then(() => {
    isReady = true;
  });
  // Callers that wait for it get the error; without any, it must not count as unhandled.
  whenReady.catch(() => {});

  return {
    name,
    address,
    pid,
    ended,
    output,
    api: client,
    /** SIGTERM; resolves when the process is gone. */
    stop,
    isOver: () => isOver,
    /** Whether it has caught up with the chain. */
    isReady: () => isReady,
    /** Rejects with what the process wrote when it ends before. */
    ready: () => whenReady,
    /** Lets the process die when it meets the point next, e.g. "commit.before:2" the second time. */
    dieAt: (point: string) => order(point),
    /** Takes the order back, also when the process has read it. */
    spare: () => order('none'),
    /** Whether the process lives on although it may have met its fault point just now. */
    async survives(): Promise<boolean> {
      const answers = await client.status().catch(() => null);
      if (answers === null) await ended;
      return answers !== null;
    },
    kill,
    signal,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
  };
}

function richKey(index: number): Uint8Array {
  return fromHex(toHex(anvilAccount(index).getHdKey().privateKey ?? new Uint8Array()));
}

function argumentsOf(options: NodeOptions): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === null ? [] : [`--${name}`, ...[value].flat()],
  );
}

/** Nothing of the user's own settings; what a node keeps for the user goes into `home`. */
function bareEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '', HOME: home };
}

/** A port that nobody listens on just now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('there is no free port')),
      );
    });
  });
}
