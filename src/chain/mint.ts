/** Minting test tokens. Their contracts have different functions for it: one of these three. */
import { encodeFunctionData, parseAbi } from 'viem';
import type { MintMethod, MintOrder } from '../../machines/events/commands.ts';
import type { Address, Hex } from '../basics/hex.ts';
import type { Result } from '../protocol/codes.ts';
import type { ChainClient } from './client.ts';
import { classify, isInternal } from './errors.ts';

const mintAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function mintFor(uint256 value, address to)',
  'function increaseSupply(uint256 value, address to)',
]);
/** The functions, in the order in which they are tried. */
const METHODS: readonly MintMethod[] = ['mint', 'mintFor', 'increaseSupply'];
/** The answer of a function that returns `false` instead of reverting. */
const FALSE = `0x${'00'.repeat(32)}`;

export function mintData({ method, to, value }: Omit<MintOrder, 'token'>): Hex {
  return method === 'mint'
    ? encodeFunctionData({ abi: mintAbi, functionName: method, args: [to, value] })
    : encodeFunctionData({ abi: mintAbi, functionName: method, args: [value, to] });
}

/**
 * The first function that works for `minter` at the newest block; `mint_failed` when none does. Throws viem's error
 * when nobody answers.
 */
export async function findMintMethod(
  client: ChainClient,
  minter: Address,
  order: Omit<MintOrder, 'method'>,
): Promise<Result<MintMethod>> {
  const { token, to, value } = order;
  const code = await client.getCode({ address: token });
  if (code === undefined || code === '0x')
    return { ok: false, code: 'mint_failed', detail: 'There is no contract at this address.' };
  for (const method of METHODS)
    if (await works(client, { from: minter, token, data: mintData({ method, to, value }) }))
      return { ok: true, value: method };
  const names =
    'mint(address,uint256), mintFor(uint256,address) or increaseSupply(uint256,address)';
  const detail = `The token has none of ${names}, or refuses this account or amount.`;
  return { ok: false, code: 'mint_failed', detail };
}

async function works(
  client: ChainClient,
  { from, token, data }: { from: Address; token: Address; data: Hex },
): Promise<boolean> {
  try {
    const answer = await client.call({ account: from, to: token, data });
    return answer.data !== FALSE;
  } catch (error) {
    // Any refusal by the contract counts, in whatever form it comes.
    if (classify(error) === 'unavailable' && !isInternal(error)) throw error;
    return false;
  }
}
