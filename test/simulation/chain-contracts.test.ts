import { type Abi, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { monitoringServiceAbi } from '../../src/contracts/generated/MonitoringService.ts';
import { oneToNAbi } from '../../src/contracts/generated/OneToN.ts';
import { secretRegistryAbi } from '../../src/contracts/generated/SecretRegistry.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { tokenNetworkRegistryAbi } from '../../src/contracts/generated/TokenNetworkRegistry.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { createSimulatedChain } from '../../src/simulation/chain/genesis.ts';

const chain = createSimulatedChain({
  chainId: 1,
  time: 1,
  accounts: [],
  recover: () => null,
  tokens: [{ symbol: 'TTT' }],
});
const [token] = chain.tokens;
const { contracts } = chain;

describe('the simulated contracts', () => {
  it.each<[string, Abi, string | undefined]>([
    ['token', customTokenAbi, token?.address],
    ['token network', tokenNetworkAbi, token?.network],
    ['token network registry', tokenNetworkRegistryAbi, contracts.tokenNetworkRegistryAddress],
    ['secret registry', secretRegistryAbi, contracts.secretRegistryAddress],
    ['user deposit', userDepositAbi, contracts.userDepositAddress],
    ['service registry', serviceRegistryAbi, contracts.serviceRegistryAddress],
    ['monitoring service', monitoringServiceAbi, contracts.monitoringServiceAddress],
    ['one-to-n', oneToNAbi, contracts.oneToNAddress],
  ])('offer every function of the %s', (_, abi, address) => {
    const methods = chain.machine.contracts.get(address ?? '')?.methods;
    const functions = abi.filter((item) => item.type === 'function');
    const missing = functions.filter((item) => !methods?.has(toFunctionSelector(item)));
    expect(missing.map(({ name }) => name)).toEqual([]);
    expect(methods?.size).toBe(functions.length);
  });
});
