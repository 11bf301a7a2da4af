/** What a mediator and the channels of its two sides say to each other. */
import type { FeeTerms } from '../src/protocol/fee-terms.ts';
import type { Address, Hash } from '../src/protocol/hex.ts';
import type { Judged } from './events.ts';

/** The side that a transfer came from, as the mediator needs it. Amounts in the token's smallest unit. */
export type PayerSide = {
  channel: string;
  partner: Address;
  /** Blocks that are kept to register the secret before the payer's lock runs out. */
  revealTimeout: bigint;
  settleTimeout: bigint;
  /** This node's balance in the channel and the partner's, as its fees take them: see `underWay`. */
  balance: bigint;
  receivable: bigint;
};

/** What is passed on: everything but the amount stays as it came. */
export type Forwarding = {
  paymentId: bigint;
  secrethash: Hash;
  expiration: bigint;
  initiator: Address;
  target: Address;
  /** Canonical JSON of the message's metadata, as it came. */
  metadata: string;
};

/** Asks a channel to pass a transfer on, less what this node charges for it. */
export type ForwardLock = Judged &
  Forwarding & {
    type: 'told.forwardLock';
    from: string;
    amountIn: bigint;
    payer: PayerSide;
    fees: FeeTerms;
  };
/** `channel` has signed a lock of `amount` for the transfer. */
export type LockForwarded = {
  type: 'told.lockForwarded';
  channel: string;
  partner: Address;
  amount: bigint;
};
/** Nobody has the name that was told something; only of names that stand for others. */
export type Nobody = { type: 'told.nobody'; to: string };
/** The channel left the chain with our lock in it. */
export type OwnLockGone = { type: 'told.ownLockGone'; channel: string };

/** The name of the channel with `partner`, whichever it is when something is told to it. */
export function hopName(token: Address, partner: Address): string {
  return `hop:${token}:${partner}`;
}
