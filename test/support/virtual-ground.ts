/**
 * What nodes of this process stand on when they need nothing real: a simulated chain that makes a block for each
 * transaction, disks in memory, and time that passes as fast as the code runs. Timers and dates of the whole process
 * follow that time until `stop`.
 */
import { createWalletClient, custom, getContractAddress } from 'viem';
import { type Address, parseAddress } from '../../src/basics/hex.ts';
import type { DeployOptions } from '../../src/contracts/deploy.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { connectEndpoint } from '../../src/simulation/chain/client.ts';
import { createCustomToken } from '../../src/simulation/chain/contracts/custom-token.ts';
import { createEndpoint, type Endpoint } from '../../src/simulation/chain/endpoint.ts';
import { createSimulatedChain, type SimulatedChain } from '../../src/simulation/chain/genesis.ts';
import { createRpc, type RpcRequest } from '../../src/simulation/chain/rpc.ts';
import { createDisk, type Disk } from '../../src/simulation/disk/disk.ts';
import { installGlobals } from '../../src/simulation/world/globals.ts';
import { letTimePass } from '../../src/simulation/world/loop.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { createScheduler, type Scheduler } from '../../src/simulation/world/scheduler.ts';
import type { Stamp } from '../../src/store/base/stamp.ts';
import type { Store } from '../../src/store/store.ts';
import { anvilAccount } from './chain.ts';

// The real functions, also while the process has virtual globals.
const [realTimeout, realImmediate] = [setTimeout, setImmediate];

/** As many rows as the tests look at. */
const KEPT = { journal: 10_000, feed: 10_000, payments: 10_000, steps: 10_000 };
/** As `registerToken` sets them. */
const LIMITS = { participantLimit: 10n ** 21n, networkLimit: 10n ** 24n };
const TIMES_FASTER = 100;
const ACCOUNTS = 10;
const WEI = 10n ** 22n;
/** Whose tokens they are. */
const BUILDER: Address = '0xbB00000000000000000000000000000000000000';

/** Answers a request of a node; null: it hangs up. */
export type Service = (request: Request) => Promise<Response | null>;

export function startVirtualGround({
  chainId,
  deploy,
}: {
  chainId: number;
  deploy: DeployOptions;
}) {
  const randomness = createRandomness(1);
  const scheduler = createScheduler(Date.now());
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => anvilAccount(index));
  const seconds = () => Math.floor(scheduler.now() / 1_000);
  const simulated = createSimulatedChain({
    chainId,
    time: seconds(),
    recover,
    accounts: accounts.map(({ address }) => ({ address: parsed(address), wei: WEI })),
    tokens: [{ symbol: 'TTA', ...LIMITS }],
    ...termsOf(deploy),
  });
  const [tested] = simulated.tokens;
  if (tested === undefined || tested.network === null) throw new Error('a chain without a token');
  const { contracts, deployBlock } = simulated;
  const rpc = createRpc(simulated, { isDevelopment: true });
  const draw = randomness.of('endpoint');
  const newEndpoint = () => createEndpoint({ chain: simulated, rpc, scheduler, draw });
  const endpoint = newEndpoint();
  const others = new Map<string, Endpoint>();
  const requestOf = developmentMethods(simulated, seconds);
  const request = requestOf(endpoint);
  const services = new Map<string, Service>();

  const restore = installGlobals({
    scheduler,
    draw: randomness.of('globals'),
    async fetch(asked) {
      const answer = await services.get(new URL(asked.url).origin)?.(asked);
      if (answer === undefined || answer === null) throw new TypeError('nobody answers');
      return answer;
    },
  });
  let isOver = false;
  void keepTime(scheduler, () => isOver);

  const client = connectEndpoint({ request }, chainId);
  const clientsOf = (account: number) => ({
    public: client,
    wallet: createWalletClient({
      account: anvilAccount(account),
      chain: client.chain,
      transport: custom({ request }),
      pollingInterval: 50,
    }),
  });
  let tokens = 1;
  const place = (nonce: number) => getContractAddress({ from: BUILDER, nonce: BigInt(nonce) });
  const disks = new Map<string, Disk>();
  const stores = new Map<string, Store>();
  const diskOf = (name: string) => {
    const disk = disks.get(name) ?? createDisk({ draw: randomness.of(name), kept: KEPT });
    disks.set(name, disk);
    return disk;
  };

  return {
    simulated,
    endpoint,
    scheduler,
    randomness,
    request,
    chain: { client, chainId: BigInt(chainId), stop() {} },
    clients: clientsOf(0),
    /** For one of anvil's accounts, by its number. */
    clientsOf,
    contracts: { ...contracts, serviceTokenAddress: simulated.serviceToken, deployBlock },
    token: tested.address,
    tokenNetwork: tested.network,
    clock: {
      now: () => scheduler.now(),
      elapsed: () => scheduler.now(),
      every: scheduler.every,
    },
    async connect(url?: string) {
      const other = url === undefined ? endpoint : others.get(url);
      if (other === undefined) throw new Error(`${url} is no endpoint`);
      return { client: connectEndpoint({ request: requestOf(other) }, chainId), stop() {} };
    },
    /** Another endpoint of the chain, at this URL, with faults of its own. */
    addEndpoint(url: string): Endpoint {
      const other = newEndpoint();
      others.set(url, other);
      return other;
    },
    open(name: string, stamp: Stamp): Store {
      const store = diskOf(name).open(stamp);
      stores.set(name, store);
      return store;
    },
    diskOf,
    /** What the process that has the disk open now has written there. */
    storeOf(name: string): Store {
      const store = stores.get(name);
      if (store === undefined) throw new Error(`${name} has not run`);
      return store;
    },
    /** A token without a token network. */
    async createToken(symbol: string): Promise<Address> {
      const address = place(tokens++);
      const { machine } = simulated;
      const terms = { name: symbol, symbol, decimals: 18, initialSupply: 1n, owner: place(0) };
      machine.contracts.set(address, createCustomToken(machine.world, address, terms));
      return address;
    },
    /** The URL at which the nodes reach this service; null hangs up without an answer. */
    async serve(service: Service): Promise<string> {
      const url = `http://service${services.size + 1}.test`;
      services.set(url, service);
      return url;
    },
    forget: (name: string) => void disks.delete(name),
    async stop() {
      isOver = true;
      restore();
    },
  };
}

/** What both chains call by the same name. */
function termsOf({
  settleTimeoutMin,
  settleTimeoutMax,
  maxTokenNetworks,
  userDepositLimit,
}: DeployOptions) {
  return {
    ...(settleTimeoutMin === undefined ? {} : { settleTimeoutMin }),
    ...(settleTimeoutMax === undefined ? {} : { settleTimeoutMax }),
    ...(maxTokenNetworks === undefined ? {} : { maxTokenNetworks }),
    ...(userDepositLimit === undefined ? {} : { userDepositLimit }),
  };
}

/** Lets time pass until it is over, also after moments for which nothing is planned. */
async function keepTime(scheduler: Scheduler, isOver: () => boolean): Promise<void> {
  const pace = createPace(scheduler);
  while (!isOver()) {
    await letTimePass(scheduler, Number.POSITIVE_INFINITY, isOver, pace);
    await untilTime(performance.now() + 1);
  }
}

/**
 * Holds time back until the machine has had a hundredth of what passes: between two tests, where nobody waits for
 * anything, days would go by.
 */
function createPace(scheduler: Scheduler): () => Promise<void> | null {
  let reached = scheduler.now();
  let reachedAt = performance.now();
  return () => {
    const next = scheduler.next() ?? reached;
    const dueAt = reachedAt + (next - reached) / TIMES_FASTER;
    reached = next;
    reachedAt = Math.max(dueAt, performance.now());
    return performance.now() >= dueAt ? null : untilTime(dueAt);
  };
}

async function untilTime(dueAt: number): Promise<void> {
  while (performance.now() < dueAt)
    await new Promise<void>((resolve) =>
      dueAt - performance.now() > 2 ? realTimeout(resolve, 1) : realImmediate(resolve),
    );
}

/** What an endpoint answers, and those methods of anvil that tests call; `seconds`: the time of new blocks. */
function developmentMethods(chain: SimulatedChain, seconds: () => number) {
  let isAutomatic = true;
  const waiting = () => chain.pool.waiting().map(({ to, data }) => ({ to, input: data }));
  const methods: Record<string, (first: unknown, second: unknown) => unknown> = {
    anvil_mine(count = 1, secondsBetween = null) {
      for (let left = BigInt(String(count)); left > 0n; left--) {
        const next = Number(chain.head().timestamp) + Number(secondsBetween);
        chain.mine(secondsBetween === null ? seconds() : next);
      }
    },
    anvil_setBalance: (owner, wei) => chain.machine.wei.set(parsed(owner), BigInt(String(wei))),
    anvil_reorg: (depth) => chain.reorganise(Number(depth), { keep: 'never' }),
    evm_setAutomine(isOn) {
      isAutomatic = isOn === true;
      if (isAutomatic && waiting().length > 0) chain.mine(seconds());
    },
    txpool_status: () => ({ pending: `0x${waiting().length.toString(16)}` }),
    txpool_content: () => ({ pending: { all: { ...waiting() } } }),
  };
  return (endpoint: Endpoint) =>
    async (asked: RpcRequest): Promise<unknown> => {
      const { method, params } = asked;
      const [first, second] = Array.isArray(params) ? params : [];
      const own = methods[method];
      if (own !== undefined) return own(first, second) ?? null;
      const answer = await endpoint.request(asked);
      if (method === 'eth_sendRawTransaction' && isAutomatic) chain.mine(seconds());
      return answer;
    };
}

function parsed(text: unknown) {
  const address = parseAddress(String(text));
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}
