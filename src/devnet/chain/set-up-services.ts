/** Sets up what services need on a fresh chain: their registration, and user deposits of those who pay them. */
import { createWalletClient, http } from 'viem';
import type { LocalAccount } from 'viem/accounts';
import type { Address, Hash } from '../../basics/hex.ts';
import type { Deployment } from '../../contracts/deploy.ts';
import { customTokenAbi } from '../../contracts/generated/CustomToken.ts';
import { serviceRegistryAbi } from '../../contracts/generated/ServiceRegistry.ts';
import { userDepositAbi } from '../../contracts/generated/UserDeposit.ts';
import { type Clients, confirmed } from '../../contracts/transact.ts';

export type ServiceNeeds = {
  /** Accounts that hold service tokens and money for gas. */
  services: readonly LocalAccount[];
  /** The addresses that get a user deposit. */
  users: readonly Address[];
};

/** In the service token's smallest unit: enough for the rewards of many channels. */
const USER_DEPOSIT = 1_000n * 10n ** 18n;
/** More than the price of a registration can rise to after a few registrations. */
const MOST_PRICE = 100_000n * 10n ** 18n;
/**
 * A fixed gas limit, since gas cannot be estimated: each transaction depends on one that is not mined yet. A
 * registration creates a contract.
 */
const GAS = 2_000_000n;

/** Sends all transactions at once, and then waits for the last of each account. */
export async function setUpServices(
  rpc: string,
  clients: Clients,
  contracts: Deployment,
  { services, users }: ServiceNeeds,
): Promise<void> {
  const hashes = [await depositFor(users, clients, contracts)];
  for (const account of services) {
    const wallet = createWalletClient({
      account,
      chain: clients.wallet.chain,
      transport: http(rpc),
    });
    hashes.push(await register({ wallet, public: clients.public }, contracts));
  }
  for (const hash of hashes) if (hash !== null) await confirmed(clients, hash, 'a service deposit');
}

/** The deployer deposits for all users; answers the last transaction, null when there are no users. */
async function depositFor(
  users: readonly Address[],
  clients: Clients,
  { serviceTokenAddress: token, userDepositAddress }: Deployment,
): Promise<Hash | null> {
  const { address: own } = clients.wallet.account;
  let nonce = await clients.public.getTransactionCount({ address: own, blockTag: 'pending' });
  const all = BigInt(users.length) * USER_DEPOSIT;
  const ofToken = { address: token, abi: customTokenAbi, gas: GAS } as const;
  const { wallet } = clients;
  const mint = { functionName: 'mintFor', args: [all, own] } as const;
  await wallet.writeContract({ ...ofToken, ...mint, nonce: nonce++ });
  const approve = { functionName: 'approve', args: [userDepositAddress, all] } as const;
  await wallet.writeContract({ ...ofToken, ...approve, nonce: nonce++ });
  let last: Hash | null = null;
  for (const user of users)
    last = await wallet.writeContract({
      address: userDepositAddress,
      abi: userDepositAbi,
      functionName: 'deposit',
      args: [user, USER_DEPOSIT],
      nonce: nonce++,
      gas: GAS,
    });
  return last;
}

async function register(
  { wallet, public: chain }: Clients,
  { serviceTokenAddress: token, serviceRegistryAddress }: Deployment,
): Promise<Hash> {
  const { address } = wallet.account;
  const nonce = await chain.getTransactionCount({ address, blockTag: 'pending' });
  await wallet.writeContract({
    address: token,
    abi: customTokenAbi,
    functionName: 'approve',
    args: [serviceRegistryAddress, MOST_PRICE],
    nonce,
    gas: GAS,
  });
  return wallet.writeContract({
    address: serviceRegistryAddress,
    abi: serviceRegistryAbi,
    functionName: 'deposit',
    args: [MOST_PRICE],
    nonce: nonce + 1,
    gas: GAS,
  });
}
