/** Reads the real chain under a live run: its blocks, their transactions, and balances. */
import { createPublicClient, http, type PublicClient } from 'viem';
import type { Address } from '../../basics/hex.ts';
import { customTokenAbi } from '../../contracts/generated/CustomToken.ts';
import { callName } from '../run/figures/call-names.ts';

export type LiveChain = ReturnType<typeof openChain>;
export type MinedCall = { name: string; gasUsed: bigint };

export function openChain(rpc: string, token: Address) {
  const client: PublicClient = createPublicClient({ transport: http(rpc), cacheTime: 0 });
  return {
    head: async (): Promise<number> => Number(await client.getBlockNumber()),
    async callsIn(block: number): Promise<MinedCall[]> {
      const blockNumber = BigInt(block);
      const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true });
      return Promise.all(
        transactions.map(async ({ hash, input }) => {
          const { gasUsed } = await client.getTransactionReceipt({ hash });
          return { name: callName(input), gasUsed };
        }),
      );
    },
    wei: (address: Address): Promise<bigint> => client.getBalance({ address }),
    tokens: (address: Address): Promise<bigint> =>
      client.readContract({
        address: token,
        abi: customTokenAbi,
        functionName: 'balanceOf',
        args: [address],
      }),
  };
}
