/** How many locks channels have left for payments of this node. */
import type { Address } from '../../protocol/hex.ts';
import { MAX_PENDING_LOCKS } from '../../protocol/lock.ts';
import type { PaymentRequest } from '../routing/usable-routes.ts';

/** Channels that give locks, by a name; payments of one name share them. */
export type LockSupply = {
  name: string;
  /** Whether they give another lock beside those of so many payments, which may have no lock yet. */
  hasLock(underWay: number): boolean;
};

type Channels = {
  channelOf(token: Address, partner: Address): string | null;
  channelsOf(token: Address): readonly string[];
  /** Null when the channel takes no payments. */
  payable(channel: string): bigint | null;
  locksPending(channel: string): number;
};

export function createLockSupplies({ channelOf, channelsOf, payable, locksPending }: Channels) {
  const isFull = (channel: string) => locksPending(channel) >= MAX_PENDING_LOCKS;

  function supplyOf(name: string, channels: () => readonly string[]): LockSupply {
    return {
      name,
      hasLock(underWay) {
        let open = 0;
        let hasFree = false;
        for (const channel of channels()) {
          if (payable(channel) === null) continue;
          open++;
          hasFree ||= !isFull(channel);
          if (hasFree && underWay < open * MAX_PENDING_LOCKS) return true;
        }
        return false;
      },
    };
  }

  return {
    /** The channel with the target when it can carry the amount, else all of the token: any may be the first hop. */
    of({ token, target, amount, routes }: PaymentRequest): LockSupply {
      const direct = routes === null ? channelOf(token, target) : null;
      const isEnough = direct !== null && (payable(direct) ?? -1n) >= amount;
      return isEnough ? supplyOf(direct, () => [direct]) : supplyOf(token, () => channelsOf(token));
    },
    isFull,
    /** Whether there are open channels of the token and none of them gives a lock now. */
    isExhausted(token: Address): boolean {
      const open = channelsOf(token).filter((channel) => payable(channel) !== null);
      return open.length > 0 && open.every(isFull);
    },
  };
}
