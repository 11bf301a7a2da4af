/**
 * Token networks number their channels. After a reorganisation a new channel may get the number of a channel that was
 * lost, and whatever this key signed for the lost one would be valid in the new one.
 */

import { placeOfChannel } from '../../../../machines/base/actor-ids.ts';
import { larger } from '../../../basics/amount.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Failure, Result } from '../../../protocol/codes.ts';
import { failure } from '../../../protocol/codes.ts';

type Context = {
  reads: { newestChannelId(tokenNetwork: Address): Promise<Result<bigint>> };
  channels: {
    /** The highest channel id that this node ever had in the network; 0 when it had none. */
    highestId(tokenNetwork: Address): bigint;
  };
};

/** Why no channel may be opened in the network now, or null. */
export async function numberRefusal(
  { reads, channels }: Context,
  tokenNetwork: Address,
): Promise<Failure | null> {
  const highest = channels.highestId(tokenNetwork);
  if (highest === 0n) return null;
  const newest = await reads.newestChannelId(tokenNetwork);
  if (!newest.ok) return newest;
  if (newest.value >= highest) return null;
  const detail = `The chain lost channels: a new one would get the number of an old one of this node until ${highest} were opened.`;
  return failure('chain_unavailable', detail);
}

/** The highest channel number in the network among these channel actors; 0 when there is none. */
export function highestIn(channels: readonly string[], tokenNetwork: Address): bigint {
  const places = channels.map(placeOfChannel);
  const own = places.filter((place) => place?.tokenNetwork === tokenNetwork);
  return own.reduce((highest, place) => larger(highest, place?.channelId ?? 0n), 0n);
}
