/** What the node asks the contracts, at the newest block. */
import { type ContractFunctionReturnType, encodeFunctionData, hexToBigInt } from 'viem';
import type {
  DepositLimits,
  MintMethod,
  MintOrder,
  UserDepositFacts,
} from '../../machines/events/commands.ts';
import { type Address, type Hash, ZERO_ADDRESS } from '../basics/hex.ts';
import type { Code, Failure, Result } from '../protocol/codes.ts';
import {
  registryAbi,
  secretRegistryAbi,
  tokenAbi,
  tokenNetworkAbi,
  userDepositAbi,
} from './abi.ts';
import type { ChainClient } from './client.ts';
import { describe } from './describe.ts';
import { classify, isNoContract } from './errors.ts';
import { findMintMethod } from './mint.ts';
import { type Taking, takingFault, tokenFault } from './token-probe.ts';
import { readUserDeposit } from './user-deposit.ts';

export type RegistryLimits = {
  minSettleTimeout: bigint;
  maxSettleTimeout: bigint;
  maxTokenNetworks: bigint;
  tokenNetworksCreated: bigint;
};
/** Facts about an address that should be a token's. */
type TokenFacts = { hasCode: boolean; isErc20: boolean; hasSupply: boolean };
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
export type ChannelSide = {
  tokenNetwork: Address;
  channelId: bigint;
  participant: Address;
  partner: Address;
};
export type ChainReads = ReturnType<typeof createReads>;

const TRIES = 3;

/**
 * Every read is tried three times and then answers `chain_unavailable`; one that the contract itself
 * refuses or answers in another form (it is not there, or is something else) is not repeated.
 */
export function createReads({ client, registry }: { client: ChainClient; registry: Address }) {
  return {
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

    /** What `owner` may deposit; `invalid_token` when the token does not tell balances. */
    async depositLimits(
      tokenNetwork: Address,
      token: Address,
      owner: Address,
    ): Promise<Result<DepositLimits>> {
      const limits = await asked('the token network', () => limitsOf(client, tokenNetwork));
      if (!limits.ok) return limits;
      const balances = await asked(
        'the token',
        () =>
          Promise.all([balanceOf(client, token, tokenNetwork), balanceOf(client, token, owner)]),
        'invalid_token',
      );
      if (!balances.ok) return balances;
      const { participantLimit, networkLimit } = limits.value;
      const [inNetwork, ownTokens] = balances.value;
      const networkRoom = networkLimit > inNetwork ? networkLimit - inNetwork : 0n;
      return { ok: true, value: { participantLimit, networkRoom, ownTokens } };
    },

    /** Whether there is code at the address, whether it answers `totalSupply`, and with more than 0. */
    async tokenFacts(address: Address): Promise<Result<TokenFacts>> {
      const code = await asked('the chain', () => client.getCode({ address }));
      if (!code.ok) return code;
      const hasCode = code.value !== undefined && code.value !== '0x';
      if (!hasCode) return { ok: true, value: { hasCode, isErc20: false, hasSupply: false } };
      const supply = await asked(
        'the token',
        () => client.readContract({ address, abi: tokenAbi, functionName: 'totalSupply' }),
        'invalid_token',
      );
      if (!supply.ok && supply.code !== 'invalid_token') return supply;
      const hasSupply = supply.ok && supply.value > 0n;
      return { ok: true, value: { hasCode, isErc20: supply.ok, hasSupply } };
    },

    /** Tokens that `spender` may take from `owner`. Throws viem's error: transactions classify it. */
    allowance: (token: Address, owner: Address, spender: Address): Promise<bigint> =>
      client.readContract({
        address: token,
        abi: tokenAbi,
        functionName: 'allowance',
        args: [owner, spender],
      }),

    /** Whether the token takes this approval as things are. Throws viem's error when nobody answers. */
    async approves(token: Address, owner: Address, spender: Address, amount: bigint) {
      const args = [spender, amount] as const;
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args });
      try {
        const answer = await client.call({ account: owner, to: token, data });
        return answer.data === undefined || hexToBigInt(answer.data) !== 0n;
      } catch (error) {
        if (classify(error) === 'unavailable') throw error;
        return false;
      }
    },

    /** Why channels cannot hold the token, for people; null: nothing is known against it. */
    tokenFault: (token: Address, own: Address): Promise<Result<string | null>> =>
      asked(
        'the token',
        async () => {
          const amount = await balanceOf(client, token, own);
          return tokenFault(client, { token, own, amount });
        },
        'invalid_token',
      ),

    /** Why the tokens cannot be taken, for people. Throws viem's error when nobody answers. */
    takingFault: (own: Address, taking: Taking) => takingFault(client, own, taking),

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

    /** How the token can be minted by `minter`; `mint_failed` when it cannot. */
    async mintMethod(
      minter: Address,
      order: Omit<MintOrder, 'method'>,
    ): Promise<Result<MintMethod>> {
      const found = await asked('the token', () => findMintMethod(client, minter, order));
      return found.ok ? found.value : found;
    },

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

async function limitsOf(client: ChainClient, address: Address) {
  const at = { address, abi: tokenNetworkAbi } as const;
  const [participantLimit, networkLimit] = await Promise.all([
    client.readContract({ ...at, functionName: 'channel_participant_deposit_limit' }),
    client.readContract({ ...at, functionName: 'token_network_deposit_limit' }),
  ]);
  return { participantLimit, networkLimit };
}

function balanceOf(client: ChainClient, token: Address, owner: Address): Promise<bigint> {
  return client.readContract({
    address: token,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });
}

function participantOf(
  info: ContractFunctionReturnType<typeof tokenNetworkAbi, 'view', 'getChannelParticipantInfo'>,
): ParticipantInfo {
  const [deposit, withdrawn, isCloser, balanceHash, nonce, locksroot, lockedAmount] = info;
  return { deposit, withdrawn, isCloser, balanceHash, nonce, locksroot, lockedAmount };
}

/** `refusal`: the code when `whom` answers, but not as asked. */
async function asked<T>(
  whom: string,
  read: () => Promise<T>,
  refusal: Code = 'chain_unavailable',
): Promise<Result<T>> {
  let failure: Failure = { ok: false, code: 'chain_unavailable' };
  for (let tried = 0; tried < TRIES; tried++) {
    try {
      return { ok: true, value: await read() };
    } catch (error) {
      if (isNoContract(error) || classify(error) === 'reverted') {
        return { ok: false, code: refusal, detail: `${whom} does not answer as it should` };
      }
      failure = {
        ok: false,
        code: 'chain_unavailable',
        detail: `no answer from ${whom}: ${describe(error)}`,
      };
    }
  }
  return failure;
}
