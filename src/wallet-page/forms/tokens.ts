/** The tokens of a node, as forms offer them. */
import { tokenName } from '../../page-parts/labels.ts';
import type { WalletChannel, WalletNode } from '../state/wallet.ts';

/** `symbol`: for labels and messages; a token that tells nothing of itself is counted in its smallest unit. */
export type OfferedToken = { address: string; name: string; symbol: string; decimals: number };

/** Those with channels first. `others`: addresses that are to be there in any case. */
export function tokensOf(
  facts: WalletNode,
  channels: readonly WalletChannel[] | null,
  others: readonly string[] = [],
): OfferedToken[] {
  const used = (channels ?? []).map((channel) => channel.token_address);
  const known = facts.tokens
    .filter(({ isRegistered }) => isRegistered)
    .map(({ address }) => address);
  return [...new Set([...used, ...others, ...known])].map((address) => tokenOf(facts, address));
}

export function tokenOf(facts: WalletNode, address: string): OfferedToken {
  const found = facts.tokens.find((token) => token.address === address);
  const name = tokenName(address);
  return found === undefined
    ? { address, name, symbol: `units of ${name}`, decimals: 0 }
    : { address, name, symbol: found.symbol, decimals: found.decimals };
}
