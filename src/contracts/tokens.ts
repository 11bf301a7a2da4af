/** Test tokens: deploying them, minting them, and creating the token network of one. For devnets and tests. */
import type { Hash } from 'viem';
import { type Address, parseAddress } from '../basics/hex.ts';
import { customTokenAbi, customTokenBytecode } from './generated/CustomToken.ts';
import { tokenNetworkRegistryAbi } from './generated/TokenNetworkRegistry.ts';
import { type Clients, confirmed } from './transact.ts';

export type NewToken = {
  name: string;
  symbol: string;
  /** Default 18. */
  decimals?: number;
  /** Units for the deployer, default 10^24; a token without supply cannot be registered. */
  initialSupply?: bigint;
};

/** Units of 18 decimals: 1,000 whole tokens per participant, 1,000,000 per network. */
const PARTICIPANT_LIMIT = 1_000n * 10n ** 18n;
const NETWORK_LIMIT = 1_000_000n * 10n ** 18n;

export type NetworkLimits = { participantLimit?: bigint; networkLimit?: bigint };

function createdContract(address: unknown): Address {
  const created = parseAddress(address);
  if (created === null) throw new Error('the transaction created no contract');
  return created;
}

/** Deploys a mintable ERC-20 token and returns its address. */
export async function deployToken(clients: Clients, options: NewToken): Promise<Address> {
  const { name, symbol, decimals = 18, initialSupply = 10n ** 24n } = options;
  const hash = await clients.wallet.deployContract({
    abi: customTokenAbi,
    bytecode: customTokenBytecode,
    args: [initialSupply, decimals, name, symbol],
  });
  const receipt = await confirmed(clients, hash, `deploy ${symbol}`);
  return createdContract(receipt.contractAddress);
}

/** Makes `amount` new units of a mintable token for `to`; anybody may. */
export async function mintTokens(
  clients: Clients,
  token: Address,
  to: Address,
  amount: bigint,
): Promise<Hash> {
  const hash = await clients.wallet.writeContract({
    address: token,
    abi: customTokenAbi,
    functionName: 'mintFor',
    args: [amount, to],
  });
  await confirmed(clients, hash, `mint for ${to}`);
  return hash;
}

/** Creates the token's network and returns its address. Rejects when the registry refuses. */
export async function registerNewToken(
  clients: Clients,
  tokenNetworkRegistry: Address,
  token: Address,
  limits: NetworkLimits = {},
): Promise<Address> {
  const { participantLimit = PARTICIPANT_LIMIT, networkLimit = NETWORK_LIMIT } = limits;
  const registry = { address: tokenNetworkRegistry, abi: tokenNetworkRegistryAbi } as const;
  const hash = await clients.wallet.writeContract({
    ...registry,
    functionName: 'createERC20TokenNetwork',
    args: [token, participantLimit, networkLimit],
  });
  await confirmed(clients, hash, `register ${token}`);
  return createdContract(
    await clients.public.readContract({
      ...registry,
      functionName: 'token_to_token_networks',
      args: [token],
    }),
  );
}
