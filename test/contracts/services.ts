/** Service token, registration and user deposit, for the tests of the service contracts. */

import type { Address } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { type Chain, done, type Outcome } from './chain.ts';

/** Mints service tokens for the owner and lets `spender` take exactly that many. */
export async function fundService(
  chain: Chain,
  owner: Address,
  spender: Address,
  amount: bigint,
): Promise<void> {
  const { serviceTokenAddress } = chain.deployment;
  const token = { to: serviceTokenAddress, abi: customTokenAbi, from: owner } as const;
  done(await chain.send({ ...token, functionName: 'mint', args: [amount] }));
  done(await chain.send({ ...token, functionName: 'approve', args: [spender, amount] }));
}

/** Registers a service for the current price, when that is at most `limit`. */
export function register(chain: Chain, service: Address, limit: bigint): Promise<Outcome> {
  return chain.send({
    to: chain.deployment.serviceRegistryAddress,
    abi: serviceRegistryAbi,
    from: service,
    functionName: 'deposit',
    args: [limit],
  });
}

export async function fundAndRegister(chain: Chain, service: Address): Promise<void> {
  const price = 10n ** 22n;
  await fundService(chain, service, chain.deployment.serviceRegistryAddress, price);
  done(await register(chain, service, price));
}

/** Gives the owner a user deposit of `total`. */
export async function depositForUser(chain: Chain, owner: Address, total: bigint): Promise<void> {
  const { userDepositAddress } = chain.deployment;
  await fundService(chain, owner, userDepositAddress, total);
  const args = [owner, total] as const;
  const call = { to: userDepositAddress, abi: userDepositAbi, from: owner } as const;
  done(await chain.send({ ...call, functionName: 'deposit', args }));
}

export function userBalance(chain: Chain, owner: Address): Promise<bigint> {
  return chain.clients.public.readContract({
    address: chain.deployment.userDepositAddress,
    abi: userDepositAbi,
    functionName: 'balances',
    args: [owner],
  });
}
