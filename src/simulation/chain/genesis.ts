/** A simulated chain with all contracts deployed, and ways to set up large networks on it quickly. */

import { getContractAddress } from 'viem';
import { placeOfChannel } from '../../../machines/base/actor-ids.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import { CONTRACTS_VERSION } from '../../contracts/deploy.ts';
import type { ContractAddresses } from '../../node/runtime/parts.ts';
import { LEAST_SETTLE_TIMEOUT } from '../../protocol/channel/expiration.ts';
import { createChain } from './chain.ts';
import { callData } from './contracts/abi.ts';
import { type Recover, tokenAt, UNLIMITED } from './contracts/contract.ts';
import { createCustomToken } from './contracts/custom-token.ts';
import { createMonitoringService } from './contracts/monitoring-service.ts';
import { createOneToN } from './contracts/one-to-n.ts';
import { createSecretRegistry } from './contracts/secret-registry.ts';
import { createServiceRegistry, type RegistrationTerms } from './contracts/service-registry.ts';
import type { ChannelFacts } from './contracts/token-network.ts';
import { createTokenNetworkRegistry } from './contracts/token-network-registry.ts';
import { createUserDeposit } from './contracts/user-deposit.ts';
import { createMachine } from './machine.ts';
import { CALM, type Weather } from './market.ts';
import { createSetup, FAUCET } from './setup.ts';

export type GenesisOptions = {
  chainId: number;
  /** Time of the first block after the genesis, in seconds since 1970. */
  time: number;
  /** Number of the first block after the genesis, default 1. */
  startBlock?: bigint;
  accounts: readonly { address: Address; wei: bigint }[];
  /** The tokens, each with a token network. Limits in the token's smallest unit, default none. */
  tokens: readonly TokenOptions[];
  recover: Recover;
  /** Deploys the contracts; their addresses follow from its address, as on any chain. */
  deployer?: Address;
  /** Blocks. */
  settleTimeoutMin?: bigint;
  settleTimeoutMax?: bigint;
  maxTokenNetworks?: bigint;
  /** Units of the service token in all user deposits together. */
  userDepositLimit?: bigint;
  service?: RegistrationTerms;
  /** Wei per unit of gas, and gas of one block. */
  baseFee?: bigint;
  gasLimit?: bigint;
  weather?: Weather;
};
export type TokenOptions = {
  symbol: string;
  /** Default 18. */
  decimals?: number;
  /** Smallest units that the deployer gets, default 1: a token without supply cannot be registered. */
  initialSupply?: bigint;
  participantLimit?: bigint;
  networkLimit?: bigint;
  /** Gas that it burns whenever a contract pays it out, default none. */
  burns?: number;
};
export type SimulatedChain = ReturnType<typeof createSimulatedChain>;

const DEPLOYER: Address = '0xdE00000000000000000000000000000000000000';
const FAUCET_WEI = 10n ** 40n;
/** Number of the deployer's transactions before the first token, as in `deployContracts`. */
const FIRST_TOKEN = 8;
const DAY = 86_400n;
const SERVICE_TERMS: RegistrationTerms = {
  initialPrice: 1_000n * 10n ** 18n,
  minPrice: 100n * 10n ** 18n,
  priceBumpNumerator: 5n,
  priceBumpDenominator: 4n,
  decayConstant: 200n * DAY,
  registrationDuration: 180n * DAY,
};

/** The chain begins with one block after the genesis, in which the token networks were registered. */
export function createSimulatedChain(options: GenesisOptions) {
  const { chainId, time, recover, startBlock = 1n, deployer = DEPLOYER } = options;
  const machine = createMachine({ chainId: BigInt(chainId), recover });
  machine.stand(startBlock - 1n, BigInt(time));
  const parts = deploy(machine, options, deployer);
  for (const { address, wei } of options.accounts) machine.wei.set(address, wei);
  machine.wei.set(FAUCET, FAUCET_WEI);
  machine.nonces.set(deployer, FIRST_TOKEN + 2 * options.tokens.length);
  const chain = createChain({
    machine,
    firstNumber: startBlock - 1n,
    timestamp: BigInt(time) - 1n,
    baseFee: options.baseFee ?? 10n ** 9n,
    gasLimit: options.gasLimit ?? 30_000_000n,
    weather: options.weather ?? CALM,
  });
  const { addresses, registry, secrets } = parts;
  for (const [at, { participantLimit, networkLimit }] of options.tokens.entries()) {
    const limits = [participantLimit ?? UNLIMITED, networkLimit ?? UNLIMITED];
    const token = parts.tokens[at] ?? deployer;
    const register = 'createERC20TokenNetwork(address,uint256,uint256)';
    const data = callData(register, token, ...limits);
    chain.setUp({ from: deployer, to: registry.address, data, value: 0n });
  }
  chain.mine(time);
  const token = (address: Address) => tokenAt(machine.world, address);

  return {
    ...chain,
    ...createSetup(chain, {
      userDeposit: addresses.userDepositAddress,
      serviceToken: parts.serviceToken,
      networkAt: registry.network,
    }),
    /** Addresses for the settings of nodes. `deployBlock`: the first block with logs of the contracts. */
    contracts: addresses,
    serviceToken: parts.serviceToken,
    deployBlock: startBlock,
    /** In the order of the options. */
    tokens: parts.tokens.map((address) => ({ address, network: registry.networkOf(address) })),
    /** A token balance in smallest units, at the newest block. */
    tokenBalance: (address: Address, owner: Address): bigint => token(address).balanceOf(owner),
    /** All units of the token that were ever minted. */
    minted: (address: Address): bigint => token(address).totalSupply(),
    /** The channel's state in the contract; null: it was never opened. */
    channel: (tokenNetwork: Address, id: bigint): ChannelFacts | null =>
      registry.network(tokenNetwork)?.channel(id) ?? null,
    /** The same by the id of its actor. */
    channelOf(actor: string): ChannelFacts | null {
      const place = placeOfChannel(actor);
      if (place === null) return null;
      return registry.network(place.tokenNetwork)?.channel(place.channelId) ?? null;
    },
    /** The identifier of the pair's present channel; 0n: there is none. */
    channelId: (tokenNetwork: Address, [a, b]: readonly [Address, Address]): bigint =>
      registry.network(tokenNetwork)?.identifierOf(a, b) ?? 0n,
    channelCount: (tokenNetwork: Address): bigint =>
      registry.network(tokenNetwork)?.channelCount() ?? 0n,
    /** What the owner has in the user-deposit contract, in units of the service token. */
    userDepositOf: parts.deposits.accountOf,
    /** The block in which the secret was registered; null: it was not. */
    secretBlock(secrethash: Hash): bigint | null {
      const block = secrets.registeredAt(secrethash);
      return block === 0n ? null : block;
    },
  };
}

type Machine = ReturnType<typeof createMachine>;

/** Deploys in the order of `deployContracts`, so that the same deployer gets the same addresses. */
function deploy({ world, contracts }: Machine, options: GenesisOptions, deployer: Address) {
  const place = (nonce: number) => getContractAddress({ from: deployer, nonce: BigInt(nonce) });
  const { settleTimeoutMin = LEAST_SETTLE_TIMEOUT, settleTimeoutMax = 100_000n } = options;
  const { maxTokenNetworks = 1_000n, userDepositLimit = UNLIMITED } = options;
  const owned = { owner: deployer, initialSupply: 10n ** 25n, decimals: 18 };
  const secrets = createSecretRegistry(world, place(0));
  const serviceNames = { name: 'Service Token', symbol: 'SVT' };
  const serviceToken = createCustomToken(world, place(1), { ...owned, ...serviceNames });
  const token = serviceToken.address;
  contracts.set(token, serviceToken);
  const limits = { settleTimeoutMin, settleTimeoutMax, maxTokenNetworks };
  const terms = { secretRegistry: secrets, ...limits, controller: deployer };
  const registry = createTokenNetworkRegistry(world, place(2), terms);
  const service = { token, controller: deployer, terms: options.service ?? SERVICE_TERMS };
  const services = createServiceRegistry(world, place(3), service);
  const deposits = createUserDeposit(world, place(4), { token, limit: userDepositLimit });
  const trusted = { token, services, deposits, networks: registry };
  const monitoring = createMonitoringService(world, place(5), trusted);
  const oneToN = createOneToN(world, place(6), { deposits, services });
  for (const one of [secrets, registry, services, deposits, monitoring, oneToN])
    contracts.set(one.address, one);
  deposits.init(monitoring.address, oneToN.address);
  const tokens = options.tokens.map(({ symbol, decimals = 18, initialSupply = 1n, burns }, at) => {
    const names = { name: symbol, symbol, decimals, initialSupply, burns: burns ?? 0 };
    const created = createCustomToken(world, place(FIRST_TOKEN + 2 * at), { ...owned, ...names });
    contracts.set(created.address, created);
    return created.address;
  });
  const addresses = {
    contractsVersion: CONTRACTS_VERSION,
    tokenNetworkRegistryAddress: registry.address,
    secretRegistryAddress: secrets.address,
    serviceRegistryAddress: services.address,
    userDepositAddress: deposits.address,
    monitoringServiceAddress: monitoring.address,
    oneToNAddress: oneToN.address,
  } satisfies ContractAddresses;
  return { addresses, registry, secrets, deposits, tokens, serviceToken: token };
}
