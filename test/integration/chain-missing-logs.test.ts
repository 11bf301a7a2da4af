/** What a watcher does when its endpoint leaves logs out of its answers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Address, fromHex, toHex, ZERO_HASH } from '../../src/basics/hex.ts';
import type { ChainConnection } from '../../src/chain/client.ts';
import { createBatchReader, type LogBatch } from '../../src/chain/watch/batches.ts';
import { headHeader } from '../../src/chain/watch/headers.ts';
import {
  createWatcher,
  type HeadStatus,
  type Watcher,
  type WatcherOptions,
} from '../../src/chain/watch/watcher.ts';
import { type Deployment, deployContracts } from '../../src/contracts/deploy.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { deployToken, registerNewToken } from '../../src/contracts/tokens.ts';
import { type Clients, confirmed } from '../../src/contracts/transact.ts';
import { closingDigest, EMPTY_SIGNATURE } from '../../src/protocol/channel/balance-proof.ts';
import { createSigner } from '../../src/signer/signer.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { anvilAccount, anvilCall, clientsFor, connected, mine } from '../support/chain.ts';
import { type RpcCall, type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';
import { until } from '../support/until.ts';

let anvil: Anvil;
let proxy: RpcProxy;
/** Straight to the chain; the watchers go through the proxy. */
let direct: ChainConnection;
let watched: ChainConnection;
let clients: Clients;
let deployment: Deployment;
let networks: [Address, Address];
let watchers: Watcher[];

const own = anvilAccount(0);
const partner = anvilAccount(1).address;

beforeEach(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.rpc);
  direct = await connected(anvil.rpc);
  watched = await connected(proxy.rpc);
  clients = clientsFor(anvil.rpc, direct, own);
  deployment = await deployContracts(clients);
  networks = [await network('A'), await network('B')];
  watchers = [];
});
afterEach(async () => {
  watched.stop();
  direct.stop();
  for (const watcher of watchers) await watcher.stop();
  await proxy.stop();
  await anvil.stop();
});

async function network(symbol: string): Promise<Address> {
  const token = await deployToken(clients, { name: symbol, symbol });
  return registerNewToken(clients, deployment.tokenNetworkRegistryAddress, token);
}

function watch(options: Partial<WatcherOptions> = {}) {
  const batches: LogBatch[] = [];
  const statuses: HeadStatus[] = [];
  const failures: unknown[] = [];
  const watcher = createWatcher({
    client: watched.client,
    registry: deployment.tokenNetworkRegistryAddress,
    secretRegistry: deployment.secretRegistryAddress,
    confirmations: 1n,
    start: { deployBlock: deployment.deployBlock },
    hasStake: () => true,
    onBatch: (batch) => void batches.push(batch),
    onHead: (status) => void statuses.push(status),
    onDeepReorg: () => {},
    onFailure: (error) => void failures.push(error),
    pollIntervalMs: 30,
    ...options,
  });
  watchers.push(watcher);
  watcher.start();
  return { watcher, batches, statuses, failures };
}

const open = (tokenNetwork: Address) =>
  clients.wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'openChannel',
    args: [own.address, partner, 500n],
  });

/** With no balance proof: the closer holds nothing of the partner's. */
function close(tokenNetwork: Address) {
  const signer = createSigner(fromHex(toHex(own.getHdKey().privateKey ?? new Uint8Array())));
  const proof = { balanceHash: ZERO_HASH, nonce: 0n, additionalHash: ZERO_HASH };
  const place = { chainId: direct.chainId, tokenNetwork, channelId: 1n };
  const digest = closingDigest({ ...place, ...proof }, EMPTY_SIGNATURE);
  const signature = signer.sign(digest);
  return clients.wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'closeChannel',
    gas: 300_000n,
    // biome-ignore format: as the contract lists them
    args: [1n, partner, own.address, ZERO_HASH, 0n, ZERO_HASH, EMPTY_SIGNATURE, signature],
  });
}

const mined = async (hash: `0x${string}`) =>
  (await confirmed(clients, hash, 'transaction')).blockNumber;
const head = () => direct.client.getBlockNumber();
const typesOf = (batches: LogBatch[]) =>
  batches.flatMap(({ logs }) => logs.map(({ type }) => type));
const isLogs = ({ method }: RpcCall) => method === 'eth_getLogs';
const isByHash = ({ method, params: [filter] }: RpcCall) =>
  method === 'eth_getLogs' && Object(filter).blockHash !== undefined;
const NOTHING = { result: [] };
const NO_SUCH_METHOD = { error: { code: -32601, message: 'the method does not exist' } };

/** Opens a channel under a watcher, sets the rule for the endpoint, and closes the channel. */
async function closedUnder(rule: Parameters<RpcProxy['setRule']>[0]) {
  await mined(await open(networks[0]));
  await mine(direct, 1);
  const seen = watch();
  const opened = (await head()) - 1n;
  await until(() => seen.watcher.confirmedBlock() === opened, 'the opening is seen');
  proxy.setRule(rule);
  const block = await mined(await close(networks[0]));
  await mine(direct, 1);
  return { ...seen, block };
}

describe('a close whose log a lagging endpoint leaves out', () => {
  it('is seen when the endpoint is asked again', async () => {
    let left = 2;
    const { watcher, batches, block } = await closedUnder(async (call, forward) => {
      if (!isLogs(call) || left === 0) return forward();
      left -= 1;
      return NOTHING;
    });
    await until(() => watcher.confirmedBlock() === block);
    expect(left).toBe(0);
    expect(typesOf(batches).at(-1)).toBe('chain.channelClosed');
  });

  it.each(['with', 'without'])(
    'stops the watcher until the endpoint gives the log, %s receipts',
    async (which) => {
      const { watcher, batches, statuses, block } = await closedUnder(async (call, forward) => {
        if (call.method === 'eth_getBlockReceipts' && which === 'without') return NO_SUCH_METHOD;
        return isLogs(call) ? NOTHING : forward();
      });
      await until(() => statuses.at(-1)?.status === 'unavailable', 'the trouble is told');
      expect(statuses.at(-1)?.trouble).toContain('missing');
      expect(watcher.confirmedBlock()).toBeLessThan(block);
      expect(typesOf(batches)).not.toContain('chain.channelClosed');
      proxy.setRule(null);
      await until(() => watcher.confirmedBlock() === block);
      expect(typesOf(batches).at(-1)).toBe('chain.channelClosed');
    },
  );

  it('is found in a long range by a question for the logs of its block alone', async () => {
    await mined(await open(networks[0]));
    await mined(await close(networks[0]));
    await mine(direct, 80);
    proxy.setRule(async (call, forward) => (isLogs(call) && !isByHash(call) ? NOTHING : forward()));
    const { watcher, batches } = watch();
    const last = (await head()) - 1n;
    await until(() => watcher.confirmedBlock() === last);
    expect(typesOf(batches)).toEqual([
      'chain.tokenNetworkCreated',
      'chain.tokenNetworkCreated',
      'chain.channelOpened',
      'chain.channelClosed',
    ]);
  });
});

describe('a bloom filter that only seems to hold a missing event', () => {
  /** Each network has an event that the other one's contract has in this block, too. */
  async function twoInOneBlock() {
    await mined(await open(networks[0]));
    await anvilCall(direct, 'evm_setAutomine', false);
    const sent = [await close(networks[0]), await open(networks[1])];
    await mine(direct, 1);
    await anvilCall(direct, 'evm_setAutomine', true);
    const blocks = await Promise.all(sent.map(mined));
    expect(blocks[0]).toBe(blocks[1]);
    await mine(direct, 1);
    return blocks[0] ?? 0n;
  }
  const expected = ['chain.channelOpened', 'chain.channelClosed', 'chain.channelOpened'];

  it('is explained by the receipts of the block', async () => {
    const block = await twoInOneBlock();
    const { watcher, batches, statuses } = watch();
    await until(() => watcher.confirmedBlock() === block);
    expect(typesOf(batches).slice(2)).toEqual(expected);
    expect(proxy.calls.filter(({ method }) => method === 'eth_getBlockReceipts')).not.toEqual([]);
    expect(statuses.map(({ status }) => status)).not.toContain('unavailable');
  });

  it('is overruled by repeated equal answers when the endpoint has no receipts', async () => {
    const block = await twoInOneBlock();
    proxy.setRule(async (call, forward) =>
      call.method === 'eth_getBlockReceipts' ? NO_SUCH_METHOD : forward(),
    );
    const { watcher, batches, statuses } = watch();
    await until(() => watcher.confirmedBlock() === block);
    expect(typesOf(batches).slice(2)).toEqual(expected);
    expect(statuses.map(({ status }) => status)).not.toContain('unavailable');
  });
});

describe('a header', () => {
  it.each([
    ['knows of no log of its block', { logsBloom: `0x${'00'.repeat(256)}` }],
    ['has no filter', { logsBloom: null }],
    ['does not follow the one before', { parentHash: `0x${'12'.repeat(32)}` }],
  ])('that %s makes the endpoint count as unavailable', async (_what, spoilt) => {
    await mine(direct, 80);
    proxy.setRule(async (call, forward) => {
      const answer = await forward();
      if (call.method !== 'eth_getBlockByNumber' || call.params[0] === 'latest') return answer;
      if (answer === 'cut the line' || 'error' in answer) return answer;
      return { result: { ...Object(answer.result), ...spoilt } };
    });
    const { batches, statuses } = watch();
    await until(() => statuses.at(-1)?.status === 'unavailable');
    expect(batches).toEqual([]);
    proxy.setRule(null);
    const last = (await head()) - 1n;
    await until(() => batches.at(-1)?.toBlock === last);
  });

  it('must be linked to the newest block by parent hashes', async () => {
    const latest = await anvilCall(direct, 'eth_getBlockByNumber', 'latest', false);
    proxy.setRule((call, forward) =>
      call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest'
        ? Promise.resolve({ result: { ...Object(latest), parentHash: `0x${'12'.repeat(32)}` } })
        : forward(),
    );
    const { batches, statuses } = watch();
    await until(() => statuses.at(-1)?.status === 'unavailable');
    expect(batches).toEqual([]);
  });
});

describe('headers of a long range', () => {
  it('are asked for one by one when the endpoint refuses many in one request', async () => {
    await mine(direct, 90);
    const refusing = await startRpcProxy(anvil.rpc, { takesMany: false });
    const connection = await connected(refusing.rpc);
    const { watcher } = watch({ client: connection.client });
    const last = (await head()) - 1n;
    await until(() => watcher.confirmedBlock() === last);
    await watcher.stop();
    connection.stop();
    await refusing.stop();
  });
});

describe('a block without transactions', () => {
  it('is not asked for logs', async () => {
    await mine(direct, 1);
    const { watcher } = watch();
    const seen = async () => watcher.confirmedBlock() === (await head()) - 1n;
    await until(seen);
    proxy.calls.length = 0;
    await mine(direct, 10);
    await until(seen);
    expect(proxy.calls.filter(isLogs)).toEqual([]);
  });
});

describe('a range in which nothing of this node was on chain yet', () => {
  async function read() {
    const toBlock = (await head()) - 10n;
    const trust = { nearBlock: toBlock + 5n, soundBlock: toBlock + 1n };
    const request = {
      registry: deployment.tokenNetworkRegistryAddress,
      secretRegistry: deployment.secretRegistryAddress,
      tokenNetworks: [],
      fromBlock: deployment.deployBlock,
      toBlock,
      ...trust,
      head: await headHeader(direct.client),
    };
    const cursor = { block: deployment.deployBlock - 1n, hash: null };
    return createBatchReader(watched.client)(cursor, request);
  }

  it('is read in a few calls', async () => {
    await mined(await open(networks[1]));
    await mine(direct, 100);
    const before = proxy.calls.length;
    expect(await read()).toMatchObject({ logs: [{}, {}, { type: 'chain.channelOpened' }] });
    expect(proxy.calls.length - before).toBe(6);
  });

  it('is not taken from two answers that differ', async () => {
    await mine(direct, 100);
    let answers = 0;
    proxy.setRule(async (call, forward) => {
      if (!isLogs(call)) return forward();
      answers += 1;
      return answers === 2 ? NOTHING : forward();
    });
    await expect(read()).rejects.toThrow('different logs');
  });
});
