/** What this node may send and does not send now, for people who want to know, and who may order it all the same. */
import type { Tx } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import { failure, type Result } from '../../../protocol/codes.ts';
import type { ChannelView } from '../../runtime/actors/channel-states.ts';
import { kindOf } from '../../runtime/actors/kinds.ts';
import type { Call } from '../../runtime/knowledge/calls.ts';
import type { Waiting } from '../gas/ledger.ts';
import type { PendingLocks } from '../pending-locks.ts';
import type { JobQueue } from './job-queue.ts';
import type { Held } from './weighing.ts';

/** What this node may send in a channel and does not send now. */
export type WaitingTransaction = {
  type: Tx['type'];
  token: Address;
  partner: Address;
  channelId: bigint;
  reason: Waiting;
};

/** Anybody can leave something lying: no more is listed at once. */
const MOST_LISTED = 1_000;
const NOTHING = 'At least none in which a transaction waits.';

type Parts = {
  engine: { flush(): void };
  jobs: Pick<JobQueue, 'waiting' | 'order'>;
  view(channel: string): ChannelView | null;
  protection: { pending: Pick<PendingLocks, 'claim'> };
};

export function createWaiting({ engine, jobs, view, protection }: Parts) {
  /** The channel in which it is sent, or for whose lock; null: nothing waits for it any more. */
  function channelOf({ from }: Tx) {
    const id = kindOf(from) === 'channel' ? from : protection.pending.claim(from)?.channel;
    return id === undefined ? null : view(id);
  }

  function shown({ tx, why: reason }: Held): WaitingTransaction[] {
    const channel = channelOf(tx);
    if (channel === null) return [];
    const { token, partner, channelId } = channel;
    return [{ type: tx.type, token, partner, channelId, reason }];
  }

  return {
    waitingTransactions(): WaitingTransaction[] {
      engine.flush();
      return jobs.waiting().slice(0, MOST_LISTED).flatMap(shown);
    },
    orderWaiting(token: Address, partner: Address, call?: Call): Result<WaitingTransaction[]> {
      engine.flush();
      const ordered = jobs.order((tx) => {
        const channel = channelOf(tx);
        return channel?.token === token && channel.partner === partner;
      });
      if (ordered.length === 0) return failure('unknown_channel', NOTHING);
      if (call !== undefined) call.begun = { paymentId: null };
      return { ok: true, value: ordered.flatMap(shown) };
    },
  };
}
