/**
 * This node's own copy of one token network: channels as the chain has them, capacities and fees as their
 * participants announce them. What comes from others is believed about their own channels only, and an
 * announcement that is repeated by somebody does not undo a later one.
 */
import type { ChainLog } from '../../machines/events.ts';
import type { Address } from '../protocol/hex.ts';
import type { CapacityUpdate, FeeUpdate } from '../protocol/pfs-update.ts';
import { microsecondsOf } from '../protocol/timestamp.ts';
import type { TokenNetwork } from '../routing/network.ts';
import { createTokenNetwork } from '../routing/token-network.ts';

export type Update =
  | ({ type: 'PFSCapacityUpdate' } & CapacityUpdate)
  | ({ type: 'PFSFeeUpdate' } & FeeUpdate);
export type NetworkCopy = ReturnType<typeof createNetworkCopy>;

/** Updates for channels whose opening is not confirmed yet; the oldest make room. */
const MOST_WAITING = 20_000;
/** How far the clocks of two nodes may be apart. */
const LATEST_MS = 3_600_000;

type Newest = { ownNonce: bigint; otherNonce: bigint; feesAt: bigint };

export function createNetworkCopy({ now }: { now(): number }) {
  const network: TokenNetwork = createTokenNetwork();
  /** By channel, then by participant. */
  const newest = new Map<bigint, Map<Address, Newest>>();
  const waiting = new Map<string, Update>();

  function confirmed(log: ChainLog): void {
    switch (log.type) {
      case 'chain.channelOpened': {
        const { channelId, participant1, participant2, settleTimeout } = log;
        network.open({ channelId, participants: [participant1, participant2], settleTimeout });
        takeWaiting(channelId, [participant1, participant2]);
        break;
      }
      case 'chain.channelDeposit':
        network.setTotal(log.channelId, log.participant, { deposit: log.totalDeposit });
        break;
      case 'chain.channelWithdraw':
        network.setTotal(log.channelId, log.participant, { withdraw: log.totalWithdraw });
        break;
      case 'chain.channelClosed':
      case 'chain.channelSettled':
        network.close(log.channelId);
        newest.delete(log.channelId);
    }
  }

  function takeWaiting(channelId: bigint, participants: readonly Address[]): void {
    for (const participant of participants) {
      for (const type of ['PFSCapacityUpdate', 'PFSFeeUpdate'] as const) {
        const key = keyOf({ type, channelId, updatingParticipant: participant });
        const update = waiting.get(key);
        waiting.delete(key);
        if (update !== undefined) apply(update);
      }
    }
  }

  function keepWaiting(update: Update): void {
    const key = keyOf(update);
    waiting.delete(key);
    waiting.set(key, update);
    const [oldest] = waiting.keys();
    if (waiting.size > MOST_WAITING && oldest !== undefined) waiting.delete(oldest);
  }

  function newestOf({ channelId, updatingParticipant }: Update): Newest {
    const none: Newest = { ownNonce: 0n, otherNonce: 0n, feesAt: 0n };
    return newest.get(channelId)?.get(updatingParticipant) ?? none;
  }

  function note({ channelId, updatingParticipant }: Update, change: Newest): void {
    const ofChannel = newest.get(channelId) ?? new Map<Address, Newest>();
    newest.set(channelId, ofChannel.set(updatingParticipant, change));
  }

  /** Whether it can matter, whoever signed it: the signature costs more than all the rest. */
  function isWanted(update: Update): boolean {
    const channel = network.channel(update.channelId);
    if (channel !== null && !channel.participants.includes(update.updatingParticipant))
      return false;
    const known = newestOf(update);
    if (update.type === 'PFSCapacityUpdate') {
      return update.updatingNonce >= known.ownNonce && update.otherNonce >= known.otherNonce;
    }
    const at = microsecondsOf(update.timestamp);
    return at > known.feesAt && at <= BigInt(now() + LATEST_MS) * 1_000n;
  }

  function apply(update: Update): void {
    if (!isWanted(update)) return;
    const known = newestOf(update);
    if (update.type === 'PFSCapacityUpdate') {
      const { updatingNonce: ownNonce, otherNonce } = update;
      if (network.update(update)) note(update, { ...known, ownNonce, otherNonce });
      return;
    }
    const isTaken = network.charge(update.channelId, update.updatingParticipant, update.schedule);
    if (isTaken) note(update, { ...known, feesAt: microsecondsOf(update.timestamp) });
  }

  return {
    network,
    confirmed,
    isWanted,
    /** Of an update that its participant signed. */
    announced(update: Update): void {
      if (network.channel(update.channelId) === null) keepWaiting(update);
      else apply(update);
    },
  };
}

function keyOf(update: Pick<Update, 'type' | 'channelId' | 'updatingParticipant'>): string {
  return `${update.type} ${update.channelId} ${update.updatingParticipant}`;
}
