/** Who takes part in a token network, read through an endpoint that may refuse. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/chain/abi.ts';
import type { ChainConnection } from '../../src/chain/client.ts';
import { createParticipants } from '../../src/chain/watch/participants.ts';
import { type Deployment, deployContracts } from '../../src/contracts/deploy.ts';
import { deployToken, registerNewToken } from '../../src/contracts/tokens.ts';
import { type Clients, confirmed } from '../../src/contracts/transact.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { anvilAccount, clientsFor, connected, mine } from '../support/chain.ts';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';

let anvil: Anvil;
let proxy: RpcProxy;
let direct: ChainConnection;
let watched: ChainConnection;
let clients: Clients;
let deployment: Deployment;
let network: Address;
/** The last block of the first two channels; the third comes later. */
let early: bigint;
let late: bigint;

const peer = (index: number) => anvilAccount(index).address;

beforeAll(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.rpc);
  direct = await connected(anvil.rpc);
  watched = await connected(proxy.rpc);
  clients = clientsFor(anvil.rpc, direct, anvilAccount(0));
  deployment = await deployContracts(clients);
  const token = await deployToken(clients, { name: 'Test', symbol: 'TTA' });
  network = await registerNewToken(clients, deployment.tokenNetworkRegistryAddress, token);
  await open(1, 2);
  await mine(direct, 30);
  early = await open(2, 3);
  await mine(direct, 60);
  late = await open(4, 5);
});
beforeEach(() => {
  proxy.setRule(null);
  proxy.calls.length = 0;
});
afterAll(async () => {
  watched.stop();
  direct.stop();
  await proxy.stop();
  await anvil.stop();
});

async function open(first: number, second: number): Promise<bigint> {
  const hash = await clients.wallet.writeContract({
    address: network,
    abi: tokenNetworkAbi,
    functionName: 'openChannel',
    args: [peer(first), peer(second), 40n],
  });
  return (await confirmed(clients, hash, 'opening')).blockNumber;
}
const participants = () =>
  createParticipants({ client: watched.client, deployBlock: deployment.deployBlock });
const all = (...indexes: number[]) => ({
  ok: true,
  value: expect.toSatisfy((value: Address[]) => {
    expect(value.toSorted()).toEqual(indexes.map(peer).sort());
    return true;
  }),
});
/** The endpoint gives logs of so many blocks at most; answers the ranges that it gave. */
function giveAtMost(blocks: bigint): (readonly [bigint, bigint])[] {
  const given: (readonly [bigint, bigint])[] = [];
  proxy.setRule(async ({ method, params: [filter] }, forward) => {
    if (method !== 'eth_getLogs') return forward();
    const [fromBlock, toBlock] = [BigInt(Object(filter).fromBlock), BigInt(Object(filter).toBlock)];
    if (toBlock - fromBlock >= blocks) return { error: { code: -32005, message: 'too long' } };
    given.push([fromBlock, toBlock]);
    return forward();
  });
  return given;
}

describe('the participants of a token network', () => {
  it('are both sides of every channel up to the block', async () => {
    const found = participants();
    expect(await found.of(network, early)).toEqual(all(1, 2, 3));
    expect(await found.of(network, late)).toEqual(all(1, 2, 3, 4, 5));
  });

  it('are read in ranges that the endpoint gives, and each block once', async () => {
    const found = participants();
    const given = giveAtMost(20n);
    expect(await found.of(network, late)).toEqual(all(1, 2, 3, 4, 5));
    expect(given.length).toBeGreaterThan(4);
    let next = deployment.deployBlock;
    for (const [fromBlock, toBlock] of given) {
      expect(fromBlock).toBe(next);
      next = toBlock + 1n;
    }
    expect(next).toBe(late + 1n);
    proxy.calls.length = 0;
    expect(await found.of(network, late)).toEqual(all(1, 2, 3, 4, 5));
    expect(proxy.calls).toEqual([]);
  });

  it('are unknown while the endpoint does not answer, and known when it answers again', async () => {
    const found = participants();
    proxy.setRule(async ({ method }, forward) =>
      method === 'eth_getLogs' ? 'cut the line' : forward(),
    );
    expect(await found.of(network, late)).toMatchObject({ ok: false, code: 'chain_unavailable' });
    proxy.setRule(null);
    expect(await found.of(network, late)).toEqual(all(1, 2, 3, 4, 5));
  });

  it('are not taken from logs of another contract', async () => {
    proxy.setRule(async ({ method }, forward) => {
      const answer = await forward();
      if (method !== 'eth_getLogs' || typeof answer === 'string' || 'error' in answer)
        return answer;
      const logs: unknown[] = Array.isArray(answer.result) ? answer.result : [];
      return { result: logs.map((log) => ({ ...Object(log), address: peer(9) })) };
    });
    expect(await participants().of(network, late)).toMatchObject({ code: 'chain_unavailable' });
  });
});
