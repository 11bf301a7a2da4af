/** What a channel's actor remembers, and every event that it can get. */

import * as v from 'valibot';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import { partnerProof } from '../../src/protocol/channel/balance-proof.ts';
import { channelEnd, EMPTY_END, pendingWithdraw } from '../../src/protocol/channel/channel-end.ts';
import { lockShape } from '../../src/protocol/channel/lock.ts';
import { changeShape } from '../../src/protocol/messages/changes.ts';
import { count, failure, hex, list, optionalUint, text, uint } from '../../src/protocol/shapes.ts';
import { type ChannelInput, channelInput } from '../base/inputs.ts';
import { binding, type Step } from '../base/step.ts';
import type { BlockReached, ChannelSettled, TransactionEnded } from '../events/chain.ts';
import type { Close, Deposit, SetRevealTimeout, Withdraw } from '../events/commands.ts';
import type {
  SyncReceived,
  UpdateReceived,
  WithdrawConfirmationReceived,
  WithdrawExpiredReceived,
  WithdrawRequestReceived,
} from '../events/messages.ts';
import type {
  AddLock,
  DoUnlock,
  ExpireLock,
  ForwardLock,
  Funded,
  OldCopy,
  Resynchronise,
  SecretRegistered,
  SettingsTold,
  SignNow,
  Unanswered,
} from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';

/** Why something is not done, and what a person is told of it. */
export type ActorRefusal = v.InferOutput<typeof failure>;

/** What others ask of a channel's state. */
export type ChannelTag =
  /** It takes payments, as far as the state decides. */
  | 'takesLocks'
  /** It can still unlock its own locks, or take them back; else only the chain decides over them. */
  | 'signsForLocks'
  /** Nothing is signed any more, since the database is an old copy: it waits to be closed. */
  | 'isFrozen'
  /** It can still be closed, as far as this node knows. */
  | 'isUnclosed'
  /** The contract still takes a balance proof. */
  | 'takesProofs'
  /** The partner's newest balance proof may have to be brought on chain in time. */
  | 'bringsProof'
  | 'isUnsettled'
  /** Something of this node may be left in the contract. */
  | 'holdsMoney';

/** Our withdraw that has neither happened nor expired. */
const ownWithdraw = v.object({
  ...pendingWithdraw.entries,
  /** The requests that are answered when the withdraw has ended. */
  waiting: list(text),
  /** The transaction's key, once the partner has agreed in time. */
  job: v.nullable(text),
  /** Why this node's transaction failed. The partner may still have sent its own. */
  failure: v.nullable(failure),
});
export type OwnWithdraw = v.InferOutput<typeof ownWithdraw>;

/** A request of this node: its nonce and identifier, and whether the partner's consent was taken. */
const withdrawAsked = v.object({
  ...pendingWithdraw.entries,
  nonce: uint,
  messageId: uint,
  isAnswered: v.boolean(),
});
export type WithdrawAsked = v.InferOutput<typeof withdrawAsked>;

/** This node's consent to a withdraw of the partner, with the nonce of the confirmation. */
const withdrawConsent = v.object({ ...pendingWithdraw.entries, nonce: uint });
export type WithdrawConsent = v.InferOutput<typeof withdrawConsent>;

/** A pending lock of this node that passes a transfer on, and the partner that gave the transfer. */
const forwardedLock = v.object({ secrethash: hex, payer: hex });

/** A change of this node's side: the lock that it adds or removes, and the partner whose transfer it passes on. */
const madeChange = v.object({ change: changeShape, lock: lockShape, giver: v.nullable(hex) });
export type MadeChange = v.InferOutput<typeof madeChange>;

/** `before`: this node's side as it was last signed; `changes`: what has changed it since, the oldest first. */
const unsigned = v.object({ before: channelEnd, changes: list(madeChange) });

/** What the contract holds since the close. A null hash: no balance proof of that side is on chain. */
const dispute = v.object({
  closer: hex,
  closeBlock: uint,
  ownHash: v.nullable(hex),
  partnerHash: v.nullable(hex),
});
export type Dispute = v.InferOutput<typeof dispute>;

export const channelContext = v.object({
  ...channelInput.entries,
  id: text,
  ownEnd: channelEnd,
  partnerEnd: channelEnd,
  /**
   * What of `ownEnd` is not signed yet. It is signed before the batch is written: on disk this is null, and what is
   * known from disk was signed.
   */
  unsigned: v.nullable(unsigned),
  /** The partner's newest balance proof; null while it has signed none. */
  partnerProof: v.nullable(partnerProof),
  /** Own locks that pass on a transfer, and who pays this node for each. */
  forwarded: list(forwardedLock),
  /** Secrethashes of pending locks whose secret was registered on chain in time. */
  registered: list(hex),
  /**
   * What this node itself has put in: the sum of its own mined deposits. Anybody may deposit on this node's side, too:
   * then it owns more than it has chosen to put at stake.
   */
  funded: uint,
  /** The deposit that is on its way; `added`: what it adds to the total of before. */
  deposit: v.nullable(v.object({ requestId: text, key: text, totalDeposit: uint, added: uint })),
  withdraw: v.nullable(ownWithdraw),
  /**
   * Withdraws that this node asked the partner to agree to, the oldest first; `consents`: those that it agreed to
   * itself. Each message has an effect only once.
   */
  requests: list(withdrawAsked),
  consents: list(withdrawConsent),
  /** Consents up to this expiration may have been forgotten, so no new one is given for it or below. */
  consentHorizon: uint,
  /** The request that is answered when the channel is closed. */
  closeRequest: v.nullable(text),
  /** Whether somebody has asked for the close: then its settlement was asked for, too. */
  isOrdered: v.boolean(),
  dispute: v.nullable(dispute),
  /** Sides whose locks still have to be unlocked on chain after the settlement. */
  unlocks: list(v.picklist(['own', 'partner'])),
  /** What the unlock of each side brings to this node. */
  brings: v.object({ own: uint, partner: uint }),
  /** Counts transaction jobs, so that each gets a key of its own. */
  jobs: count,
  wakeBlock: optionalUint,
});
export type ChannelContext = v.InferOutput<typeof channelContext>;

export type ChannelStep = Step<ChannelContext>;

export type ChannelEvent =
  | AddLock
  | ForwardLock
  | DoUnlock
  | ExpireLock
  | SignNow
  | SecretRegistered
  | Unanswered
  | Funded
  | Resynchronise
  | OldCopy
  | UpdateReceived
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

/** With these each subject binds its checks and steps to the events that the chart allows for them. */
export const { on, onAny, onGiven, when } = binding<ChannelContext, Stamped<ChannelEvent>>();

/** What a check gets that needs no binding, because it looks at nothing that only some events have. */
export type Checked = { context: ChannelContext; event: Stamped<ChannelEvent> };

export function newChannel(input: ChannelInput & { id: string }): ChannelContext {
  return {
    ...input,
    ownEnd: EMPTY_END,
    partnerEnd: EMPTY_END,
    unsigned: null,
    partnerProof: null,
    forwarded: [],
    registered: [],
    funded: 0n,
    deposit: null,
    withdraw: null,
    requests: [],
    consents: [],
    consentHorizon: 0n,
    closeRequest: null,
    isOrdered: false,
    dispute: null,
    unlocks: [],
    brings: { own: 0n, partner: 0n },
    jobs: 0,
    wakeBlock: null,
  };
}
