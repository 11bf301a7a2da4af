/**
 * What becomes of the actors when a reorganisation replaces blocks that this node has already processed: each actor
 * goes back to what is still on the chain, and gets the rest of the chain's events once more. What was signed stays
 * signed, so what the partners are believed to hold is never taken back.
 */
import type { StateValue } from 'xstate';
import type { ChannelLog } from '../src/contracts/channel-events.ts';
import { withoutWithdraws } from '../src/protocol/channel/channel-end.ts';
import type { ChannelContext } from './channel/context.ts';
import { noteDeposit } from './channel/deposit.ts';
import { disputeAfterClose, disputeAfterUpdate } from './channel/dispute.ts';
import { noteWithdraw } from './channel/withdraws.ts';
import type { KeeperContext } from './keeper/context.ts';
import type { MediatorContext } from './mediator/context.ts';
import { channelTags, keeperTags, mediatorTags, targetTags } from './tags.ts';
import type { TargetContext } from './target/context.ts';

export type Rewound<C> = { value: StateValue; context: C };
/** The logs of a channel, in order: those that the chain still has, and those that it has lost. */
export type SplitLogs = { left: readonly ChannelLog[]; lost: readonly ChannelLog[] };

/**
 * A channel some of whose logs are no longer on the chain. If it is open, it can only be closed from now on: deposits
 * and withdrawals that its balance depends on may not come back, nor may the channel itself, and a later channel may
 * get its id. If it is closed or settled, it goes on from that state.
 */
export function rewoundChannel(
  channel: ChannelContext,
  { left, lost }: SplitLogs,
  nowBlock: bigint,
): Rewound<ChannelContext> {
  if (left.some(({ type }) => type === 'chain.channelSettled'))
    return { value: 'claiming', context: { ...claiming(channel, lost), wakeBlock: nowBlock } };
  const before: Rewound<ChannelContext> = { value: 'stale', context: bare(channel) };
  const { value, context } = left.reduce(replayed, before);
  const isDue = !channelTags(value).has('isFrozen');
  return { value, context: { ...context, wakeBlock: isDue ? nowBlock : null } };
}

/** The channel is still settled: an unlock whose block is lost is made once more. */
function claiming(channel: ChannelContext, lost: readonly ChannelLog[]): ChannelContext {
  const undone = lost.flatMap((log) =>
    log.type === 'chain.channelUnlocked' ? [sideOf(channel, log.sender)] : [],
  );
  const unlocks = (['own', 'partner'] as const).filter(
    (side) => channel.unlocks.includes(side) || undone.includes(side),
  );
  return { ...channel, unlocks, jobs: channel.jobs + 1 };
}

const sideOf = ({ own }: ChannelContext, sender: string) => (sender === own ? 'own' : 'partner');

/** The channel without anything that is known only from the chain. */
function bare(channel: ChannelContext): ChannelContext {
  return {
    ...channel,
    ownEnd: { ...channel.ownEnd, deposit: 0n, withdrawn: 0n },
    partnerEnd: { ...channel.partnerEnd, deposit: 0n, withdrawn: 0n },
    deposit: null,
    withdraw: null,
    closeRequest: null,
    dispute: null,
    unlocks: [],
    // A new job must not get the key of a job that was done before the reorganisation.
    jobs: channel.jobs + 1,
  };
}

function replayed(
  { value, context }: Rewound<ChannelContext>,
  log: ChannelLog,
): Rewound<ChannelContext> {
  const { dispute } = context;
  switch (log.type) {
    case 'chain.channelOpened':
      return { value, context };
    case 'chain.channelDeposit':
      return { value, context: { ...context, ...noteDeposit(context, log).patch } };
    case 'chain.channelWithdraw':
      return { value, context: { ...context, ...noteWithdraw(context, log).patch } };
    case 'chain.channelClosed': {
      const ownEnd = withoutWithdraws(context.ownEnd);
      const partnerEnd = withoutWithdraws(context.partnerEnd);
      const closed = disputeAfterClose(context, log);
      return { value: 'closed', context: { ...context, ownEnd, partnerEnd, dispute: closed } };
    }
    case 'chain.proofUpdated':
      if (dispute === null) return { value, context };
      return {
        value,
        context: { ...context, dispute: disputeAfterUpdate(dispute, context.own, log) },
      };
    // `rewoundChannel` replays no logs of a settled channel.
    case 'chain.channelSettled':
    case 'chain.channelUnlocked':
      return { value, context };
  }
}

/**
 * The registration of the secret that a payment relies on may be gone. It is made once more, which does no harm if it
 * is still on chain. Null: the payment relies on no registration.
 */
export function rewoundTarget(
  value: StateValue,
  context: TargetContext,
  nowBlock: bigint,
): Rewound<TargetContext> | null {
  if (!targetTags(value).has('isRegistered')) return null;
  return { value: 'registering', context: { ...context, wakeBlock: nowBlock } };
}

/** As `rewoundTarget`, for the payer's side of a mediation. */
export function rewoundMediator(
  value: StateValue,
  context: MediatorContext,
  nowBlock: bigint,
): Rewound<MediatorContext> | null {
  if (typeof value === 'string' || !mediatorTags(value).has('isRegistered')) return null;
  return {
    value: { ...value, payer: { unpaid: 'registering' } },
    context: { ...context, payerBlock: nowBlock, wakeBlock: nowBlock },
  };
}

/**
 * As `rewoundTarget`, for a lock that no payment actor looks after. Null also when this node does not know the
 * secret.
 */
export function rewoundKeeper(
  value: StateValue,
  context: KeeperContext,
  nowBlock: bigint,
): Rewound<KeeperContext> | null {
  if (!keeperTags(value).has('isRegistered') || context.secret === null) return null;
  return { value: 'registering', context: { ...context, wakeBlock: nowBlock } };
}
