/** The names that tokens give themselves: for people's eyes only, since a token's contract says what it likes. */
import { hexToBytes, parseAbi } from 'viem';
import type { Address } from '../basics/hex.ts';
import type { ChainClient } from './client.ts';
import { classify } from './errors.ts';

/** One whole token is 10^`decimals` units. */
export type TokenLabel = { address: Address; symbol: string; decimals: number };
type Client = Pick<ChainClient, 'readContract'>;

const ABI = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);
/** Some old tokens answer with a fixed number of bytes. */
const OLD_ABI = parseAbi(['function symbol() view returns (bytes32)']);

const LONGEST_SYMBOL = 12;
const MOST_DECIMALS = 36;
/** Most tokens that are asked in all, and at a time. */
const MOST_TOKENS = 500;
const AT_ONCE = 4;

/**
 * Returns the labels of those tokens that have one that can be shown. A token is asked until it has answered, or has
 * turned out to have no label; a label that is known is not asked for again. Never throws.
 */
export function createTokenLabels(client: Client) {
  const known = new Map<Address, TokenLabel | null>();

  async function look(address: Address): Promise<void> {
    try {
      known.set(address, await labelOf(client, address));
    } catch (error) {
      // The endpoint may answer the next time.
      if (classify(error) !== 'unavailable') known.set(address, null);
    }
  }

  return async (tokens: readonly Address[]): Promise<TokenLabel[]> => {
    const wanted = tokens.slice(0, MOST_TOKENS);
    for (const token of known.keys()) if (!wanted.includes(token)) known.delete(token);
    const unknown = wanted.filter((token) => !known.has(token));
    for (let first = 0; first < unknown.length; first += AT_ONCE)
      await Promise.all(unknown.slice(first, first + AT_ONCE).map(look));
    return wanted.flatMap((token) => known.get(token) ?? []);
  };
}

async function labelOf(client: Client, address: Address): Promise<TokenLabel | null> {
  const decimals = await client.readContract({ address, abi: ABI, functionName: 'decimals' });
  const symbol = shownSymbol(await symbolOf(client, address));
  return symbol === null || decimals > MOST_DECIMALS ? null : { address, symbol, decimals };
}

async function symbolOf(client: Client, address: Address): Promise<string> {
  try {
    return await client.readContract({ address, abi: ABI, functionName: 'symbol' });
  } catch (error) {
    if (classify(error) === 'unavailable') throw error;
    const bytes = await client.readContract({ address, abi: OLD_ABI, functionName: 'symbol' });
    return new TextDecoder().decode(hexToBytes(bytes)).replace(/\0+$/, '');
  }
}

/**
 * The symbol if it consists only of letters, digits and a few signs: nothing that turns, hides or imitates the text
 * around it. Else null.
 */
function shownSymbol(told: string): string | null {
  if (told.length > 2 * LONGEST_SYMBOL) return null;
  const symbol = told.trim().normalize('NFC');
  const isPlain = /^[\p{L}\p{N}\p{Sc}.\-_+]+$/u.test(symbol);
  return isPlain && [...symbol].length <= LONGEST_SYMBOL ? symbol : null;
}
