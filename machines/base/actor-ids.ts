/** The ids of actors that others send events to. */
import { type Address, isHexOf } from '../../src/basics/hex.ts';
import type { ChannelPlace } from '../../src/protocol/channel/canonical-id.ts';

/** The id of the only actor of this kind. */
export const USER_DEPOSIT = 'userDeposit';

/** The id of a channel's actor. */
export function channelActorId({ tokenNetwork, channelId }: ChannelPlace): string {
  return `channel:${tokenNetwork}:${channelId}`;
}

/** The channel with this actor; null: it is not the id of a channel's actor. */
export function placeOfChannel(actor: string): ChannelPlace | null {
  const [kind, tokenNetwork, channelId = ''] = actor.split(':');
  if (kind !== 'channel' || !isHexOf(tokenNetwork, 20)) return null;
  return { tokenNetwork, channelId: BigInt(channelId) };
}

/** The id of the actor of a token's network. */
export function tokenActorId(token: Address): string {
  return `tokenNetwork:${token}`;
}

/** The id of the actor of the n-th plan. */
export function withdrawalActorId(n: number): string {
  return `withdrawal:${n}`;
}
