/** How many locks channels have left for payments of this node. */
import type { Address } from '../../protocol/hex.ts';
import { MAX_PENDING_LOCKS } from '../../protocol/lock.ts';
import type { PaymentRequest } from '../routing/usable-routes.ts';
import type { Payer } from '../runtime/channel-figures.ts';

/** Channels that give locks, by a name; payments of one name share them. */
export type LockSupply = {
  name: string;
  /** Whether they give another lock beside those of so many payments, which may have no lock yet. */
  hasLock(underWay: number): boolean;
};

type Channels = {
  channelOf(token: Address, partner: Address): string | null;
  /** The channels of the token that take payments. */
  payers(token: Address): Iterable<Payer>;
  /** Null when the channel takes no payments. */
  payable(channel: string): bigint | null;
  locksPending(channel: string): number;
};

export function createLockSupplies({ channelOf, payers, payable, locksPending }: Channels) {
  const isFull = (channel: string) => locksPending(channel) >= MAX_PENDING_LOCKS;

  const ofChannel = (channel: string): LockSupply => ({
    name: channel,
    hasLock: (underWay) =>
      payable(channel) !== null && !isFull(channel) && underWay < MAX_PENDING_LOCKS,
  });

  const ofToken = (token: Address): LockSupply => ({
    name: token,
    hasLock(underWay) {
      let open = 0;
      let hasFree = false;
      for (const { ownLocks } of payers(token)) {
        open++;
        hasFree ||= ownLocks < MAX_PENDING_LOCKS;
        if (hasFree && underWay < open * MAX_PENDING_LOCKS) return true;
      }
      return false;
    },
  });

  return {
    /** The channel with the target when it can carry the amount, else all of the token: any may be the first hop. */
    of({ token, target, amount, routes }: PaymentRequest): LockSupply {
      const direct = routes === null ? channelOf(token, target) : null;
      const isEnough = direct !== null && (payable(direct) ?? -1n) >= amount;
      return isEnough ? ofChannel(direct) : ofToken(token);
    },
    isFull,
    /** Whether there are open channels of the token and none of them gives a lock now. */
    isExhausted(token: Address): boolean {
      let open = 0;
      for (const { ownLocks } of payers(token)) {
        if (ownLocks < MAX_PENDING_LOCKS) return false;
        open++;
      }
      return open > 0;
    },
  };
}
