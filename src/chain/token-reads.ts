/** What the node asks tokens, at the newest block. */
import { encodeFunctionData, hexToBigInt } from 'viem';
import type { DepositLimits, MintMethod, MintOrder } from '../../machines/events/commands.ts';
import type { Address } from '../basics/hex.ts';
import type { Result } from '../protocol/codes.ts';
import { tokenAbi, tokenNetworkAbi } from './abi.ts';
import { asked } from './asked.ts';
import type { ChainClient } from './client.ts';
import { classify } from './errors.ts';
import { findMintMethod } from './mint.ts';
import { type Taking, takingFault, tokenFault } from './token-probe.ts';

/** Facts about an address that should be a token's. */
type TokenFacts = { hasCode: boolean; isErc20: boolean; hasSupply: boolean };

export function createTokenReads(client: ChainClient) {
  return {
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

    /** How the token can be minted by `minter`; `mint_failed` when it cannot. */
    async mintMethod(
      minter: Address,
      order: Omit<MintOrder, 'method'>,
    ): Promise<Result<MintMethod>> {
      const found = await asked('the token', () => findMintMethod(client, minter, order));
      return found.ok ? found.value : found;
    },
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
