/** Deploys one complete set of contracts. */
import { type Abi, type Hash, type Hex, maxUint256 } from 'viem';
import { type Address, parseAddress } from '../basics/hex.ts';
import { LEAST_SETTLE_TIMEOUT } from '../protocol/channel/expiration.ts';
import { customTokenAbi, customTokenBytecode } from './generated/CustomToken.ts';
import { monitoringServiceAbi, monitoringServiceBytecode } from './generated/MonitoringService.ts';
import { oneToNAbi, oneToNBytecode } from './generated/OneToN.ts';
import { secretRegistryAbi, secretRegistryBytecode } from './generated/SecretRegistry.ts';
import { serviceRegistryAbi, serviceRegistryBytecode } from './generated/ServiceRegistry.ts';
import {
  tokenNetworkRegistryAbi,
  tokenNetworkRegistryBytecode,
} from './generated/TokenNetworkRegistry.ts';
import { userDepositAbi, userDepositBytecode } from './generated/UserDeposit.ts';
import { type Clients, confirmed } from './transact.ts';

/** The generation whose interface these contracts have. */
export const CONTRACTS_VERSION = '0.40.0';

export type DeployOptions = {
  /** Blocks; default: what the shortest safe reveal timeout demands. */
  settleTimeoutMin?: bigint;
  /** Blocks, default 100,000. */
  settleTimeoutMax?: bigint;
  /** Default 2; 2^256 - 1 means no limit, and then no deposit limits either. */
  maxTokenNetworks?: bigint;
  /** The token that services are paid in; absent: a new one of 18 decimals, 10^25 units for the deployer. */
  serviceTokenAddress?: Address;
  /** Units of the service token in all user deposits together, default unlimited. */
  userDepositLimit?: bigint;
  service?: Partial<ServiceTerms>;
  /** Called with a sentence for each step. */
  onProgress?: (text: string) => void;
};

/** What a registration in the ServiceRegistry costs: units of the service token, and seconds. */
type ServiceTerms = {
  initialPrice: bigint;
  minPrice: bigint;
  priceBumpNumerator: bigint;
  priceBumpDenominator: bigint;
  decayConstant: bigint;
  registrationDuration: bigint;
};

/** The object of `GET /contracts`, the service token, and the block before which nothing happened. */
export type Deployment = {
  contractsVersion: string;
  tokenNetworkRegistryAddress: Address;
  secretRegistryAddress: Address;
  serviceRegistryAddress: Address;
  userDepositAddress: Address;
  monitoringServiceAddress: Address;
  oneToNAddress: Address;
  serviceTokenAddress: Address;
  deployBlock: bigint;
};

type Creation = { name: string; abi: Abi; bytecode: Hex; args: readonly unknown[] };

const DAY = 86_400n;
const SERVICE_TERMS: ServiceTerms = {
  initialPrice: 1_000n * 10n ** 18n,
  minPrice: 100n * 10n ** 18n,
  priceBumpNumerator: 5n,
  priceBumpDenominator: 4n,
  decayConstant: 200n * DAY,
  registrationDuration: 180n * DAY,
};

/** Creates contracts that do not depend on each other, with one wait for all of them. */
async function create(clients: Clients, creations: readonly Creation[]): Promise<Address[]> {
  const { address } = clients.wallet.account;
  const first = await clients.public.getTransactionCount({ address, blockTag: 'pending' });
  const hashes: Hash[] = [];
  for (const [i, { abi, bytecode, args }] of creations.entries()) {
    hashes.push(await clients.wallet.deployContract({ abi, bytecode, args, nonce: first + i }));
  }
  const receipts = hashes.map((hash, i) =>
    confirmed(clients, hash, `deploy ${creations[i]?.name}`),
  );
  return (await Promise.all(receipts)).map(({ contractAddress, transactionHash }) => {
    const created = parseAddress(contractAddress);
    if (created === null) throw new Error(`transaction ${transactionHash} created no contract`);
    return created;
  });
}

async function createOne(clients: Clients, creation: Creation): Promise<Address> {
  const [created] = await create(clients, [creation]);
  if (created === undefined) throw new Error(`${creation.name} was not created`);
  return created;
}

function serviceToken(): Creation {
  const args = [10n ** 25n, 18, 'Service Token', 'SVT'];
  return { name: 'CustomToken', abi: customTokenAbi, bytecode: customTokenBytecode, args };
}

function secretRegistry(): Creation {
  return {
    name: 'SecretRegistry',
    abi: secretRegistryAbi,
    bytecode: secretRegistryBytecode,
    args: [],
  };
}

function tokenNetworkRegistry(secretRegistryAddress: Address, options: DeployOptions): Creation {
  const {
    settleTimeoutMin = LEAST_SETTLE_TIMEOUT,
    settleTimeoutMax = 100_000n,
    maxTokenNetworks = 2n,
  } = options;
  return {
    name: 'TokenNetworkRegistry',
    abi: tokenNetworkRegistryAbi,
    bytecode: tokenNetworkRegistryBytecode,
    args: [secretRegistryAddress, settleTimeoutMin, settleTimeoutMax, maxTokenNetworks],
  };
}

function serviceRegistry(token: Address, controller: Address, terms: ServiceTerms): Creation {
  return {
    name: 'ServiceRegistry',
    abi: serviceRegistryAbi,
    bytecode: serviceRegistryBytecode,
    args: [
      token,
      controller,
      terms.initialPrice,
      terms.priceBumpNumerator,
      terms.priceBumpDenominator,
      terms.decayConstant,
      terms.minPrice,
      terms.registrationDuration,
    ],
  };
}

function userDeposit(token: Address, limit: bigint): Creation {
  const args = [token, limit];
  return { name: 'UserDeposit', abi: userDepositAbi, bytecode: userDepositBytecode, args };
}

function monitoringService(...args: [Address, Address, Address, Address]): Creation {
  return {
    name: 'MonitoringService',
    abi: monitoringServiceAbi,
    bytecode: monitoringServiceBytecode,
    args,
  };
}

function oneToN(deposit: Address, chainId: number, registry: Address): Creation {
  const args = [deposit, BigInt(chainId), registry];
  return { name: 'OneToN', abi: oneToNAbi, bytecode: oneToNBytecode, args };
}

async function createAll(
  clients: Clients,
  creations: readonly [Creation, Creation, ...Creation[]],
): Promise<[Address, Address, ...Address[]]> {
  const [one, two, ...others] = await create(clients, creations);
  if (one === undefined || two === undefined) throw new Error('fewer contracts than creations');
  return [one, two, ...others];
}

/**
 * Deploys the six contracts (and a service token unless one is given) and initialises the user deposit. The wallet's
 * account becomes the controller. Rejects with viem's error when the chain refuses; the contracts that were created
 * until then stay on chain unused.
 */
export async function deployContracts(
  clients: Clients,
  options: DeployOptions = {},
): Promise<Deployment> {
  const { onProgress = () => {} } = options;
  const deployBlock = (await clients.public.getBlockNumber({ cacheTime: 0 })) + 1n;
  const chainId = await clients.public.getChainId();
  const terms = { ...SERVICE_TERMS, ...options.service };
  const deployer = clients.wallet.account.address;

  onProgress('Deploying the secret registry');
  const secrets = await createOne(clients, secretRegistry());
  let token = options.serviceTokenAddress;
  if (token === undefined) {
    onProgress('Deploying the service token');
    token = await createOne(clients, serviceToken());
  }
  onProgress('Deploying the registries of token networks and services, and the user deposit');
  const [networks, services, deposits] = await createAll(clients, [
    tokenNetworkRegistry(secrets, options),
    serviceRegistry(token, deployer, terms),
    userDeposit(token, options.userDepositLimit ?? maxUint256),
  ]);
  if (deposits === undefined) throw new Error('the user deposit was not created');
  onProgress('Deploying the contracts that services are paid through');
  const [monitoring, payments] = await createAll(clients, [
    monitoringService(token, services, deposits, networks),
    oneToN(deposits, chainId, services),
  ]);
  onProgress('Initialising the user deposit');
  const hash = await clients.wallet.writeContract({
    address: deposits,
    abi: userDepositAbi,
    functionName: 'init',
    args: [monitoring, payments],
  });
  await confirmed(clients, hash, 'init of the user deposit');
  return {
    contractsVersion: CONTRACTS_VERSION,
    tokenNetworkRegistryAddress: networks,
    secretRegistryAddress: secrets,
    serviceRegistryAddress: services,
    userDepositAddress: deposits,
    monitoringServiceAddress: monitoring,
    oneToNAddress: payments,
    serviceTokenAddress: token,
    deployBlock,
  };
}
