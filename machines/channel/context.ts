/** What a channel remembers, and everything that it can be told. */

import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import type { ChannelEnd, PendingWithdraw } from '../../src/protocol/channel-end.ts';
import { EMPTY_END } from '../../src/protocol/channel-end.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Address, Hash, Hex } from '../../src/protocol/hex.ts';
import type { PartnerProof } from '../effects.ts';
import type { BlockReached, ChannelSettled, TransactionEnded } from '../events/chain.ts';
import type { Close, Deposit, SetRevealTimeout, Withdraw } from '../events/commands.ts';
import type {
  LockExpiredReceived,
  LockedTransferReceived,
  RefundTransferReceived,
  SyncReceived,
  UnlockReceived,
  WithdrawConfirmationReceived,
  WithdrawExpiredReceived,
  WithdrawRequestReceived,
} from '../events/messages.ts';
import type {
  AddLock,
  DoUnlock,
  ExpireLock,
  ForwardLock,
  OldCopy,
  PartnerBack,
  SecretRegistered,
  SettingsTold,
  Unanswered,
} from '../events/notices.ts';
import type { ChannelInput } from '../inputs.ts';
import type { Step } from '../step.ts';

export type ChannelContext = ChannelInput & {
  id: string;
  ownEnd: ChannelEnd;
  partnerEnd: ChannelEnd;
  /** The partner's newest balance proof; null while it has signed none. */
  partnerProof: PartnerProof | null;
  /**
   * Own locks that pass on a transfer, and who pays this node for each. A lock that an older version made is not here:
   * it counts as a payment of this node.
   */
  forwarded: readonly Forwarded[];
  /** Secrethashes of pending locks whose secret stands on chain in time. */
  registered: readonly Hash[];
  /** The deposit that is on its way. */
  deposit: { requestId: string; key: string; totalDeposit: bigint } | null;
  /** Our withdraw that has neither happened nor expired. */
  withdraw: OwnWithdraw | null;
  /** Consents that we asked for, the oldest first, and that we gave: each message counts once. */
  requests: readonly WithdrawAsked[];
  consents: readonly WithdrawConsent[];
  /** Up to this expiration, consents may have been forgotten: no new one is given. */
  consentHorizon: bigint;
  /** Who waits for the close. */
  closeRequest: string | null;
  dispute: Dispute | null;
  /** Sides whose locks still have to be unlocked on chain after the settlement. */
  unlocks: readonly ('own' | 'partner')[];
  /** Counts transaction jobs, so that each gets a key of its own. */
  jobs: number;
  wakeBlock: bigint | null;
};

export type OwnWithdraw = PendingWithdraw & {
  /** Who waits for its end. */
  waiting: readonly string[];
  /** The transaction's key, once the partner has agreed in time. */
  job: string | null;
  /** Why the transaction failed. The partner may still have sent its own. */
  failure: { code: Code; detail: string } | null;
};
/** Our request: its nonce and identifier, and whether the partner's consent was taken. */
export type WithdrawAsked = PendingWithdraw & {
  nonce: bigint;
  messageId: bigint;
  isAnswered: boolean;
};
/** Our consent to a withdraw of the partner, by the nonce of our confirmation. */
export type WithdrawConsent = PendingWithdraw & { nonce: bigint };

/** What the contract holds since the close. A null hash: no balance proof of that side. */
export type Dispute = {
  closer: Address;
  closeBlock: bigint;
  ownHash: Hash | null;
  partnerHash: Hash | null;
};

export type ChannelStep = Step<ChannelContext>;

export type ChannelEvent =
  | AddLock
  | ForwardLock
  | DoUnlock
  | ExpireLock
  | SecretRegistered
  | Unanswered
  | PartnerBack
  | OldCopy
  | LockedTransferReceived
  | RefundTransferReceived
  | UnlockReceived
  | LockExpiredReceived
  | WithdrawRequestReceived
  | WithdrawConfirmationReceived
  | WithdrawExpiredReceived
  | SyncReceived
  | Deposit
  | Withdraw
  | Close
  | SetRevealTimeout
  | SettingsTold
  | Exclude<ChannelLog, { type: 'chain.channelSettled' }>
  | ChannelSettled
  | TransactionEnded
  | BlockReached;

export function newChannel(input: ChannelInput & { id: string }): ChannelContext {
  return {
    ...input,
    ownEnd: EMPTY_END,
    partnerEnd: EMPTY_END,
    partnerProof: null,
    forwarded: [],
    registered: [],
    deposit: null,
    withdraw: null,
    requests: [],
    consents: [],
    consentHorizon: 0n,
    closeRequest: null,
    dispute: null,
    unlocks: [],
    jobs: 0,
    wakeBlock: null,
  };
}

/** The actor of a channel. */
export function channelActorId(tokenNetwork: Hex, channelId: bigint): string {
  return `channel:${tokenNetwork}:${channelId}`;
}

/** The contract's number of the channel with this actor. */
export function channelIdOf(actor: string): bigint {
  return BigInt(actor.slice(actor.lastIndexOf(':') + 1));
}

/** A pending lock of this node that passes a transfer on, and the partner that gave the transfer. */
export type Forwarded = { secrethash: Hash; payer: Address };
