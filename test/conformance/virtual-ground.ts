/** Everything in this process and in virtual time: a simulated chain, disks in memory, and calls without sockets. */
import { HttpRequestError, RpcRequestError } from 'viem';
import { checkContracts } from '../../src/host/check-chain.ts';
import { createFatal } from '../../src/host/fatal.ts';
import { createNodeApp } from '../../src/host/node-api.ts';
import type { NodeConfig, NodeHooks } from '../../src/host/node-config.ts';
import { settingsOf } from '../../src/host/open-node.ts';
import { createSystemChance } from '../../src/host/system.ts';
import { startNode } from '../../src/node/start.ts';
import { joinBroker } from '../../src/partner/join.ts';
import { type Address, parseAddress } from '../../src/protocol/hex.ts';
import { addressOfCompressed, recover } from '../../src/signer/ecdsa.ts';
import { connectEndpoint } from '../../src/simulation/chain/client.ts';
import { words } from '../../src/simulation/chain/contracts/abi.ts';
import {
  createContract,
  type Methods,
  NOTHING,
} from '../../src/simulation/chain/contracts/contract.ts';
import type { SimulatedChain } from '../../src/simulation/chain/genesis.ts';
import type { RpcRequest } from '../../src/simulation/chain/rpc.ts';
import type { RpcRule } from '../support/rpc-proxy.ts';
import { createVirtualChain, startVirtualWorld } from '../support/virtual-ground.ts';
import type { ChainTerms, Ground, GroundChain } from './ground.ts';

type World = ReturnType<typeof startVirtualWorld>;
type Ask = (request: RpcRequest) => Promise<unknown>;
type Line = { ask: Ask; chainId: number };

/** As `setUpChain` gives them. */
const TOKENS = 10n ** 24n;
const GAS_MONEY = 10n ** 21n;
const MINTABLE = {
  MintToken: 'mint(address,uint256)',
  MintForToken: 'mintFor(uint256,address)',
  IncreaseSupplyToken: 'increaseSupply(uint256,address)',
};
const URL_OF_LINES = 'http://simulated';
/** As a node's connection waits for an answer. */
const PATIENCE_MS = 10_000;

export function startVirtualGround(): Ground {
  const world = startVirtualWorld();
  /** By URL. */
  const lines = new Map<string, Line>();
  const lineTo = (rpc: string): Line => {
    const line = lines.get(rpc);
    if (line === undefined) throw new Error(`nobody answers at ${rpc}`);
    return line;
  };
  const serveAt = async (line: Line) => {
    const rpc = `http://chain${lines.size + 1}.test`;
    lines.set(rpc, line);
    return rpc;
  };
  return {
    async setUpChain(terms) {
      const made = createVirtualChain(world, { chainId: terms.chainId, deploy: terms.contracts });
      const rpc = await serveAt({ ask: made.request, chainId: terms.chainId });
      return standIn(world, { ...made, rpc }, terms);
    },
    openNode: (config, hooks) => openNode(world, lineTo(config.rpcUrl), { config, hooks }),
    serveNode: async (request) => ({ ok: true, value: await serveApp(world, request) }),
    async startRpcProxy(target) {
      const { ask, chainId } = lineTo(target);
      let rule: RpcRule | null = null;
      const rpc = await serveAt({ ask: (call) => answered(rule, ask, call), chainId });
      return {
        rpc,
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

type Made = ReturnType<typeof createVirtualChain> & { rpc: string };

/** What `setUpChain` does on a real chain. */
async function standIn(
  { scheduler }: World,
  { rpc, simulated, request, ...made }: Made,
  { owners, blockTime }: ChainTerms,
): Promise<GroundChain> {
  const { contracts, token: address, tokenNetwork, clients, createToken } = made;
  const unregisteredTokens = [await createToken('TTB'), await createToken('TTC')];
  for (const owner of owners) {
    for (const token of [address, ...unregisteredTokens, contracts.serviceTokenAddress])
      simulated.mint(token, owner, TOKENS);
    simulated.machine.wei.set(owner, GAS_MONEY);
  }
  const mine = () => void request({ method: 'anvil_mine' });
  mine();
  const stopMining = blockTime === null ? () => {} : scheduler.every(blockTime * 1_000, mine);
  const tokens = [{ address, tokenNetwork, symbol: 'TTA', decimals: 18 }];
  return {
    chain: { rpc, chainId: made.chain.chainId, contracts, tokens, unregisteredTokens },
    connection: made.chain,
    clients,
    createToken,
    createMintable: async () => createMintable(simulated),
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
    fail() {
      app.fail();
      return close();
    },
  };
}
