/** Everything in this process and in virtual time: a simulated chain, disks in memory, and calls without sockets. */
import { HttpRequestError, RpcRequestError } from 'viem';
import { type Address, parseAddress } from '../../src/basics/hex.ts';
import type { DevnetChain } from '../../src/devnet/chain/set-up-chain.ts';
import { createSystemChance } from '../../src/host/base/system.ts';
import { checkContracts } from '../../src/host/check-chain.ts';
import { createFatal } from '../../src/host/fatal.ts';
import { createNodeApp } from '../../src/host/node-api.ts';
import type { NodeConfig, NodeHooks } from '../../src/host/node-config.ts';
import { settingsOf } from '../../src/host/open-node.ts';
import { startNode } from '../../src/node/start.ts';
import { joinBroker } from '../../src/partner/join.ts';
import { addressOfCompressed, recover } from '../../src/signer/ecdsa.ts';
import { connectEndpoint } from '../../src/simulation/chain/client.ts';
import { words } from '../../src/simulation/chain/contracts/abi.ts';
import {
  createContract,
  type Methods,
  NOTHING,
} from '../../src/simulation/chain/contracts/contract.ts';
import { createEndpoint } from '../../src/simulation/chain/endpoint.ts';
import { createSimulatedChain, type SimulatedChain } from '../../src/simulation/chain/genesis.ts';
import { createRpc, type RpcRequest } from '../../src/simulation/chain/rpc.ts';
import type { RpcRule } from '../support/rpc-proxy.ts';
import { startVirtualGround } from '../support/virtual-ground.ts';
import { CONTRACTS, type Ground, type GroundChain } from './ground.ts';

type World = ReturnType<typeof startVirtualGround>;
type Ask = (request: RpcRequest) => Promise<unknown>;
type Line = { ask: Ask; chainId: number };

const CHAIN_ID = 31_337;
const MAIN_NETWORK = 1;
const BLOCK_MS = 1_000;
/** As `setUpChain` gives them. */
const TOKENS = 10n ** 24n;
const GAS_MONEY = 10n ** 21n;
const DECIMALS = 18;
const MINTABLE = {
  MintToken: 'mint(address,uint256)',
  MintForToken: 'mintFor(uint256,address)',
  IncreaseSupplyToken: 'increaseSupply(uint256,address)',
};
const URL_OF_LINES = 'http://simulated';
/** As a node's connection waits for an answer. */
const PATIENCE_MS = 10_000;

/** From now on until `stop`, the whole process lives in virtual time. */
export function virtualGround(): Ground {
  const world = startVirtualGround({ chainId: CHAIN_ID, deploy: CONTRACTS });
  /** By URL. */
  const lines = new Map<string, Line>();
  const lineTo = (rpc: string): Line => {
    const line = lines.get(rpc);
    if (line === undefined) throw new Error(`nobody answers at ${rpc}`);
    return line;
  };
  const serveAt = (line: Line): string => {
    const rpc = `http://chain${lines.size + 1}.test`;
    lines.set(rpc, line);
    return rpc;
  };
  return {
    setUpChain: (owners) =>
      setUpChain(world, serveAt({ ask: world.request, chainId: CHAIN_ID }), owners),
    async startMainNetwork() {
      const { ask, chainOf, stop } = createMainNetwork(world);
      return { chain: chainOf(serveAt({ ask, chainId: MAIN_NETWORK })), stop };
    },
    openNode: (config, hooks) => openNode(world, lineTo(config.rpcUrl), { config, hooks }),
    serveNode: async (request) => ({ ok: true, value: await serveApp(world, request) }),
    async startRpcProxy(target) {
      const { ask, chainId } = lineTo(target);
      let rule: RpcRule | null = null;
      return {
        rpc: serveAt({ ask: (call) => answered(rule, ask, call), chainId }),
        setRule(next) {
          rule = next;
        },
        async stop() {},
      };
    },
    serveText: async (text) => ({
      url: await world.serve(async () => new Response(text)),
      async stop() {},
    }),
    stop: world.stop,
  };
}

/** What `setUpChain` does on a real chain. */
async function setUpChain(
  world: World,
  rpc: string,
  owners: readonly Address[],
): Promise<GroundChain> {
  const { simulated, contracts, token, tokenNetwork, clients, createToken } = world;
  const unregisteredTokens = [await createToken('TTB'), await createToken('TTC')];
  for (const owner of owners) {
    for (const one of [token, ...unregisteredTokens, contracts.serviceTokenAddress])
      simulated.mint(one, owner, TOKENS);
    simulated.machine.wei.set(owner, GAS_MONEY);
  }
  await world.request({ method: 'anvil_mine' });
  const tokens = [{ address: token, tokenNetwork, symbol: 'TTA', decimals: DECIMALS }];
  return {
    chain: { rpc, chainId: world.chain.chainId, contracts, tokens, unregisteredTokens },
    connection: world.chain,
    clients,
    createToken,
    createMintable: async () => createMintable(simulated),
    async stop() {},
  };
}

/** Nobody has anything there. */
function createMainNetwork({ scheduler, randomness }: World) {
  const seconds = () => Math.floor(scheduler.now() / 1_000);
  const tokens = [{ symbol: 'TTA' }];
  const terms = { chainId: MAIN_NETWORK, time: seconds(), accounts: [], tokens, recover };
  const simulated = createSimulatedChain(terms);
  const draw = randomness.of('main network');
  const endpoint = createEndpoint({
    chain: simulated,
    rpc: createRpc(simulated),
    scheduler,
    draw,
  });
  const mine = () => void simulated.mine(seconds());
  // The registration of the token is confirmed.
  mine();
  const stopMining = scheduler.every(BLOCK_MS, mine);
  const { contracts, serviceToken, deployBlock } = simulated;
  return {
    ask: endpoint.request,
    chainOf: (rpc: string): DevnetChain => ({
      rpc,
      chainId: BigInt(MAIN_NETWORK),
      contracts: { ...contracts, serviceTokenAddress: serviceToken, deployBlock },
      tokens: simulated.tokens.flatMap(({ address, network }) =>
        network === null
          ? []
          : [{ address, tokenNetwork: network, symbol: 'TTA', decimals: DECIMALS }],
      ),
      unregisteredTokens: [],
    }),
    stop: async () => stopMining(),
  };
}

/** As the tokens of `real-ground.ts`. */
function createMintable({ machine }: SimulatedChain): ReadonlyMap<string, Address> {
  const created = new Map<string, Address>();
  for (const [name, signature] of Object.entries(MINTABLE)) {
    const address = parseAddress(`0x${String(created.size + 1).repeat(40)}`);
    if (address === null) throw new Error('a token without an address');
    const balances = machine.world.storage.table(0n);
    const isAmountFirst = signature.endsWith('(uint256,address)');
    const methods: Methods = {
      [signature](_, input) {
        const first = isAmountFirst ? input.uint() : 0n;
        const to = input.address();
        balances.set(to, balances.get(to) + (isAmountFirst ? first : input.uint()));
        return NOTHING;
      },
      'balanceOf(address)': (_, input) => words(balances.get(input.address())),
    };
    machine.contracts.set(address, createContract(address, methods));
    created.set(name, address);
  }
  return created;
}

/** As a node's connection meets the answers of an endpoint that follows a rule. */
async function answered(rule: RpcRule | null, ask: Ask, request: RpcRequest): Promise<unknown> {
  if (rule === null) return ask(request);
  const { method, params } = request;
  const call = { method, params: Array.isArray(params) ? params : [] };
  const asked = rule(call, async () => ({ result: await ask(request) }));
  const answer = await Promise.race([asked, patience()]);
  if (answer === 'cut the line') throw new HttpRequestError({ url: URL_OF_LINES, details: answer });
  if ('result' in answer) return answer.result;
  throw new RpcRequestError({ body: { method }, url: URL_OF_LINES, error: answer.error });
}

function patience(): Promise<'cut the line'> {
  return new Promise((resolve) => setTimeout(() => resolve('cut the line'), PATIENCE_MS));
}

type Opening = { config: NodeConfig; hooks: NodeHooks };

/** As `openNode` puts a node together, without a lock, a file and a port. */
async function openNode(world: World, { ask, chainId }: Line, { config, hooks }: Opening) {
  const client = connectEndpoint({ request: ask }, chainId);
  const connection = { client, chainId: BigInt(chainId), stop() {} };
  const checked = await checkContracts(connection, config.contracts);
  if (!checked.ok) return checked;
  const settings = settingsOf(config, checked.value);
  const { signer, log, fault } = hooks;
  const { tokenNetworkRegistryAddress: tokenNetworkRegistry } = settings.contracts;
  const place = { chainId: settings.chainId, tokenNetworkRegistry };
  const sign = (digest: Uint8Array) => signer.sign(digest);
  const { address } = signer;
  const fatal = createFatal(hooks);
  const parts = {
    store: world.open(address, { ...place, ownAddress: address }),
    transport: joinBroker(config.broker, { ...place, address, sign, recover, report() {} }),
    reads: checked.value.reads,
    clock: world.clock,
    chance: createSystemChance(),
    onFatal: fatal.met,
    addressOf: addressOfCompressed,
    ...{ signer, log, fault, client, recover },
  };
  const node = startNode(settings, parts, hooks.onShutdown);
  const server = await serveApp(world, {
    node,
    config: config.api,
    onInternalError: fatal.inCall,
  });
  fatal.answerWith(server.fail);
  const stop = async () => {
    await server.end();
    await node.stop();
  };
  return { ok: true, value: { apiUrl: server.url, node, status: node.status, stop } } as const;
}

/** The whole application of the API, at a URL of this world. */
async function serveApp({ serve }: World, request: Parameters<Ground['serveNode']>[0]) {
  const app = createNodeApp(request);
  let isOpen = true;
  const close = async () => {
    isOpen = false;
  };
  return {
    url: await serve(async (asked) => (isOpen ? app.fetch(asked) : null)),
    port: 0,
    end() {
      app.end();
      return close();
    },
    fail: app.fail,
  };
}
