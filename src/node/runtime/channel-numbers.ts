/**
 * Channels are numbered by their token network. After the chain was replaced a new channel may get the number
 * of one that was lost, and whatever this key signed for that one would count in it.
 */
import type { Failure, Result } from '../../protocol/codes.ts';
import { failure } from '../../protocol/codes.ts';
import type { Address } from '../../protocol/hex.ts';

type Context = {
  reads: { newestChannelId(tokenNetwork: Address): Promise<Result<bigint>> };
  /** Of all channels that this node ever had in the network; 0: none. */
  highestChannelId(tokenNetwork: Address): bigint;
};

/** Why no channel may be opened in the network now, or null. */
export async function numberRefusal(
  { reads, highestChannelId }: Context,
  tokenNetwork: Address,
): Promise<Failure | null> {
  const highest = highestChannelId(tokenNetwork);
  if (highest === 0n) return null;
  const newest = await reads.newestChannelId(tokenNetwork);
  if (!newest.ok) return newest;
  if (newest.value >= highest) return null;
  const detail = `The chain lost channels: a new one would get the number of an old one of this node until ${highest} were opened.`;
  return failure('chain_unavailable', detail);
}

/** The highest number among these actors of channels. */
export function highestIn(channels: readonly string[], tokenNetwork: Address): bigint {
  const prefix = `channel:${tokenNetwork}:`;
  return channels.reduce((highest, id) => {
    const number = id.startsWith(prefix) ? BigInt(id.slice(prefix.length)) : 0n;
    return number > highest ? number : highest;
  }, 0n);
}
