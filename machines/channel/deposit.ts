/** Deposits into an open channel: this node's, and what the chain says of both sides'. */

import { MAX_UINT256 } from '../../src/basics/amount.ts';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import type { ChannelEnd } from '../../src/protocol/channel/channel-end.ts';
import { tokenActorId } from '../base/actor-ids.ts';
import type { Effect } from '../effects.ts';
import type { TransactionEnded } from '../events/chain.ts';
import type { Deposit, DepositLimits } from '../events/commands.ts';
import {
  type ActorRefusal,
  type ChannelContext,
  type ChannelStep,
  type Checked,
  on,
  when,
} from './context.ts';
import { refusal, replyChannel } from './notices.ts';
import { canMediate, timeoutsRefusal } from './timeouts.ts';

type Deposited = Extract<ChannelLog, { type: 'chain.channelDeposit' }>;

/**
 * Why a total deposit of `total` is refused, or null. Wrong values are found before a lack of money, as the API
 * orders the errors.
 */
export function depositRefusal(
  current: bigint,
  total: bigint,
  limits: DepositLimits,
): ActorRefusal | null {
  const added = total - current;
  if (added < 0n)
    return {
      code: 'total_not_higher',
      detail: 'total_deposit is the new total and cannot be lower than the present one.',
    };
  const isAbove = total > limits.participantLimit || total > MAX_UINT256;
  if (isAbove || added > limits.networkRoom)
    return { code: 'above_limit', detail: 'It is that of the token network for deposits.' };
  return added > limits.ownTokens
    ? {
        code: 'insufficient_balance',
        detail: 'The account holds fewer tokens than this deposit needs.',
      }
    : null;
}

/** Tells the token network that the partner deposited: free funds of a join may be waiting for that. */
function partnerDeposited(channel: ChannelContext): Effect[] {
  const { id, channelId, partner, openBlock, ownEnd, partnerEnd } = channel;
  // No funds of a join go into a channel in which this node does not mediate.
  if (!canMediate(channel)) return [];
  if (channel.closeRequest !== null || channel.dispute !== null) return [];
  const deposits = { ownDeposit: ownEnd.deposit, partnerDeposit: partnerEnd.deposit };
  const offer = { channel: id, channelId, partner, openBlock, ...deposits };
  const event = { type: 'actor.partnerDeposit', offer } as const;
  return [{ type: 'notify', to: tokenActorId(channel.token), event }];
}

export function noteDeposit(channel: ChannelContext, event: Deposited): ChannelStep {
  const raise = (end: ChannelEnd) =>
    event.totalDeposit > end.deposit ? { ...end, deposit: event.totalDeposit } : end;
  if (event.participant === channel.own)
    return { patch: { ownEnd: raise(channel.ownEnd) }, effects: [] };
  const next = { ...channel, partnerEnd: raise(channel.partnerEnd) };
  return { patch: { partnerEnd: next.partnerEnd }, effects: partnerDeposited(next) };
}

/** Takes the deposit over and tells nobody: no funds of a join go into a channel that can only be closed. */
function noteDepositOnly(channel: ChannelContext, event: Deposited): ChannelStep {
  return { patch: noteDeposit(channel, event).patch, effects: [] };
}

function startDeposit(channel: ChannelContext, event: Deposit): ChannelStep {
  const { requestId, totalDeposit } = event;
  const { id, partner, token, tokenNetwork, channelId, ownEnd } = channel;
  const jobs = channel.jobs + 1;
  const key = `deposit:${id}:${jobs}`;
  const added = totalDeposit - ownEnd.deposit;
  const facts = { tokenNetwork, channelId, partner, token, totalDeposit, added };
  return {
    patch: { jobs, deposit: { requestId, key, totalDeposit, added } },
    effects: [{ type: 'tx.deposit', from: id, key, deadlineBlock: null, ...facts }],
  };
}

function endDeposit(channel: ChannelContext, event: TransactionEnded): ChannelStep {
  const { requestId = '', added = 0n } = channel.deposit ?? {};
  if (!event.ok) return { patch: { deposit: null }, effects: [refusal(requestId, event)] };
  const funded = channel.funded + added;
  return { patch: { deposit: null, funded }, effects: [replyChannel(channel, requestId)] };
}

/** Why the deposit cannot be made, or null. The present total is no reason to refuse: nothing has to be done for it. */
export function channelDepositRefusal(
  channel: ChannelContext,
  event: Deposit,
): ActorRefusal | null {
  const { totalDeposit, limits } = event;
  return depositRefusal(channel.ownEnd.deposit, totalDeposit, limits) ?? timeoutsRefusal(channel);
}

export const guards = {
  isSameDeposit: when(
    ({ ownEnd }, { totalDeposit }) => totalDeposit === ownEnd.deposit,
    'cmd.deposit',
  ),
  canDeposit: when(
    (channel, event) => channelDepositRefusal(channel, event) === null,
    'cmd.deposit',
  ),
  isOwnDepositJob: when(({ deposit }, { key }) => key === deposit?.key, 'chain.tx'),
  hasDeposit: ({ context }: Checked) => context.deposit !== null,
  hasNoDeposit: ({ context }: Checked) => context.deposit === null,
};

export const actions = {
  noteDeposit: on(noteDeposit, 'chain.channelDeposit'),
  noteDepositOnly: on(noteDepositOnly, 'chain.channelDeposit'),
  startDeposit: on(startDeposit, 'cmd.deposit'),
  endDeposit: on(endDeposit, 'chain.tx'),
  noteFunded: on(
    ({ funded }, { added }) => ({ patch: { funded: funded + added }, effects: [] }),
    'actor.funded',
  ),
};
