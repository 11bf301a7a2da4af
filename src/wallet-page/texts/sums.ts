/** What is there of each token. */
import type { WalletToken } from '../../http/wallet.ts';

type InChannel = { token_address: string; balance: string; state: string };
export type Sum = { token: string; inChannels: bigint; onChain: bigint | null };

/** Tokens of which there is something, those with channels first; all when there is nothing of any. */
export function sumsOf(tokens: readonly WalletToken[], channels: readonly InChannel[]): Sum[] {
  const used = channels.map((channel) => channel.token_address);
  const known = tokens.map(({ address }) => address);
  const all = [...new Set([...used, ...known])].map((token): Sum => {
    const open = channels.filter((one) => one.token_address === token && one.state === 'opened');
    const told = tokens.find(({ address }) => address === token)?.onChain ?? null;
    return {
      token,
      inChannels: open.reduce((sum, { balance }) => sum + BigInt(balance), 0n),
      onChain: told === null ? null : BigInt(told),
    };
  });
  const held = all.filter(({ token, onChain }) => used.includes(token) || onChain !== 0n);
  return held.length === 0 ? all : held;
}
