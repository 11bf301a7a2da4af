import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Address, type Secret, toHex } from '../../src/basics/hex.ts';
import { type ChainConnection, connectChain } from '../../src/chain/client.ts';
import type { DeepReorg, LogBatch } from '../../src/chain/watch/batches.ts';
import { placeAfter } from '../../src/chain/watch/portions.ts';
import {
  createWatcher,
  type HeadStatus,
  type Watcher,
  type WatcherOptions,
} from '../../src/chain/watch/watcher.ts';
import { type Deployment, deployContracts } from '../../src/contracts/deploy.ts';
import { secretRegistryAbi } from '../../src/contracts/generated/SecretRegistry.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { deployToken, registerNewToken } from '../../src/contracts/tokens.ts';
import { type Clients, confirmed } from '../../src/contracts/transact.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { anvilAccount, anvilCall, clientsFor, connected, mine } from '../support/chain.ts';
import { type RpcProxy, type RpcRule, startRpcProxy } from '../support/rpc-proxy.ts';
import { until } from '../support/until.ts';

let anvil: Anvil;
let proxy: RpcProxy;
/** Straight to the chain; the watchers go through the proxy. */
let direct: ChainConnection;
let watched: ChainConnection;
let clients: Clients;
let deployment: Deployment;
let watchers: Watcher[];

beforeEach(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.rpc);
  direct = await connected(anvil.rpc);
  watched = await connected(proxy.rpc);
  clients = clientsFor(anvil.rpc, direct, anvilAccount(0));
  deployment = await deployContracts(clients);
  watchers = [];
});
afterEach(async () => {
  watched.stop();
  direct.stop();
  for (const watcher of watchers) await watcher.stop();
  await proxy.stop();
  await anvil.stop();
});

function watch(options: Partial<WatcherOptions> = {}) {
  const batches: LogBatch[] = [];
  const statuses: HeadStatus[] = [];
  const reorgs: DeepReorg[] = [];
  const failures: unknown[] = [];
  const watcher = createWatcher({
    client: watched.client,
    registry: deployment.tokenNetworkRegistryAddress,
    secretRegistry: deployment.secretRegistryAddress,
    confirmations: 2n,
    start: { deployBlock: deployment.deployBlock },
    onBatch: (batch) => void batches.push(batch),
    onHead: (status) => void statuses.push(status),
    onDeepReorg: (reorg) => void reorgs.push(reorg),
    onFailure: (error) => void failures.push(error),
    pollIntervalMs: 30,
    ...options,
  });
  watchers.push(watcher);
  watcher.start();
  return { watcher, batches, statuses, reorgs, failures };
}

async function revealSecret(): Promise<Secret> {
  const secret = toHex(randomBytes(32));
  const hash = await clients.wallet.writeContract({
    address: deployment.secretRegistryAddress,
    abi: secretRegistryAbi,
    functionName: 'registerSecret',
    args: [secret],
  });
  await confirmed(clients, hash, 'registerSecret');
  return secret;
}

const head = () => direct.client.getBlockNumber();
const hexOf = (block: bigint) => `0x${block.toString(16)}`;
const secretsOf = (batches: LogBatch[]) =>
  batches.flatMap(({ logs }) =>
    logs.flatMap((log) => (log.type === 'chain.secretRevealed' ? [log.secret] : [])),
  );
/** Every block of the batches, in the order of delivery. */
const blocksOf = (batches: LogBatch[]) =>
  batches.flatMap(({ fromBlock, toBlock }) =>
    Array.from(
      { length: Number(toBlock - fromBlock) + 1 },
      (_, index) => fromBlock + BigInt(index),
    ),
  );
const blocks = (from: bigint, to: bigint) =>
  Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));

describe('the watcher', () => {
  it('delivers a block only when enough blocks stand on it', async () => {
    const { watcher, batches } = watch({ confirmations: 3n });
    const secret = await revealSecret();
    const block = await head();
    await mine(direct, 2);
    await until(() => watcher.head() === block + 2n && watcher.confirmedBlock() === block - 1n);
    expect(secretsOf(batches)).toEqual([]);
    await mine(direct, 1);
    await until(() => watcher.confirmedBlock() === block);
    expect(secretsOf(batches)).toEqual([secret]);
    expect(blocksOf(batches)).toEqual(blocks(deployment.deployBlock, block));
  });

  it('follows a token network that is created inside the range that it reads', async () => {
    const token = await deployToken(clients, { name: 'A', symbol: 'A' });
    const tokenNetwork = await registerNewToken(
      clients,
      deployment.tokenNetworkRegistryAddress,
      token,
    );
    const [one, two] = [anvilAccount(1).address, anvilAccount(2).address];
    const open = async (partner: Address) =>
      confirmed(
        clients,
        await clients.wallet.writeContract({
          address: tokenNetwork,
          abi: tokenNetworkAbi,
          functionName: 'openChannel',
          args: [one, partner, 500n],
        }),
        'openChannel',
      );
    await open(two);
    const secret = await revealSecret();
    await mine(direct, 2);
    const { watcher, batches } = watch();
    await until(() => batches.length > 0);
    expect(batches).toHaveLength(1);
    expect(batches[0]?.logs).toMatchObject([
      { type: 'chain.tokenNetworkCreated', token, tokenNetwork },
      { type: 'chain.channelOpened', tokenNetwork, channelId: 1n, participant1: one },
      { type: 'chain.secretRevealed', secret },
    ]);

    await open(anvilAccount(3).address);
    const block = await head();
    await mine(direct, 2);
    await until(() => watcher.confirmedBlock() === block);
    expect(batches.at(-1)?.logs).toMatchObject([{ type: 'chain.channelOpened', channelId: 2n }]);
  });

  it('goes on when blocks above the confirmed ones are replaced, and only reports it', async () => {
    let replaced = 0;
    const onReorg = () => {
      replaced += 1;
    };
    const { watcher, batches, reorgs } = watch({ confirmations: 5n, onReorg });
    const gone = await revealSecret();
    await mine(direct, 2);
    const before = await head();
    await until(() => watcher.head() === before);
    expect(replaced).toBe(0);
    await anvilCall(direct, 'anvil_reorg', 3, []);
    await until(() => replaced === 1, 'the replaced head to be seen');
    const kept = await revealSecret();
    await mine(direct, 10);
    const after = await head();
    await until(() => watcher.confirmedBlock() === after - 5n);
    expect(blocksOf(batches)).toEqual(blocks(deployment.deployBlock, after - 5n));
    expect(secretsOf(batches)).toEqual([kept]);
    expect(secretsOf(batches)).not.toContain(gone);
    expect(reorgs).toEqual([]);
  });

  it('stops, once, when a block that it delivered is replaced', async () => {
    const { watcher, batches, reorgs } = watch({ confirmations: 2n });
    await mine(direct, 5);
    const before = await head();
    await until(() => watcher.confirmedBlock() === before - 2n);
    const delivered = batches.length;
    await anvilCall(direct, 'anvil_reorg', 4, []);
    await until(() => reorgs.length > 0);
    await watcher.stop();
    expect(reorgs).toHaveLength(1);
    expect(reorgs[0]?.expectedHash).toBe(batches.at(-1)?.toHash);
    expect(batches).toHaveLength(delivered);
  });

  it('stops, too, when more blocks stand on the one that replaced it', async () => {
    const { watcher, batches, reorgs } = watch({ confirmations: 2n });
    await mine(direct, 5);
    const before = await head();
    await until(() => watcher.confirmedBlock() === before - 2n);
    proxy.setRule(async () => 'cut the line');
    await anvilCall(direct, 'anvil_reorg', 4, []);
    await mine(direct, 3);
    proxy.setRule(null);
    await until(() => reorgs.length > 0);
    expect(reorgs[0]?.expectedHash).toBe(batches.at(-1)?.toHash);
    expect(batches.at(-1)?.toBlock).toBe(before - 2n);
  });

  it('does not ask for the last block again when the next ones lead back to it', async () => {
    const { watcher } = watch({ confirmations: 2n });
    await mine(direct, 5);
    const last = (await head()) - 2n;
    await until(() => watcher.confirmedBlock() === last);
    const before = proxy.calls.length;
    const asked = () => proxy.calls.slice(before).map(({ params }) => params[0]);
    await mine(direct, 3);
    await until(() => watcher.confirmedBlock() === last + 3n);
    expect(asked()).toContain(hexOf(last + 4n));
    const looks = () => asked().filter((block) => block === 'latest').length;
    const then = looks();
    await until(() => looks() > then + 2, 'the watcher looks again');
    expect(asked()).not.toContain(hexOf(last));
    expect(asked().filter((block) => block === hexOf(last + 3n))).toHaveLength(1);
  });

  it('takes an endpoint that is behind for unavailable, not for a reorganisation', async () => {
    const { watcher, statuses, reorgs, batches } = watch();
    await mine(direct, 5);
    const before = await head();
    await until(() => watcher.confirmedBlock() === before - 2n);
    const old = hexOf(before - 4n);
    proxy.setRule((call, forward) =>
      call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest'
        ? directAnswer('eth_getBlockByNumber', [old, false])
        : forward(),
    );
    await until(() => statuses.at(-1)?.status === 'unavailable');
    proxy.setRule(null);
    await mine(direct, 1);
    await until(() => watcher.confirmedBlock() === before - 1n);
    expect(reorgs).toEqual([]);
    expect(blocksOf(batches)).toEqual(blocks(deployment.deployBlock, before - 1n));
  });

  it('stays ready while one machine of the endpoint answers once or twice that is behind or fails', async () => {
    const { watcher, statuses } = watch();
    await mine(direct, 5);
    await until(() => statuses.at(-1)?.status === 'ready');
    const told = statuses.length;
    const old = hexOf((await head()) - 4n);
    let looks = 0;
    proxy.setRule((call, forward) => {
      if (call.method !== 'eth_getBlockByNumber' || call.params[0] !== 'latest') return forward();
      looks += 1;
      if (looks % 3 === 1) return directAnswer('eth_getBlockByNumber', [old, false]);
      return looks % 3 === 2
        ? Promise.resolve({ error: { code: -32000, message: 'missing trie node' } })
        : forward();
    });
    await until(() => looks > 12);
    await mine(direct, 3);
    await until(async () => watcher.confirmedBlock() === (await head()) - 2n);
    expect(statuses.slice(told).map(({ status }) => status)).not.toContain('unavailable');
  });

  it('waits for an endpoint that is down and then misses nothing and repeats nothing', async () => {
    const { watcher, batches, statuses } = watch();
    await until(() => statuses.at(-1)?.status === 'ready');
    proxy.setRule(async () => 'cut the line');
    const secret = await revealSecret();
    await mine(direct, 30);
    await until(() => statuses.at(-1)?.status === 'unavailable');
    expect(statuses.at(-1)?.trouble).not.toBeNull();
    expect(secretsOf(batches)).toEqual([]);
    proxy.setRule(null);
    const last = await head();
    await until(() => watcher.confirmedBlock() === last - 2n);
    await until(() => statuses.at(-1)?.status === 'ready');
    expect(blocksOf(batches)).toEqual(blocks(deployment.deployBlock, last - 2n));
    expect(secretsOf(batches)).toEqual([secret]);
  });

  it('goes on in the next process where the last one was stopped or failed', async () => {
    const secrets: Secret[] = [];
    for (let i = 0; i < 3; i++) {
      secrets.push(await revealSecret());
      await mine(direct, 100);
    }
    proxy.setRule(refusingRanges(13n));
    const handled: LogBatch[] = [];
    let start: WatcherOptions['start'] = { deployBlock: deployment.deployBlock };
    for (let process = 0; process < 8; process++) {
      // Takes three batches and dies while it handles the fourth.
      let left = 3;
      const { failures, watcher } = watch({
        start,
        onBatch(batch) {
          if (left === 0) throw new Error('killed');
          left -= 1;
          handled.push(batch);
          start = { block: batch.toBlock, hash: batch.toHash };
        },
      });
      await until(() => failures.length > 0 || watcher.confirmedBlock() === watcher.head() - 2n);
      await watcher.stop();
      expect(left === 0 || failures.length === 0).toBe(true);
    }
    watch({
      start,
      onBatch: (batch) => void handled.push(batch),
    });
    const last = (await head()) - 2n;
    await until(() => handled.at(-1)?.toBlock === last);
    expect(blocksOf(handled)).toEqual(blocks(deployment.deployBlock, last));
    expect(secretsOf(handled)).toEqual(secrets);
  });

  describe('in the middle of a block', () => {
    /** Three secrets that are registered in one block; the place after the first of them. */
    async function begun() {
      const all = [1, 2, 3].map(() => toHex(randomBytes(32)));
      const hash = await clients.wallet.writeContract({
        address: deployment.secretRegistryAddress,
        abi: secretRegistryAbi,
        functionName: 'registerSecretBatch',
        args: [all],
      });
      await confirmed(clients, hash, 'registerSecretBatch');
      await mine(direct, 4);
      const { batches } = watch();
      await until(() => secretsOf(batches).length === 3);
      const [range] = batches.filter(({ logs }) => logs.length > 0);
      if (range === undefined) throw new Error('no range has logs');
      return { all, start: placeAfter(range, 1) };
    }

    it('goes on with the next log when the place is known', async () => {
      const { all, start } = await begun();
      const { batches } = watch({ start });
      const last = (await head()) - 2n;
      await until(() => batches.at(-1)?.toBlock === last);
      expect(secretsOf(batches)).toEqual(all.slice(1));
      expect(blocksOf(batches)).toEqual(blocks(start.block, last));
    });

    it('stops when the block is another one by now', async () => {
      const { start } = await begun();
      await anvilCall(direct, 'anvil_reorg', 6, []);
      const { reorgs, batches } = watch({ start });
      await until(() => reorgs.length > 0);
      expect(reorgs[0]).toMatchObject({ block: start.block, expectedHash: start.hash });
      expect(batches).toEqual([]);
    });
  });

  it('never hands over a batch before the one before it is done', async () => {
    await mine(direct, 150);
    proxy.setRule(refusingRanges(10n));
    let isBusy = false;
    const overlaps: LogBatch[] = [];
    const { watcher, batches } = watch({
      async onBatch(batch) {
        if (isBusy) overlaps.push(batch);
        isBusy = true;
        await head();
        batches.push(batch);
        isBusy = false;
      },
    });
    const last = (await head()) - 2n;
    await until(() => watcher.confirmedBlock() === last);
    expect(overlaps).toEqual([]);
    expect(batches.length).toBeGreaterThan(10);
    expect(blocksOf(batches)).toEqual(blocks(deployment.deployBlock, last));
  });

  it('tells how far it is behind before a slow endpoint has answered the first logs', async () => {
    let answer = () => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    proxy.setRule(async ({ method }, forward) => {
      if (method === 'eth_getLogs') await slow;
      return forward();
    });
    await mine(direct, 30);
    const { statuses } = watch();
    await until(() => statuses.length > 0, 'a status');
    const blocksToSync = (await head()) - 2n - deployment.deployBlock + 1n;
    expect(statuses).toMatchObject([{ status: 'syncing', blocksToSync }]);
    answer();
    await until(() => statuses.at(-1)?.status === 'ready', 'the logs are read');
  });

  it('asks for shorter ranges when an endpoint refuses long ones, and reports how far it is', async () => {
    const secret = await revealSecret();
    await mine(direct, 300);
    proxy.setRule(refusingRanges(20n));
    const { watcher, batches, statuses } = watch();
    const last = (await head()) - 2n;
    await until(() => watcher.confirmedBlock() === last);
    expect(blocksOf(batches)).toEqual(blocks(deployment.deployBlock, last));
    expect(secretsOf(batches)).toEqual([secret]);
    const left = statuses.filter(({ status }) => status === 'syncing').map((s) => s.blocksToSync);
    expect(left.length).toBeGreaterThan(10);
    expect(left).toEqual(left.toSorted((a, b) => Number(b - a)));
    await until(() => statuses.at(-1)?.status === 'ready');
    expect(statuses.at(-1)?.blocksToSync).toBe(0n);
  });

  it.each<[string, (logs: object[]) => object[]]>([
    ['that are not in the range', ([log]) => [{ ...log, blockNumber: '0x1' }]],
    ['of another contract', ([log]) => [{ ...log, address: anvilAccount(1).address }]],
    ['that were taken back', ([log]) => [{ ...log, removed: true }]],
    ['of another block', ([log]) => [{ ...log, blockHash: `0x${'12'.repeat(32)}` }]],
  ])('does not take logs %s, and asks again', async (_what, spoil) => {
    const secret = await revealSecret();
    const block = await head();
    proxy.setRule(async (call, forward) => {
      const answer = await forward();
      if (call.method !== 'eth_getLogs' || answer === 'cut the line') return answer;
      if ('error' in answer || !Array.isArray(answer.result)) return answer;
      return { result: spoil(answer.result) };
    });
    const { batches, statuses } = watch({ confirmations: 0n, start: { deployBlock: block } });
    await until(() => statuses.at(-1)?.status === 'unavailable');
    expect(batches).toEqual([]);
    proxy.setRule(null);
    await until(() => batches.length > 0);
    expect(secretsOf(batches)).toEqual([secret]);
  });
});

describe('the connection', () => {
  it('tells when the endpoint suddenly serves another chain', async () => {
    const others: bigint[] = [];
    const connection = await connectChain({
      rpcUrl: proxy.rpc,
      chainIdCheckMs: 10,
      onOtherChain: (chainId) => void others.push(chainId),
    });
    if (!connection.ok) throw new Error(connection.detail);
    proxy.setRule((call, forward) =>
      call.method === 'eth_chainId' ? Promise.resolve({ result: '0x1' }) : forward(),
    );
    await until(() => others.length > 0);
    connection.value.stop();
    expect(others).toEqual([1n]);
    expect(connection.value.chainId).toBe(31337n);
  });

  it('is refused with a code when nobody listens, without telling the address', async () => {
    await proxy.stop();
    const rpcUrl = `${proxy.rpc}/v1/secret-key`;
    const connection = await connectChain({ rpcUrl });
    expect(connection).toMatchObject({ ok: false, code: 'chain_unavailable' });
    expect(JSON.stringify(connection)).not.toContain('secret-key');
  });
});

function refusingRanges(longest: bigint): RpcRule {
  return async (call, forward) => {
    if (call.method !== 'eth_getLogs') return forward();
    const { fromBlock, toBlock, blockHash } = Object(call.params[0]);
    const isTooLong = !blockHash && BigInt(toBlock) - BigInt(fromBlock) >= longest;
    return isTooLong ? { error: { code: -32005, message: 'range too long' } } : forward();
  };
}

async function directAnswer(method: string, params: readonly unknown[]) {
  return { result: await anvilCall(direct, method, ...params) };
}
