/** The ids of actors that others send events to. */
import type { Address, Hex } from '../../src/basics/hex.ts';

/** The id of the only actor of this kind. */
export const USER_DEPOSIT = 'userDeposit';

/** The id of a channel's actor. */
export function channelActorId(tokenNetwork: Hex, channelId: bigint): string {
  return `channel:${tokenNetwork}:${channelId}`;
}

/** The id of the actor of a token's network. */
export function tokenActorId(token: Address): string {
  return `tokenNetwork:${token}`;
}

/** The id of the actor of the n-th plan. */
export function withdrawalActorId(n: number): string {
  return `withdrawal:${n}`;
}
