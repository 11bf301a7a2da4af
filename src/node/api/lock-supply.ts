/** How many locks channels have left for payments of this node. */

import type { Address } from '../../basics/hex.ts';
import { MAX_PENDING_LOCKS } from '../../protocol/channel/lock.ts';
import type { PaymentRequest } from '../routing/usable-routes.ts';
import type { Payer } from '../runtime/knowledge/channel-figures.ts';

/** Channels that give locks, by a name; payments of one name share them. */
export type LockSupply = {
  name: string;
  /** Whether they give another lock beside those of so many payments, which may have no lock yet. */
  hasLock(underWay: number): boolean;
};

type Channels = {
  find(token: Address, partner: Address): string | null;
  /** The channels of the token that take payments. */
  payers(token: Address): Iterable<Payer>;
  /** Null when the channel takes no payments. */
  payable(channel: string): bigint | null;
  locksPending(channel: string): number;
};

export function createLockSupplies({ find, payers, payable, locksPending }: Channels) {
  const isFull = (channel: string) => locksPending(channel) >= MAX_PENDING_LOCKS;

  const ofChannel = (channel: string): LockSupply => ({
    name: channel,
    hasLock: (underWay) =>
      payable(channel) !== null && !isFull(channel) && underWay < MAX_PENDING_LOCKS,
  });

  const ofToken = (token: Address, amount: bigint): LockSupply => ({
    name: token,
    hasLock(underWay) {
      let open = 0;
      let hasFree = false;
      for (const { payable, ownLocks } of payers(token)) {
        const isFree = ownLocks < MAX_PENDING_LOCKS;
        // Anybody can open channels in which this node has nothing.
        if (isFree && payable < amount) continue;
        open++;
        hasFree ||= isFree;
        if (hasFree && underWay < open * MAX_PENDING_LOCKS) return true;
      }
      // Without such a channel the payment has another fault.
      return open === 0;
    },
  });

  return {
    /** The channel with the target when it can carry the amount, else all of the token: any may be the first hop. */
    of({ token, target, amount, routes }: PaymentRequest): LockSupply {
      const direct = routes === null ? find(token, target) : null;
      const isEnough = direct !== null && (payable(direct) ?? -1n) >= amount;
      return isEnough ? ofChannel(direct) : ofToken(token, amount);
    },
    isFull,
    /** Whether channels of the token are full, and no other has anything to pay with. */
    isExhausted(token: Address): boolean {
      let full = 0;
      for (const { payable, ownLocks } of payers(token)) {
        if (ownLocks >= MAX_PENDING_LOCKS) full++;
        else if (payable > 0n) return false;
      }
      return full > 0;
    },
  };
}
