/** What this node may send and does not send now, for people who want to know, and who may order it all the same. */
import type { Tx } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import { failure, type Result } from '../../../protocol/codes.ts';
import type { ChannelView } from '../../runtime/actors/channel-states.ts';
import { kindOf } from '../../runtime/actors/kinds.ts';
import type { Call } from '../../runtime/knowledge/calls.ts';
import type { Ledger, Waiting } from '../gas/ledger.ts';
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
/** The queue offers up to three times the base fee. */
const OFFERED = 3n;

type Parts = {
  engine: { flush(): void };
  jobs: Pick<JobQueue, 'waiting' | 'order'>;
  view(channel: string): ChannelView | null;
  protection: {
    pending: Pick<PendingLocks, 'claim'>;
    ledger: Pick<Ledger, 'gasOf'>;
    freeGasMoney(): Promise<Result<{ wei: bigint; price: bigint }>>;
  };
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
    async orderWaiting(
      token: Address,
      partner: Address,
      call?: Call,
    ): Promise<Result<WaitingTransaction[]>> {
      const isWanted = (tx: Tx) => {
        const channel = channelOf(tx);
        return channel?.token === token && channel.partner === partner;
      };
      const free = await protection.freeGasMoney();
      engine.flush();
      const wanted = jobs.waiting().filter(({ tx }) => isWanted(tx));
      if (wanted.length === 0) return failure('nothing_waits');
      if (!free.ok) return free;
      const gas = wanted.reduce((sum, { tx }) => sum + protection.ledger.gasOf(tx), 0n);
      const missing = OFFERED * gas * free.value.price - free.value.wei;
      if (missing > 0n)
        return failure('insufficient_gas', `Send the account of this node ${missing} wei more.`);
      if (call !== undefined) call.begun = { paymentId: null };
      return { ok: true, value: jobs.order(isWanted).flatMap(shown) };
    },
  };
}
