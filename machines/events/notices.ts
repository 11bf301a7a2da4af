/** Notices that an actor gets from other actors and from the runtime. */

import * as v from 'valibot';
import type { Address, Hash, Secret } from '../../src/basics/hex.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { FeeTerms } from '../../src/protocol/fees/fee-terms.ts';
import { hex, text, uint } from '../../src/protocol/shapes.ts';
import type { ActorSettings, Forwarding, PayerSide } from '../base/inputs.ts';
import type { Judged, Served } from './stamps.ts';

export type AddLock = Judged & {
  type: 'actor.addLock';
  from: string;
  paymentId: bigint;
  amount: bigint;
  secrethash: Hash;
  /** Blocks from now; null takes twice the channel's reveal timeout. */
  lockTimeout: bigint | null;
  initiator: Address;
  target: Address;
  /** Canonical JSON of the message's metadata. */
  metadata: string;
};
export type LockAdded = { type: 'actor.lockAdded'; expiration: bigint };
export type LockRefused = { type: 'actor.lockRefused'; code: Code; detail: string };
/** Asks a channel to pass a transfer on, less what this node charges for it. */
export type ForwardLock = Judged &
  Served &
  Forwarding & {
    type: 'actor.forwardLock';
    from: string;
    amountIn: bigint;
    payer: PayerSide;
    fees: FeeTerms;
  };
/** `channel` has signed a lock of `amount` for the transfer. */
export type LockForwarded = {
  type: 'actor.lockForwarded';
  channel: string;
  partner: Address;
  amount: bigint;
};
/** No actor was found for the name `to`. Only for names that stand for another actor, such as that of `hopName`. */
export type Nobody = { type: 'actor.nobody'; to: string };
/** A name for the channel with `partner`: which channel that is, is looked up when an event is sent to the name. */
export function hopName(token: Address, partner: Address): string {
  return `hop:${token}:${partner}`;
}
/** The next hop gave the transfer back, because it found no way on. `channel`: the channel that tells this. */
export type Refunded = { type: 'actor.refunded'; channel: string };
export type DoUnlock = {
  type: 'actor.unlock';
  secrethash: Hash;
  secret: Secret;
  paymentId: bigint;
};
export type ExpireLock = { type: 'actor.expireLock'; secrethash: Hash };
/** The batch is about to be written: a channel signs what is not signed yet. */
export type SignNow = { type: 'actor.sign' };
/**
 * The secret of one of the channel's locks was registered on chain before the lock's expiration. `secret`: null when
 * the actor that tells this does not know it.
 */
export type SecretRegistered = {
  type: 'actor.secretRegistered';
  secrethash: Hash;
  secret: Secret | null;
};
/** No payment actor looks after this lock of the channel. `isPublic`: its secret was registered on chain in time. */
export type Unanswered = {
  type: 'actor.unanswered';
  side: 'own' | 'partner';
  secrethash: Hash;
  isPublic: boolean;
};
/**
 * The partner's lock was paid. `channel`: the channel that tells this, since somebody else may use the same
 * secrethash in another channel. `secret`: the one that the payer showed; null: the lock is paid on chain.
 */
export type Unlocked = { type: 'actor.unlocked'; channel: string; secret: Secret | null };
export type LockGone = { type: 'actor.lockGone'; channel: string };
/** The channel is gone from the chain, and our lock was still pending in it. */
export type OwnLockGone = { type: 'actor.ownLockGone'; channel: string };
export type ChannelClosing = { type: 'actor.channelClosed'; channel: string };
/** The settings of this process, told at its start. */
export type SettingsTold = { type: 'actor.settings'; settings: ActorSettings };
/**
 * The partner is there again, or did not answer what was sent to it in time: both sides are to tell each other what they
 * hold.
 */
export type Resynchronise = { type: 'actor.resynchronise' };
/** A deposit of this node that another actor asked for was mined: it has put `added` more into the channel. */
export type Funded = { type: 'actor.funded'; added: bigint };
/** The operator has opened a channel, paid or sold for this token: it is money to this node. */
export type Chosen = { type: 'actor.chosen' };
/** The channel is on chain already, and an old copy of the database that was accepted does not know it. */
export type OldCopy = { type: 'actor.oldCopy' };
/** Facts of an open channel after its partner deposited; `ownDeposit` is this node's total. */
export const partnerDeposit = v.object({
  channel: text,
  channelId: uint,
  partner: hex,
  openBlock: uint,
  ownDeposit: uint,
  partnerDeposit: uint,
});
export type PartnerDeposit = v.InferOutput<typeof partnerDeposit>;
export type PartnerDeposited = { type: 'actor.partnerDeposit'; offer: PartnerDeposit };
/** A channel as it was at its close. */
export const leftChannel = v.object({
  /** Its actor. */
  channel: text,
  channelId: uint,
  partner: hex,
  balance: v.bigint(),
  totalDeposit: uint,
  totalWithdraw: uint,
  settleTimeout: uint,
  revealTimeout: uint,
});
export type LeftChannel = v.InferOutput<typeof leftChannel>;
/** A channel was settled; locks of it may still have to be unlocked. */
export type ChannelLeft = { type: 'actor.channelSettled'; left: LeftChannel };
/** The answer to a command of another actor. `failure`: null when the command was carried out. */
export type AnsweredNotice = {
  type: 'actor.answered';
  about: string;
  failure: { code: Code; detail: string } | null;
};
export type TakeOut = { type: 'actor.takeOut'; amount: bigint; requestId: string };
/** The contract now holds another plan, or none. */
export type PlanReplaced = { type: 'actor.planReplaced' };
/** `plan`: the plan that the contract holds now; null: the transaction failed. */
export type PlanEnded = {
  type: 'actor.planEnded';
  withdrawal: string;
  plan: { amount: bigint; withdrawBlock: bigint; minedBlock: bigint } | null;
};
/** `minedBlock`: null when the transaction failed, so that the contract still holds the plan. */
export type WithdrawalEnded = { type: 'actor.withdrawalEnded'; minedBlock: bigint | null };
/** `FellBehind`: the chain is far ahead of what this node knows of it. `CaughtUp`: it no longer is. */
export type FellBehind = { type: 'actor.fellBehind' };
export type CaughtUp = { type: 'actor.caughtUp' };
/** The process is about to end. */
export type Stop = { type: 'actor.stop' };

export type Notice =
  | AddLock
  | LockAdded
  | LockRefused
  | ForwardLock
  | LockForwarded
  | Nobody
  | Refunded
  | DoUnlock
  | ExpireLock
  | SignNow
  | SecretRegistered
  | Unanswered
  | Unlocked
  | LockGone
  | OwnLockGone
  | ChannelClosing
  | SettingsTold
  | Funded
  | Chosen
  | Resynchronise
  | OldCopy
  | PartnerDeposited
  | ChannelLeft
  | AnsweredNotice
  | TakeOut
  | PlanReplaced
  | PlanEnded
  | WithdrawalEnded
  | FellBehind
  | CaughtUp
  | Stop;
