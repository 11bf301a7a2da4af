/** What the user-deposit contract holds for one account: money that services are paid from. Protocol 5.6. */
import type { UserDepositFacts } from '../../machines/events/commands.ts';
import type { Address } from '../basics/hex.ts';
import { tokenAbi, userDepositAbi } from './abi.ts';
import type { ChainClient } from './client.ts';

/** All facts are of one block, the newest. Throws viem's error. */
export async function readUserDeposit(
  client: ChainClient,
  contract: Address,
  owner: Address,
): Promise<UserDepositFacts> {
  // Not `getBlockNumber`: viem would wait for an earlier call of it that was never answered.
  const { number: block } = await client.getBlock();
  const at = { address: contract, abi: userDepositAbi, blockNumber: block } as const;
  const token = await client.readContract({ ...at, functionName: 'token' });
  const [balance, totalDeposit, [planned, withdrawBlock], effectiveBalance] = await Promise.all([
    client.readContract({ ...at, functionName: 'balances', args: [owner] }),
    client.readContract({ ...at, functionName: 'total_deposit', args: [owner] }),
    client.readContract({ ...at, functionName: 'withdraw_plans', args: [owner] }),
    client.readContract({ ...at, functionName: 'effectiveBalance', args: [owner] }),
  ]);
  const [wholeBalance, wholeLimit, withdrawDelay, ownTokens] = await Promise.all([
    client.readContract({ ...at, functionName: 'whole_balance' }),
    client.readContract({ ...at, functionName: 'whole_balance_limit' }),
    client.readContract({ ...at, functionName: 'withdraw_delay' }),
    client.readContract({
      address: token,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [owner],
      blockNumber: block,
    }),
  ]);
  const room = wholeLimit > wholeBalance ? wholeLimit - wholeBalance : 0n;
  const held = { balance, totalDeposit, planned, withdrawBlock, effectiveBalance };
  return { contract, token, block, ...held, room, withdrawDelay, ownTokens };
}
