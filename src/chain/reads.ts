/** What the node asks the contracts, at the newest block. */

import type { ContractFunctionReturnType } from 'viem';
import type { UserDepositFacts } from '../../machines/events/commands.ts';
import { type Address, type Hash, ZERO_ADDRESS } from '../basics/hex.ts';
import type { ChannelPlace } from '../protocol/channel/canonical-id.ts';
import type { Result } from '../protocol/codes.ts';
import { registryAbi, secretRegistryAbi, tokenNetworkAbi, userDepositAbi } from './abi.ts';
import { asked } from './asked.ts';
import type { ChainClient } from './client.ts';
import { createTokenReads } from './token-reads.ts';
import { readUserDeposit } from './user-deposit.ts';

export type RegistryLimits = {
  minSettleTimeout: bigint;
  maxSettleTimeout: bigint;
  maxTokenNetworks: bigint;
  tokenNetworksCreated: bigint;
};
/** What the contract holds for one side of a channel; locksroot and lockedAmount only between settle and unlock. */
export type ParticipantInfo = {
  deposit: bigint;
  withdrawn: bigint;
  isCloser: boolean;
  balanceHash: Hash;
  nonce: bigint;
  locksroot: Hash;
  lockedAmount: bigint;
};
export type ChannelSide = ChannelPlace & { participant: Address; partner: Address };
export type ChainReads = ReturnType<typeof createReads>;

/**
 * Every read is tried three times and then answers `chain_unavailable`; one that the contract itself
 * refuses or answers in another form (it is not there, or is something else) is not repeated.
 */
export function createReads({ client, registry }: { client: ChainClient; registry: Address }) {
  return {
    ...createTokenReads(client),
    /** The token's network, or null. */
    tokenNetworkOf: (token: Address): Promise<Result<Address | null>> =>
      asked('the token network registry', async () => {
        const found = await client.readContract({
          address: registry,
          abi: registryAbi,
          functionName: 'token_to_token_networks',
          args: [token],
        });
        return found === ZERO_ADDRESS ? null : found;
      }),

    secretRegistryOf: (): Promise<Result<Address>> =>
      asked('the token network registry', () =>
        client.readContract({
          address: registry,
          abi: registryAbi,
          functionName: 'secret_registry_address',
        }),
      ),

    registryLimits: (): Promise<Result<RegistryLimits>> =>
      asked('the token network registry', async () => {
        const at = { address: registry, abi: registryAbi } as const;
        const [minSettleTimeout, maxSettleTimeout, maxTokenNetworks, tokenNetworksCreated] =
          await Promise.all([
            client.readContract({ ...at, functionName: 'settlement_timeout_min' }),
            client.readContract({ ...at, functionName: 'settlement_timeout_max' }),
            client.readContract({ ...at, functionName: 'max_token_networks' }),
            client.readContract({ ...at, functionName: 'token_network_created' }),
          ]);
        return { minSettleTimeout, maxSettleTimeout, maxTokenNetworks, tokenNetworksCreated };
      }),

    /** The number of the network's newest channel; 0: there is none. */
    newestChannelId: (tokenNetwork: Address): Promise<Result<bigint>> =>
      asked('the token network', () =>
        client.readContract({
          address: tokenNetwork,
          abi: tokenNetworkAbi,
          functionName: 'channel_counter',
        }),
      ),

    /** In wei. */
    nativeBalance: (owner: Address): Promise<Result<bigint>> =>
      asked('the chain', () => client.getBalance({ address: owner })),
    /** In wei per unit of gas. */
    gasPrice: (): Promise<Result<bigint>> => asked('the chain', () => client.getGasPrice()),

    channelParticipant: (side: ChannelSide): Promise<Result<ParticipantInfo>> =>
      asked('the token network', async () =>
        participantOf(
          await client.readContract({
            address: side.tokenNetwork,
            abi: tokenNetworkAbi,
            functionName: 'getChannelParticipantInfo',
            args: [side.channelId, side.participant, side.partner],
          }),
        ),
      ),

    /** What the user-deposit contract holds for `owner`. */
    userDeposit: (contract: Address, owner: Address): Promise<Result<UserDepositFacts>> =>
      asked('the user deposit', () => readUserDeposit(client, contract, owner)),

    /** The part of the user deposit that services can rely on: what its owner does not plan to take out. */
    effectiveDeposit: (contract: Address, owner: Address): Promise<Result<bigint>> =>
      asked('the user deposit', () =>
        client.readContract({
          address: contract,
          abi: userDepositAbi,
          functionName: 'effectiveBalance',
          args: [owner],
        }),
      ),

    /** The block in which the secret of `secrethash` was registered, or 0. */
    isSecretRegistered: (secretRegistry: Address, secrethash: Hash): Promise<Result<bigint>> =>
      asked('the secret registry', () =>
        client.readContract({
          address: secretRegistry,
          abi: secretRegistryAbi,
          functionName: 'getSecretRevealBlockHeight',
          args: [secrethash],
        }),
      ),
  };
}

function participantOf(
  info: ContractFunctionReturnType<typeof tokenNetworkAbi, 'view', 'getChannelParticipantInfo'>,
): ParticipantInfo {
  const [deposit, withdrawn, isCloser, balanceHash, nonce, locksroot, lockedAmount] = info;
  return { deposit, withdrawn, isCloser, balanceHash, nonce, locksroot, lockedAmount };
}
