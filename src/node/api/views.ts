/** What the API shows of the actors. */
import type { ChannelContext } from '../../../machines/channel/context.ts';
import { revealTimeoutInForce } from '../../../machines/channel/timeouts.ts';
import { lockRefusal } from '../../../machines/channel/transfers.ts';
import { USER_DEPOSIT, type UserDepositContext } from '../../../machines/user-deposit/chart.ts';
import { balance, type ChannelEnd, distributable } from '../../protocol/channel-end.ts';
import { ZERO_HASH } from '../../protocol/hex.ts';
import type { NetworkState } from '../messaging/presence.ts';
import type { Actors } from '../runtime/actors.ts';
import { type StoredState, stateText } from '../runtime/kinds.ts';
import type { ChannelView } from './api.ts';

/** A close on its way still reads opened, a settlement on its way closed. */
function apiState(value: string): ChannelView['state'] {
  switch (value.split('.', 1)[0]) {
    case 'closed':
    case 'settling':
      return 'closed';
    case 'claiming':
    case 'gone':
      return 'settled';
    default:
      return 'opened';
  }
}

/** The channel's state word and context, or null when there is no such actor. */
export function channelState(
  actors: Pick<Actors, 'stateOf'>,
  id: string,
): { value: string; channel: ChannelContext } | null {
  const state = actors.stateOf(id);
  if (state === null || !isChannel(state.context)) return null;
  return { value: stateText(state.value), channel: state.context };
}

/** Whether the channel is settled on chain: another one may be open with the same partner. */
export function isSettled(actors: Pick<Actors, 'stateOf'>, id: string): boolean {
  const state = channelState(actors, id);
  return state !== null && apiState(state.value) === 'settled';
}

export function viewOf(
  { value, channel }: { value: string; channel: ChannelContext },
  networkState: NetworkState,
): ChannelView {
  const { ownEnd, partnerEnd, channelId, tokenNetwork, token, partner } = channel;
  return {
    channelId,
    tokenNetwork,
    token,
    partner,
    balance: shownBalance(ownEnd, partnerEnd),
    totalDeposit: ownEnd.deposit,
    totalWithdraw: ownEnd.withdrawn,
    state: apiState(value),
    settleTimeout: channel.settleTimeout,
    revealTimeout: revealTimeoutInForce(channel),
    networkState,
  };
}

/** Where the chain lost a deposit, what was paid out of it is not there either. */
function shownBalance(own: ChannelEnd, partner: ChannelEnd): bigint {
  const mine = balance(own, partner) - own.locked;
  const all = own.deposit - own.withdrawn + partner.deposit - partner.withdrawn;
  if (mine < 0n) return 0n;
  return mine < all ? mine : all;
}

/** What this node can pay through the channel now; null when the channel takes no payments. */
export function payable(actors: Actors, id: string): bigint | null {
  const state = channelState(actors, id);
  if (state === null || !state.value.startsWith('opened')) return null;
  const { ownEnd, partnerEnd } = state.channel;
  return distributable(ownEnd, partnerEnd);
}

/** Whether the channel signs such a lock now, if its secrethash is new; `lockTimeout` null: the default. */
export function takes(
  actors: Actors,
  id: string,
  { amount, lockTimeout }: { amount: bigint; lockTimeout: bigint | null },
): boolean {
  const state = channelState(actors, id);
  if (state === null || !state.value.startsWith('opened')) return false;
  return lockRefusal(state.channel, { amount, secrethash: ZERO_HASH, lockTimeout }) === null;
}

/** What is known of the user deposit, or null before its first use. */
export function userDepositState(actors: Actors): UserDepositContext | null {
  const context = actors.stateOf(USER_DEPOSIT)?.context;
  return context !== undefined && isUserDeposit(context) ? context : null;
}

function isUserDeposit(context: StoredState['context']): context is UserDepositContext {
  return 'changedBlock' in context;
}

/** The shape was checked when the actor was restored; only its kind is in question here. */
export function isChannel(context: StoredState['context']): context is ChannelContext {
  return 'partnerEnd' in context;
}
