/** What is there of each token, and what can go over channels. */
import type { WalletCapacity, WalletToken } from '../../http/wallet.ts';

/** In the token's smallest unit. `most`: over the one channel that carries most, which one payment is at most. */
type Way = { all: bigint; most: bigint; partner: string | null };
export type Sum = { token: string; pay: Way; receive: Way; onChain: bigint | null };

/** Tokens of which there is something, those with channels first; all when there is nothing of any. */
export function sumsOf(
  tokens: readonly WalletToken[],
  capacities: readonly WalletCapacity[],
): Sum[] {
  const used = capacities.map(({ token }) => token);
  const known = tokens.map(({ address }) => address);
  const all = [...new Set([...used, ...known])].map((token) => sumOf(token, tokens, capacities));
  const held = all.filter(
    ({ token, onChain }) => used.some((one) => one === token) || onChain !== 0n,
  );
  return held.length === 0 ? all : held;
}

export function sumOf(
  token: string,
  tokens: readonly WalletToken[],
  capacities: readonly WalletCapacity[],
): Sum {
  const own = capacities.filter((one) => one.token === token);
  const told = tokens.find(({ address }) => address === token)?.onChain ?? null;
  return {
    token,
    pay: wayOf(own, 'canPay'),
    receive: wayOf(own, 'canReceive'),
    onChain: told === null ? null : BigInt(told),
  };
}

function wayOf(channels: readonly WalletCapacity[], which: 'canPay' | 'canReceive'): Way {
  let way: Way = { all: 0n, most: 0n, partner: null };
  for (const channel of channels) {
    const units = BigInt(channel[which]);
    const isMost = units > way.most;
    way = {
      all: way.all + units,
      most: isMost ? units : way.most,
      partner: isMost ? channel.partner : way.partner,
    };
  }
  return way;
}

/** What can go over the channel with a partner; absent: there is none. */
export const channelWith = (
  capacities: readonly WalletCapacity[],
  token: string,
  partner: string,
): WalletCapacity | undefined =>
  capacities.find((one) => one.token === token && one.partner === partner);
