import { encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import type { ChainLog } from '../../machines/events/chain.ts';
import { ZERO_HASH } from '../../src/basics/hex.ts';
import { tokenAbi, tokenNetworkAbi } from '../../src/chain/abi.ts';
import type { ChainCall, JobOutcome } from '../../src/chain/queue/jobs.ts';
import { createTransactions } from '../../src/chain/queue/transactions.ts';
import { createReads } from '../../src/chain/reads.ts';
import { createWatcher, type HeadStatus } from '../../src/chain/watch/watcher.ts';
import { closingDigest, EMPTY_SIGNATURE } from '../../src/protocol/channel/balance-proof.ts';
import { NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import { memoryStorage } from '../support/chain.ts';
import { until } from '../support/until.ts';
import { CHAIN_ID, SETTLE_TIMEOUT, type Simulated, START, startSimulated } from './simulated.ts';

/** The first owner has tokens to open a channel with. */
function startWorld(): Simulated {
  const world = startSimulated();
  world.chain.mint(world.token.address, world.own.address, 1_000n);
  world.mine();
  return world;
}

/** The node's own watcher and transaction queue of the first owner. */
function startNode({ chain, client, own }: Simulated) {
  const logs: ChainLog[] = [];
  const outcomes = new Map<string, JobOutcome>();
  const failures: unknown[] = [];
  let status: HeadStatus | null = null;
  const transactions = createTransactions({
    client,
    account: own,
    storage: memoryStorage(),
    confirmations: 2n,
    pollIntervalMs: 2,
    onTrouble() {},
    onEnded: (key, outcome) => void outcomes.set(key, outcome),
    onFailure: (error) => void failures.push(error),
  });
  const watcher = createWatcher({
    client,
    confirmations: 2n,
    start: { deployBlock: chain.deployBlock },
    pollIntervalMs: 2,
    registry: chain.contracts.tokenNetworkRegistryAddress,
    secretRegistry: chain.contracts.secretRegistryAddress,
    hasStake: () => true,
    onBatch: (batch) => void logs.push(...batch.logs),
    onHead: (head) => {
      status = head;
    },
    onDeepReorg: (reorg) => void failures.push(reorg),
    onFailure: (error) => void failures.push(error),
  });
  transactions.start();
  watcher.start();
  return {
    logs,
    outcomes,
    failures,
    transactions,
    status: (): HeadStatus | null => status,
    stop: () => Promise.all([transactions.stop(), watcher.stop()]),
  };
}
type Node = ReturnType<typeof startNode>;

/** The job's end, with as many blocks as it takes. */
async function done({ mine, chain }: Simulated, node: Node, key: string, calls: ChainCall[]) {
  node.transactions.submit({ key, calls, deadlineBlock: null });
  const isDone = () => node.outcomes.has(key) || node.failures.length > 0;
  while (!isDone()) {
    await until(() => isDone() || chain.pool.waiting().length > 0, `${key} is sent`);
    if (!isDone()) mine();
  }
  expect(node.failures).toEqual([]);
  expect(node.outcomes.get(key)).toMatchObject({ ok: true });
}

function approveCall({ token }: Simulated, amount: bigint): ChainCall {
  const args = [token.network, amount] as const;
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args });
  return { kind: 'approve', to: token.address, data };
}

function openCall({ token, own, partner }: Simulated, deposit: bigint): ChainCall {
  const args = [own.address, partner.address, SETTLE_TIMEOUT, deposit] as const;
  const functionName = 'openChannelWithDeposit';
  const data = encodeFunctionData({ abi: tokenNetworkAbi, functionName, args });
  return { kind: 'openChannel', to: token.network, data };
}

function closeCall({ token, own, partner }: Simulated): ChainCall {
  const proof = { balanceHash: ZERO_HASH, nonce: 0n, additionalHash: ZERO_HASH };
  const place = { chainId: BigInt(CHAIN_ID), tokenNetwork: token.network, channelId: 1n };
  const signature = own.sign(closingDigest({ ...place, ...proof }, EMPTY_SIGNATURE));
  const hashes = [ZERO_HASH, 0n, ZERO_HASH, EMPTY_SIGNATURE, signature] as const;
  const args = [1n, partner.address, own.address, ...hashes] as const;
  const functionName = 'closeChannel';
  const data = encodeFunctionData({ abi: tokenNetworkAbi, functionName, args });
  return { kind: 'close', to: token.network, data };
}

function settleCall({ token, own, partner }: Simulated): ChainCall {
  const nothing = [0n, 0n, NO_LOCKS_ROOT] as const;
  const args = [1n, own.address, ...nothing, partner.address, ...nothing] as const;
  const data = encodeFunctionData({ abi: tokenNetworkAbi, functionName: 'settleChannel', args });
  return { kind: 'settle', to: token.network, data };
}

describe("the node's own chain code on the simulated chain", () => {
  it('opens, closes and settles a channel, and hears of all of it', async () => {
    const world = startWorld();
    const node = startNode(world);
    const { chain, token, own } = world;
    await done(world, node, 'open', [approveCall(world, 100n), openCall(world, 100n)]);
    expect(chain.tokenBalance(token.address, own.address)).toBe(900n);
    expect(chain.channel(token.network, 1n)).toMatchObject({ state: 'opened' });
    await done(world, node, 'close', [closeCall(world)]);
    expect(chain.channel(token.network, 1n)).toMatchObject({ state: 'closed' });
    // The queue simulates on the newest block, not on the next one.
    world.mine(Number(SETTLE_TIMEOUT) + 1);
    await done(world, node, 'settle', [settleCall(world)]);
    expect(chain.channel(token.network, 1n)).toMatchObject({ state: 'removed' });
    expect(chain.tokenBalance(token.address, own.address)).toBe(1_000n);
    world.mine(2);
    await until(() => node.logs.length === 5, 'all logs are confirmed');
    expect(node.logs.map(({ type }) => type)).toEqual([
      'chain.tokenNetworkCreated',
      'chain.channelOpened',
      'chain.channelDeposit',
      'chain.channelClosed',
      'chain.channelSettled',
    ]);
    await node.stop();
    expect(node.failures).toEqual([]);
  });

  it('asks the contracts what it wants to know', async () => {
    const { chain, token, own, partner, client } = startWorld();
    const registry = chain.contracts.tokenNetworkRegistryAddress;
    const userDeposit = chain.contracts.userDepositAddress;
    chain.fillUserDeposit(own.address, 70n);
    const pair = [own.address, partner.address] as const;
    const deposits = { depositA: 30n, depositB: 12n, settleTimeout: SETTLE_TIMEOUT };
    const [id = 0n] = chain.openChannels(token.network, [{ pair, ...deposits }]);
    chain.mine(START + 100);
    const reads = createReads({ client, registry });
    const sides = { participant: partner.address, partner: own.address };
    expect({
      network: await reads.tokenNetworkOf(token.address),
      secrets: await reads.secretRegistryOf(),
      facts: await reads.tokenFacts(token.address),
      noFacts: await reads.tokenFacts(own.address),
      wei: await reads.nativeBalance(own.address),
      side: await reads.channelParticipant({
        tokenNetwork: token.network,
        channelId: id,
        ...sides,
      }),
      deposit: await reads.userDeposit(userDeposit, own.address),
      mint: await reads.mintMethod(own.address, {
        token: token.address,
        to: own.address,
        value: 5n,
      }),
    }).toMatchObject({
      network: { ok: true, value: token.network },
      secrets: { ok: true, value: chain.contracts.secretRegistryAddress },
      facts: { ok: true, value: { hasCode: true, isErc20: true, hasSupply: true } },
      noFacts: { ok: true, value: { hasCode: false, isErc20: false, hasSupply: false } },
      wei: { ok: true, value: 10n ** 18n },
      side: { ok: true, value: { deposit: 12n, withdrawn: 0n, isCloser: false, nonce: 0n } },
      deposit: { ok: true, value: { balance: 70n, totalDeposit: 70n, withdrawDelay: 100n } },
      mint: { ok: true, value: 'mintFor' },
    });
  });
});
