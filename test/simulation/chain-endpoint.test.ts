import { describe, expect, it } from 'vitest';
import { classify, isUnreachable } from '../../src/chain/errors.ts';
import { findNonceUse } from '../../src/chain/queue/outcomes.ts';
import { createReads } from '../../src/chain/reads.ts';
import { headerByNumber, headHeader } from '../../src/chain/watch/headers.ts';
import { logsOfReceipts } from '../../src/chain/watch/receipts.ts';
import { logsOfBlocks } from '../../src/chain/watch/sound-logs.ts';
import { eventTopic } from '../../src/simulation/chain/contracts/abi.ts';
import { createRpc } from '../../src/simulation/chain/rpc.ts';
import { mint, type Simulated, startSimulated } from './simulated.ts';

const MINTED = eventTopic('Minted(address,uint256)');

const balanceAt = ({ client, own }: Simulated) => client.getBalance({ address: own.address });

/** What a promise was rejected with. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

describe('a simulated endpoint', () => {
  it('answers what the chain knows', async () => {
    const world = startSimulated();
    const { client, chain, own, token } = world;
    const hash = await mint(world, own, 5n);
    const pending = { address: own.address, blockTag: 'pending' } as const;
    expect(await client.getTransactionCount(pending)).toBe(1);
    expect(await client.getTransactionCount({ address: own.address })).toBe(0);
    const { number } = world.mine();
    expect(await client.getBlockNumber()).toBe(number);
    expect(await client.getChainId()).toBe(chain.chainId);
    expect(await client.getTransactionCount({ address: own.address })).toBe(1);
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({
      status: 'success',
      blockNumber: number,
      transactionHash: hash,
      logs: [{ address: token.address.toLowerCase(), topics: [MINTED, {}, {}] }],
    });
    expect(await client.getTransaction({ hash })).toMatchObject({ nonce: 0, blockNumber: number });
  });

  it('gives headers, filters and receipts that the node takes as sound', async () => {
    const world = startSimulated();
    const { client, own, token } = world;
    await mint(world, own, 5n);
    world.mine();
    const head = await headHeader(client);
    const contracts = [{ address: token.address, topics: [MINTED] }];
    const logs = await logsOfBlocks(client, [head], { contracts });
    expect(logs).toHaveLength(1);
    expect(await logsOfReceipts(client, head)).toEqual(logs);
    expect((await headerByNumber(client, head.number - 1n)).hash).toBe(head.parentHash);
  });

  it('answers questions about the state at old blocks', async () => {
    const world = startSimulated();
    const { client, own, token } = world;
    const hash = await mint(world, own, 5n);
    const { number } = world.mine();
    world.mine(4);
    const head = world.chain.head().number;
    const reads = createReads({ client, registry: token.network });
    expect(await findNonceUse(client, own.address, 0, head)).toMatchObject({ hash });
    const before = await client.getBalance({ address: own.address, blockNumber: number - 1n });
    expect(before).toBe(10n ** 18n);
    expect(await reads.nativeBalance(own.address)).toMatchObject({ ok: true });
    expect(await balanceAt(world)).toBeLessThan(before);
  });

  it('can refuse transactions, long ranges of logs, and mix up receipts', async () => {
    const world = startSimulated();
    const { client, own, token, endpoint } = world;
    const first = await mint(world, own, 5n);
    world.mine();
    const second = await mint(world, own, 6n);
    world.mine();
    endpoint.faults.isRefusing = true;
    const call = { account: own.address, to: own.address, data: '0x' } as const;
    expect(classify(await failure(client.estimateGas(call)))).toBe('reverted');
    endpoint.faults.mostLogBlocks = 1n;
    const { address } = token;
    // Such an endpoint takes its time, so that nobody asks it for ever in one moment.
    const answered = async <T>(answer: Promise<T>) => {
      const held = answer.catch((error: unknown) => error);
      await Promise.resolve();
      while (world.scheduler.step());
      return held;
    };
    const twoBlocks = client.getLogs({ address, fromBlock: 1n, toBlock: 2n });
    expect(await answered(twoBlocks)).toBeInstanceOf(Error);
    const oneBlock = client.getLogs({ address, fromBlock: 1n, toBlock: 1n });
    expect(await answered(oneBlock)).toBeInstanceOf(Array);
    endpoint.faults.mostLogBlocks = null;
    endpoint.faults.isMixingReceipts = true;
    const mixed = await client.getTransactionReceipt({ hash: second });
    expect(mixed.transactionHash).toBe(first);
  });

  it('says why a call is refused, in the way that the node understands', async () => {
    const world = startSimulated();
    const { client, own, token } = world;
    const refused = await failure(
      client.estimateGas({ account: own.address, to: token.network, data: '0x12345678' }),
    );
    expect(classify(refused)).toBe('reverted');
    await mint(world, own, 1n);
    const again = await failure(mint(world, own, 1n, { nonce: 0 }));
    expect(String(again)).toContain('already known');
    expect(classify(await failure(client.getBlock({ blockNumber: 99n })))).toBe('unavailable');
  });

  it('may lag behind, and then answers truly for the block that it shows', async () => {
    const world = startSimulated();
    const { client, endpoint, own } = world;
    await mint(world, own, 5n);
    world.mine(3);
    endpoint.faults.lagBlocks = 3n;
    expect(await client.getBlockNumber()).toBe(world.chain.head().number - 3n);
    expect(await client.getTransactionCount({ address: own.address })).toBe(0);
    expect(await balanceAt(world)).toBe(10n ** 18n);
    endpoint.faults.lagBlocks = 0n;
    expect(await client.getTransactionCount({ address: own.address })).toBe(1);
  });

  it('may stand still', async () => {
    const world = startSimulated();
    world.endpoint.freeze();
    const frozen = world.chain.head().number;
    world.mine(3);
    expect(await world.client.getBlockNumber()).toBe(frozen);
    world.endpoint.thaw();
    expect(await world.client.getBlockNumber()).toBe(frozen + 3n);
  });

  it('may not answer, fail now and then, or be of another chain', async () => {
    const world = startSimulated();
    const { client, endpoint } = world;
    endpoint.faults.isUnreachable = true;
    expect(isUnreachable(await failure(client.getBlock()))).toBe(true);
    endpoint.faults.isUnreachable = false;
    endpoint.faults.failures = new Map([['eth_getBalance', 1]]);
    expect(classify(await failure(balanceAt(world)))).toBe('unavailable');
    expect(await client.getBlockNumber()).toBe(world.chain.head().number);
    endpoint.faults.otherChainId = 5;
    expect(await client.getChainId()).toBe(5);
  });

  it('may leave out logs and forget receipts', async () => {
    const world = startSimulated();
    const { client, endpoint, own } = world;
    const hash = await mint(world, own, 5n);
    const { number } = world.mine();
    endpoint.faults.missingLogs = { from: number, to: number };
    endpoint.faults.receiptsFromBlock = number + 1n;
    const logs = await client.getLogs({ fromBlock: 0n });
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual([1n]);
    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow('could not be found');
  });

  it('answers after its latency, in virtual time', async () => {
    const world = startSimulated();
    const { endpoint, scheduler, client } = world;
    endpoint.faults.latencyMs = 300;
    const start = scheduler.now();
    const answer = client.getBlockNumber();
    // The client asks in a later turn than the one that it is called in.
    await Promise.resolve();
    while (scheduler.step());
    expect(await answer).toBe(world.chain.head().number);
    expect(scheduler.now() - start).toBe(300);
  });

  it('answers hardhat_metadata only on a chain of development', () => {
    const { chain, rpc } = startSimulated();
    const ask = { method: 'hardhat_metadata' };
    expect(() => rpc.request(ask)).toThrow('does not exist');
    const development = createRpc(chain, { isDevelopment: true });
    expect(development.request(ask)).toEqual({ latestBlockNumber: 1 });
  });
});
