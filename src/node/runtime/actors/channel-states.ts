/** Reads the state of channels from their actors, and what the channels can do now. */

import { USER_DEPOSIT } from '../../../../machines/base/actor-ids.ts';
import type {
  ChannelContext,
  ChannelTag,
  MadeChange,
} from '../../../../machines/channel/context.ts';
import { lockRefusal } from '../../../../machines/channel/locks.ts';
import { channelTags, nodeTags, type Tags } from '../../../../machines/tags.ts';
import type { UserDepositContext } from '../../../../machines/user-deposit/context.ts';
import type { Address } from '../../../basics/hex.ts';
import { ZERO_HASH } from '../../../basics/hex.ts';
import type { Actors } from './actors.ts';

/** The API's channel object, before its values are written as text. */
export type ChannelView = {
  channelId: bigint;
  tokenNetwork: Address;
  token: Address;
  partner: Address;
  /** deposit - withdrawn - sent + received - locked */
  balance: bigint;
  totalDeposit: bigint;
  totalWithdraw: bigint;
  state: 'opened' | 'closed' | 'settled';
  settleTimeout: bigint;
  revealTimeout: bigint;
  networkState: 'reachable' | 'unreachable' | 'unknown';
};

/** While a close is on its way the API still shows `opened`, while a settlement is on its way `closed`. */
export function apiState(tags: Tags<ChannelTag>): ChannelView['state'] {
  if (tags.has('isUnclosed')) return 'opened';
  return tags.has('isUnsettled') ? 'closed' : 'settled';
}

/** The tags of the channel's state and its context, or null when there is no such actor. */
export function channelState(
  actors: Pick<Actors, 'stateOf'>,
  id: string,
): { tags: Tags<ChannelTag>; channel: ChannelContext } | null {
  const state = actors.stateOf(id);
  if (state?.kind !== 'channel') return null;
  return { tags: channelTags(state.value), channel: state.context };
}

/** Whether the channel is settled on chain: another one may be open with the same partner. */
export function isSettled(actors: Pick<Actors, 'stateOf'>, id: string): boolean {
  const state = channelState(actors, id);
  return state !== null && !state.tags.has('isUnsettled');
}

/** What the channel has changed in the open batch and not signed yet. */
export function unsignedChanges(
  actors: Pick<Actors, 'stateOf'>,
  id: string,
): readonly MadeChange[] {
  const state = actors.stateOf(id);
  return state?.kind === 'channel' ? (state.context.unsigned?.changes ?? []) : [];
}

/** Whether the channel would sign such a lock now if its secrethash is new; `lockTimeout` null: the default. */
export function takes(
  actors: Pick<Actors, 'stateOf'>,
  id: string,
  { amount, lockTimeout }: { amount: bigint; lockTimeout: bigint | null },
): boolean {
  const state = channelState(actors, id);
  if (state === null || !state.tags.has('takesLocks')) return false;
  return lockRefusal(state.channel, { amount, secrethash: ZERO_HASH, lockTimeout }) === null;
}

/** Whether the node is up with the chain and takes commands, as its own actor knows. */
export function isServing(actors: Pick<Actors, 'stateOf'>): boolean {
  const state = actors.stateOf('node');
  return state !== null && nodeTags(state.value).has('isServing');
}

/** What is known of the user deposit, or null before its first use. */
export function userDepositState(actors: Pick<Actors, 'stateOf'>): UserDepositContext | null {
  const state = actors.stateOf(USER_DEPOSIT);
  return state?.kind === 'userDeposit' ? state.context : null;
}
