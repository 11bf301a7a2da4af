/**
 * What people, partners and other actors say to an actor; what the chain says is in `chain-events.ts`.
 *
 * `cmd.*` somebody asks; `msg.*` a partner message whose sender its seal has proven; `told.*` another actor.
 * The runtime stamps `nowBlock`, the newest confirmed block, on each event, so that no machine has to ask for
 * the time.
 */
import type { Code } from '../src/protocol/codes.ts';
import type { FeeTerms } from '../src/protocol/fee-terms.ts';
import type { Address, Hash, Hex, Secret, Signature } from '../src/protocol/hex.ts';
import type {
  ContractMessage,
  LockExpired,
  LockedTransfer,
  RefundTransfer,
  RevealSecret,
  SecretRequest,
  Sync,
  Unlock,
  WithdrawConfirmation,
  WithdrawExpired,
  WithdrawRequest,
} from '../src/protocol/messages.ts';
import type { ActorSettings, LeftChannel } from './effects.ts';

/** An event as it reaches a machine. */
export type Stamped<E> = E & { nowBlock: bigint };

/** Why this node gives or takes no lock now, whatever its channel; absent: it does. Put in by the runtime. */
export type Judged = { refusal?: Code };

/** What every partner message event carries: who sent it. */
export type FromPartner<M> = { message: M; sender: Address };
/** Of a message that a contract reads, the sender's signature, too. */
export type SignedByPartner<M extends ContractMessage> = FromPartner<M> & { signature: Signature };
/** `fees`: what this node charges now for passing on tokens of this kind. */
export type LockedTransferReceived = Judged & {
  type: 'msg.lockedTransfer';
  fees: FeeTerms;
} & SignedByPartner<LockedTransfer>;
/** `sent`: the payment whose lock this node has pending in the channel; null: there is none. */
export type RefundTransferReceived = {
  type: 'msg.refundTransfer';
  sent: { paymentId: bigint; target: Address } | null;
} & SignedByPartner<RefundTransfer>;
/** `secrethash` is the sha256 of the secret, computed once on receipt. */
export type UnlockReceived = { type: 'msg.unlock'; secrethash: Hash } & SignedByPartner<Unlock>;
export type LockExpiredReceived = { type: 'msg.lockExpired' } & SignedByPartner<LockExpired>;
/** `isProven`: the receiver's own signature inside is good for `acceptedNonce`. */
export type SyncReceived = { type: 'msg.sync'; isProven: boolean } & FromPartner<Sync>;
export type WithdrawRequestReceived = {
  type: 'msg.withdrawRequest';
} & SignedByPartner<WithdrawRequest>;
export type WithdrawConfirmationReceived = {
  type: 'msg.withdrawConfirmation';
} & SignedByPartner<WithdrawConfirmation>;
export type WithdrawExpiredReceived = {
  type: 'msg.withdrawExpired';
} & FromPartner<WithdrawExpired>;
export type SecretRequestReceived = { type: 'msg.secretRequest' } & FromPartner<SecretRequest>;
/** `secrethash` is the sha256 of the secret, computed once on receipt. */
export type RevealSecretReceived = {
  type: 'msg.revealSecret';
  secrethash: Hash;
} & FromPartner<RevealSecret>;

// Between a payment's actor and its channel.
export type AddLock = Judged & {
  type: 'told.addLock';
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
export type LockAdded = { type: 'told.lockAdded'; expiration: bigint };
/** The next hop gave the transfer back: it found no way on. `channel` is the teller. */
export type Refunded = { type: 'told.refunded'; channel: string };
export type LockRefused = { type: 'told.lockRefused'; code: Code; detail: string };
export type DoUnlock = { type: 'told.unlock'; secrethash: Hash; secret: Secret; paymentId: bigint };
export type ExpireLock = { type: 'told.expireLock'; secrethash: Hash };
/**
 * The secret of one of the channel's locks was registered on chain before the lock's expiration; null: who
 * tells it knows no more than that.
 */
export type SecretRegistered = {
  type: 'told.secretRegistered';
  secrethash: Hash;
  secret: Secret | null;
};
/** Nobody answers for this lock of the channel. `isPublic`: its secret stands on chain in time. */
export type Unanswered = {
  type: 'told.unanswered';
  side: 'own' | 'partner';
  secrethash: Hash;
  isPublic: boolean;
};
/**
 * `channel` is the teller: somebody else may use the same secrethash in another channel. The secret is the
 * payer's; null: the lock is paid on chain.
 */
export type Unlocked = { type: 'told.unlocked'; channel: string; secret: Secret | null };
export type LockGone = { type: 'told.lockGone'; channel: string };
export type ChannelClosing = { type: 'told.channelClosed'; channel: string };
/** The settings of this process, told at its start. */
export type SettingsTold = { type: 'told.settings'; settings: ActorSettings };
/** The partner answers again after a silence, or this process has just started. */
export type PartnerBack = { type: 'told.partnerBack' };
/** The channel is on chain already, and an old copy of the database that was accepted does not know it. */
export type OldCopy = { type: 'told.oldCopy' };

export type Deposit = {
  type: 'cmd.deposit';
  requestId: string;
  totalDeposit: bigint;
  limits: DepositLimits;
};
/** Facts of the chain that a deposit is judged by, read just before the command. */
export type DepositLimits = { participantLimit: bigint; networkRoom: bigint; ownTokens: bigint };
/**
 * The user deposit of this account, as the newest block has it, read just before a command. Amounts in
 * units of the token that services are paid in.
 */
export type UserDepositFacts = {
  contract: Address;
  token: Address;
  /** The newest block; everything here is of this one. */
  block: bigint;
  balance: bigint;
  /** All that was ever deposited for the account; never reduced. */
  totalDeposit: bigint;
  /** What may be withdrawn from `withdrawBlock` on; both are 0 without a plan. */
  planned: bigint;
  withdrawBlock: bigint;
  /** What services can count on: the balance without what is planned to leave. */
  effectiveBalance: bigint;
  /** What the contract still takes, from everybody together. */
  room: bigint;
  /** Blocks from a plan to the first in which it may be withdrawn. */
  withdrawDelay: bigint;
  /** What the account holds outside of the contract. */
  ownTokens: bigint;
};
/** The new total to be paid in, what to plan, or what to take out; in units of the service token. */
export type UserDepositOrder = { kind: 'deposit' | 'plan' | 'withdraw'; amount: bigint };
export type OperateUserDeposit = {
  type: 'cmd.userDeposit';
  requestId: string;
  order: UserDepositOrder;
  facts: UserDepositFacts;
};
// Between the user deposit and its withdrawals.
export type TakeOut = { type: 'told.takeOut'; amount: bigint; requestId: string };
/** Another plan stands in the contract, or none. */
export type PlanReplaced = { type: 'told.planReplaced' };
/** `plan`: what stands in the contract now; null: the transaction failed. */
export type PlanEnded = {
  type: 'told.planEnded';
  withdrawal: string;
  plan: { amount: bigint; withdrawBlock: bigint; minedBlock: bigint } | null;
};
/** `minedBlock`: null when the transaction failed and the plan stands. */
export type WithdrawalEnded = { type: 'told.withdrawalEnded'; minedBlock: bigint | null };

/** How a test token takes the order to mint; the names of the contract's functions. */
export type MintMethod = 'mint' | 'mintFor' | 'increaseSupply';
export type Mint = { type: 'cmd.mint'; requestId: string } & MintOrder;
export type MintOrder = { token: Address; to: Address; value: bigint; method: MintMethod };
/**
 * `messageId` is that of the request, should one be sent. `isPartnerThere` and `canPayGas` are facts that
 * were asked for just before the command.
 */
export type Withdraw = {
  type: 'cmd.withdraw';
  requestId: string;
  totalWithdraw: bigint;
  messageId: bigint;
  isPartnerThere: boolean;
  canPayGas: boolean;
};
export type Close = { type: 'cmd.close'; requestId: string };
export type SetRevealTimeout = {
  type: 'cmd.setRevealTimeout';
  requestId: string;
  revealTimeout: bigint;
  minimum: bigint;
};
export type Open = {
  type: 'cmd.open';
  requestId: string;
  partner: Address;
  totalDeposit: bigint;
  settleTimeout: bigint;
  revealTimeout: bigint;
  /** Whether an unsettled channel with the partner is known. */
  hasChannel: boolean;
  /** Whether the account can pay for the channel from its opening to its end, too. */
  canPayGas: boolean;
  limits: OpenLimits;
};
export type OpenLimits = DepositLimits & {
  minSettleTimeout: bigint;
  maxSettleTimeout: bigint;
  minRevealTimeout: bigint;
};
/** Facts of an open channel after its partner deposited; `ownDeposit` is this node's total. */
export type PartnerDeposit = {
  channel: string;
  channelId: bigint;
  partner: Address;
  openBlock: bigint;
  ownDeposit: bigint;
  partnerDeposit: bigint;
};
export type PartnerDeposited = { type: 'told.partnerDeposit'; offer: PartnerDeposit };
/** A channel was settled; locks of it may still have to be unlocked. */
export type ChannelLeft = { type: 'told.channelSettled'; left: LeftChannel };

export type Join = {
  type: 'cmd.join';
  requestId: string;
  funds: bigint;
  /** Peers that answer, best first; none of them has a channel with this node. */
  candidates: readonly Address[];
  /** This node's deposits in its open channels. */
  deposits: readonly bigint[];
  settleTimeout: bigint;
  revealTimeout: bigint;
  limits: OpenLimits;
  /** In wei: what the account holds, and what one opening with a deposit costs. */
  gas: { money: bigint; perOpening: bigint };
};
/** `channels`: the actors of all channels that are not settled. */
export type Leave = { type: 'cmd.leave'; requestId: string; channels: readonly string[] };
export type RegisterToken = { type: 'cmd.registerToken'; requestId: string; token: Address };
export type Pay = { type: 'cmd.pay'; requestId: string; id: string; payment: PaymentOrder };
/** One way that a payment can take. */
export type Attempt = {
  /** Of this attempt alone, unless the caller chose the secret: then all attempts have the same. */
  secret: Secret;
  secrethash: Hash;
  /** The channel with the first hop, and that hop. */
  channel: string;
  partner: Address;
  /** The whole way: this node first, the target last. */
  route: readonly Address[];
  /** What is locked: the payment's amount with what the way costs. */
  lockAmount: bigint;
};
/** One payment over one route, as the initiator's actor gets it. */
export type PaymentOrder = Attempt & {
  token: Address;
  tokenNetwork: Address;
  target: Address;
  /** What the target is to get. */
  amount: bigint;
  paymentId: bigint;
  lockTimeout: bigint | null;
  /** Who is answered when the payment is over, whichever attempt ended it. */
  requestId: string;
  /** Counts the attempts of the payment from 1. */
  attempt: number;
  /** Ways that are left when this one fails, best first. */
  alternatives: readonly Attempt[];
};
export type Calldata = Hex;
