import { http } from 'viem';
import { foundry } from 'viem/chains';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Address, parseAddress } from '../../src/basics/hex.ts';
import { clientOver } from '../../src/chain/client.ts';
import { mintData } from '../../src/chain/mint.ts';
import type { JobOutcome } from '../../src/chain/queue/jobs.ts';
import { createTransactions } from '../../src/chain/queue/transactions.ts';
import { type ChainReads, createReads } from '../../src/chain/reads.ts';
import { type Deployment, deployContracts } from '../../src/contracts/deploy.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { compileSources } from '../../src/contracts/solidity.ts';
import { type Clients, confirmed } from '../../src/contracts/transact.ts';
import { anvilAccount, memoryStorage, mine } from '../support/chain.ts';
import { connectedEvm } from '../support/evm.ts';
import { good } from '../support/network.ts';
import { until } from '../support/until.ts';

const LIMIT = 1_000n;
let chain: Awaited<ReturnType<typeof connectedEvm>>;
let clients: Clients;
let deployment: Deployment;
let reads: ChainReads;

beforeAll(async () => {
  chain = await connectedEvm();
  clients = chain.clients;
  deployment = await deployContracts(clients, { userDepositLimit: LIMIT });
  reads = createReads({
    client: chain.client,
    registry: deployment.tokenNetworkRegistryAddress,
  });
});

const read = async (owner: Address) =>
  good(await reads.userDeposit(deployment.userDepositAddress, owner));

/** Takes the order to mint in one way only; the others answer `false`, revert, or use up all gas. */
const TOKENS = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract Mints {
    mapping(address owner => uint256) public balanceOf;
    function mint(address to, uint256 value) external { balanceOf[to] += value; }
    function mintFor(uint256, address) external pure { revert(); }
}
contract Increases {
    mapping(address owner => uint256) public balanceOf;
    function mint(address, uint256) external pure returns (bool) { return false; }
    function mintFor(uint256, address) external pure { assembly { invalid() } }
    function increaseSupply(uint256 value, address to) external returns (bool) {
        balanceOf[to] += value;
        return true;
    }
}
contract Owned {
    address private immutable owner = msg.sender;
    function mint(address, uint256) external view { require(msg.sender == owner, "not the owner"); }
}`;

describe('the way to mint', () => {
  const stranger = anvilAccount(8).address;
  const order = { to: stranger, value: 5n };
  let tokens: ReturnType<typeof compileSources> | null = null;
  /** Once for all: it takes a moment. */
  const compiled = () => {
    tokens ??= compileSources({ name: 'Tokens.sol', content: TOKENS });
    return tokens;
  };

  async function deployed(name: string): Promise<Address> {
    const contract = compiled().get(name);
    if (contract === undefined) throw new Error(`there is no ${name}`);
    const { bytecode } = contract;
    const hash = await clients.wallet.deployContract({ abi: [], bytecode });
    const address = parseAddress((await confirmed(clients, hash, name)).contractAddress);
    if (address === null) throw new Error(`${name} was not created`);
    return address;
  }

  it.each([
    ['Mints', 'mint'],
    ['Increases', 'increaseSupply'],
  ])('of the token %s is %s, and mints', async (name, way) => {
    const token = await deployed(name);
    const method = good(await reads.mintMethod(stranger, { token, ...order }));
    expect(method).toBe(way);
    const data = mintData({ method, ...order });
    await confirmed(clients, await clients.wallet.sendTransaction({ to: token, data }), 'mint');
    const of = { address: token, abi: customTokenAbi, functionName: 'balanceOf' } as const;
    expect(await chain.client.readContract({ ...of, args: [stranger] })).toBe(5n);
  });

  it('of the test token is mintFor', async () => {
    const token = deployment.serviceTokenAddress;
    expect(good(await reads.mintMethod(stranger, { token, ...order }))).toBe('mintFor');
  });

  it('of a token that only its owner may mint is found for the owner alone', async () => {
    const token = await deployed('Owned');
    const { address: owner } = clients.wallet.account;
    expect(good(await reads.mintMethod(owner, { token, ...order }))).toBe('mint');
    expect(await reads.mintMethod(stranger, { token, ...order })).toMatchObject({
      ok: false,
      code: 'mint_failed',
    });
  });

  it('is not known when the endpoint does not answer', async () => {
    const nobody = http('http://127.0.0.1:9', { retryCount: 0 });
    const client = clientOver(foundry.id, { plain: nobody, bulk: nobody });
    const silent = createReads({ client, registry: stranger });
    expect(await silent.mintMethod(stranger, { token: stranger, ...order })).toMatchObject({
      ok: false,
      code: 'chain_unavailable',
    });
  });
});

describe('a job that is without effect before a block', () => {
  it('is sent when that block is the newest, and not before', async () => {
    const account = anvilAccount(7);
    const outcomes: JobOutcome[] = [];
    const queue = createTransactions({
      client: chain.client,
      account,
      storage: memoryStorage(),
      confirmations: 1n,
      onEnded: (_, outcome) => void outcomes.push(outcome),
      onFailure: (error) => {
        throw error;
      },
      onTrouble() {},
      pollIntervalMs: 30,
    });
    const before = await chain.client.getBlockNumber({ cacheTime: 0 });
    const call = { kind: 'userDepositWithdraw', to: account.address, data: '0x' } as const;
    const job = { key: 'k', calls: [call], deadlineBlock: null };
    queue.submit({ ...job, notBeforeBlock: before + 2n });
    queue.submit({ ...job, key: 'free' });
    queue.start();
    await until(() => outcomes.length === 1, 'the job that need not wait is mined');
    expect(await chain.client.getBlockNumber({ cacheTime: 0 })).toBe(before + 1n);
    await mine(chain, 1);
    await until(() => outcomes.length === 2, 'the other is mined');
    expect(outcomes).toMatchObject([
      { ok: true, minedBlock: before + 1n },
      { ok: true, minedBlock: before + 3n },
    ]);
    await queue.stop();
  });
});

describe('the read of the user deposit', () => {
  it('tells what the contract holds, what is planned to leave, and what it still takes', async () => {
    const { address: own } = clients.wallet.account;
    const { userDepositAddress: contract, serviceTokenAddress: token } = deployment;
    const before = await read(own);
    const nothing = { balance: 0n, totalDeposit: 0n, planned: 0n, withdrawBlock: 0n };
    expect(before).toMatchObject({ contract, token, ...nothing, effectiveBalance: 0n });
    expect(before).toMatchObject({ room: LIMIT, withdrawDelay: 100n });

    const at = { address: contract, abi: userDepositAbi } as const;
    await clients.wallet.writeContract({
      address: token,
      abi: customTokenAbi,
      functionName: 'approve',
      args: [contract, 70n],
    });
    await clients.wallet.writeContract({ ...at, functionName: 'deposit', args: [own, 70n] });
    const hash = await clients.wallet.writeContract({
      ...at,
      functionName: 'planWithdraw',
      args: [30n],
    });
    const { blockNumber: block } = await confirmed(clients, hash, 'a plan');
    expect(await read(own)).toEqual({
      contract,
      token,
      block,
      balance: 70n,
      totalDeposit: 70n,
      planned: 30n,
      withdrawBlock: block + 100n,
      effectiveBalance: 40n,
      room: LIMIT - 70n,
      withdrawDelay: 100n,
      ownTokens: before.ownTokens - 70n,
    });
  });

  it('answers with a code when there is no such contract', async () => {
    const { secretRegistryAddress } = deployment;
    expect(await reads.userDeposit(secretRegistryAddress, secretRegistryAddress)).toMatchObject({
      ok: false,
      code: 'chain_unavailable',
    });
  });
});
