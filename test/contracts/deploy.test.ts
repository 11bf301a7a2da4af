import { createPublicClient, createWalletClient } from 'viem';
import { foundry } from 'viem/chains';
import { beforeAll, describe, expect, it } from 'vitest';
import { isChecksummed } from '../../src/basics/hex.ts';
import { deployContracts } from '../../src/contracts/deploy.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { oneToNAbi } from '../../src/contracts/generated/OneToN.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { tokenNetworkRegistryAbi } from '../../src/contracts/generated/TokenNetworkRegistry.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { deployToken, mintTokens, registerNewToken } from '../../src/contracts/tokens.ts';
import type { Clients } from '../../src/contracts/transact.ts';
import { startEvm } from '../support/evm.ts';
import { person } from './chain.ts';

const WHOLE = 10n ** 18n;

let clients: Clients;

beforeAll(async () => {
  const transport = await startEvm(foundry.id);
  clients = {
    public: createPublicClient({ chain: foundry, transport }),
    wallet: createWalletClient({ chain: foundry, transport, account: person(0) }),
  };
});

describe('deploying the contracts', () => {
  it('connects the contracts with each other and reports its progress', async () => {
    const told: string[] = [];
    const deployed = await deployContracts(clients, { onProgress: (text) => told.push(text) });
    const { contractsVersion, deployBlock, ...addresses } = deployed;
    expect(contractsVersion).toBe('0.40.0');
    expect(deployBlock).toBe(1n);
    expect(Object.values(addresses).every(isChecksummed)).toBe(true);
    expect(new Set(Object.values(addresses)).size).toBe(7);
    expect(told.length).toBe(5);

    const userDeposit = { address: deployed.userDepositAddress, abi: userDepositAbi } as const;
    const read = clients.public.readContract;
    expect(await read({ ...userDeposit, functionName: 'msc_address' })).toBe(
      deployed.monitoringServiceAddress,
    );
    expect(await read({ ...userDeposit, functionName: 'one_to_n_address' })).toBe(
      deployed.oneToNAddress,
    );
    expect(await read({ ...userDeposit, functionName: 'token' })).toBe(
      deployed.serviceTokenAddress,
    );
    const oneToN = { address: deployed.oneToNAddress, abi: oneToNAbi } as const;
    expect(await read({ ...oneToN, functionName: 'chain_id' })).toBe(31_337n);
    const services = { address: deployed.serviceRegistryAddress, abi: serviceRegistryAbi } as const;
    expect(await read({ ...services, functionName: 'controller' })).toBe(person(0).address);
    const registry = {
      address: deployed.tokenNetworkRegistryAddress,
      abi: tokenNetworkRegistryAbi,
    } as const;
    expect(await read({ ...registry, functionName: 'max_token_networks' })).toBe(2n);
    expect(await read({ ...registry, functionName: 'settlement_timeout_min' })).toBe(40n);
    expect(await read({ ...registry, functionName: 'settlement_timeout_max' })).toBe(100_000n);
  });

  it('takes a service token that exists, and other terms', async () => {
    const serviceTokenAddress = await deployToken(clients, { name: 'Mine', symbol: 'MIN' });
    const deployed = await deployContracts(clients, {
      serviceTokenAddress,
      service: { initialPrice: 5_000n, minPrice: 5_000n },
    });
    expect(deployed.serviceTokenAddress).toBe(serviceTokenAddress);
    const price = await clients.public.readContract({
      address: deployed.serviceRegistryAddress,
      abi: serviceRegistryAbi,
      functionName: 'currentPrice',
    });
    expect(price).toBe(5_000n);
  });

  it('rejects when the chain refuses a contract', async () => {
    await expect(deployContracts(clients, { maxTokenNetworks: 0n })).rejects.toThrow(
      'TNR: invalid TN limit',
    );
  });
});

describe('a test token', () => {
  it('is minted for anybody and gets a network with the usual limits', async () => {
    const { tokenNetworkRegistryAddress } = await deployContracts(clients);
    const token = await deployToken(clients, { name: 'Six', symbol: 'SIX', decimals: 6 });
    const owner = person(3).address;
    await mintTokens(clients, token, owner, 123n);
    const read = clients.public.readContract;
    const custom = { address: token, abi: customTokenAbi } as const;
    expect(await read({ ...custom, functionName: 'balanceOf', args: [owner] })).toBe(123n);
    expect(await read({ ...custom, functionName: 'totalSupply' })).toBe(10n ** 24n + 123n);
    expect(await read({ ...custom, functionName: 'decimals' })).toBe(6);
    expect(await read({ ...custom, functionName: 'symbol' })).toBe('SIX');
    const network = {
      address: await registerNewToken(clients, tokenNetworkRegistryAddress, token),
      abi: tokenNetworkAbi,
    } as const;
    expect(await read({ ...network, functionName: 'token' })).toBe(token);
    expect(await read({ ...network, functionName: 'channel_participant_deposit_limit' })).toBe(
      1_000n * WHOLE,
    );
    expect(await read({ ...network, functionName: 'token_network_deposit_limit' })).toBe(
      1_000_000n * WHOLE,
    );
    await expect(registerNewToken(clients, tokenNetworkRegistryAddress, token)).rejects.toThrow(
      'TNR: token already registered',
    );
  });
});
