/** Where the channel of an actor is on chain. */
import { channelIdOf } from '../../../machines/channel/context.ts';
import { type Address, isHexOf } from '../../basics/hex.ts';

export type ChannelPlace = { tokenNetwork: Address; channelId: bigint };

/** Null: it is not the id of a channel's actor. */
export function placeOfChannel(actor: string): ChannelPlace | null {
  const [kind, tokenNetwork] = actor.split(':');
  if (kind !== 'channel' || !isHexOf(tokenNetwork, 20)) return null;
  return { tokenNetwork, channelId: channelIdOf(actor) };
}
