/**
 * Everything that can be said to an actor.
 *
 * `cmd.*` somebody asks; `msg.*` a partner message whose signature was checked; `chain.*` a confirmed log,
 * receipt or block; `told.*` another actor. The runtime stamps `nowBlock`, the newest confirmed block, on
 * each event, so that no machine has to ask for the time.
 */
import type { Code } from '../src/protocol/codes.ts';
import type { Address, Hash, Hex, Secret, Signature } from '../src/protocol/hex.ts';
import type {
  LockExpired,
  LockedTransfer,
  RevealSecret,
  SecretRequest,
  Sync,
  Unlock,
} from '../src/protocol/messages.ts';
import type { ActorSettings } from './effects.ts';

/** An event as it reaches a machine. */
export type Stamped<E> = E & { nowBlock: bigint };

/** Where on the chain a log stands. */
export type Position = { block: bigint; logIndex: number; transactionHash: Hash };

type OfChannel = { tokenNetwork: Address; channelId: bigint; at: Position };
/** A confirmed log of one of the contracts. Names and fields follow generation 0.40. */
export type ChannelLog =
  | (OfChannel & {
      type: 'chain.channelOpened';
      participant1: Address;
      participant2: Address;
      settleTimeout: bigint;
    })
  | (OfChannel & { type: 'chain.channelDeposit'; participant: Address; totalDeposit: bigint })
  | (OfChannel & { type: 'chain.channelWithdraw'; participant: Address; totalWithdraw: bigint })
  /** `nonce` and `balanceHash` are those of the other side's balance proof that `closer` brought. */
  | (OfChannel & { type: 'chain.channelClosed'; closer: Address; nonce: bigint; balanceHash: Hash })
  /** `nonce` and `balanceHash` are those of the closer's balance proof. */
  | (OfChannel & { type: 'chain.proofUpdated'; closer: Address; nonce: bigint; balanceHash: Hash })
  | (OfChannel & {
      type: 'chain.channelSettled';
      participant1: Address;
      amount1: bigint;
      locksroot1: Hash;
      participant2: Address;
      amount2: bigint;
      locksroot2: Hash;
    })
  | (OfChannel & {
      type: 'chain.channelUnlocked';
      receiver: Address;
      sender: Address;
      locksroot: Hash;
      unlockedAmount: bigint;
      returnedTokens: bigint;
    });
export type TokenNetworkCreated = {
  type: 'chain.tokenNetworkCreated';
  token: Address;
  tokenNetwork: Address;
  at: Position;
};
export type SecretRevealed = {
  type: 'chain.secretRevealed';
  secrethash: Hash;
  secret: Secret;
  at: Position;
};
export type ChainLog = ChannelLog | TokenNetworkCreated | SecretRevealed;

/** The end of a transaction job that an actor asked for with `tx.*`; `key` is the effect's. */
export type TransactionEnded = { type: 'chain.tx'; key: string } & (
  | { ok: true; transactionHash: Hash; minedBlock: bigint }
  | { ok: false; code: Code; detail: string }
);
/** The newest confirmed block reached the actor's `wakeBlock`. */
export type BlockReached = { type: 'chain.block' };

/** What every partner message event carries: who signed it, and the signature itself. */
export type FromPartner<M> = { message: M; sender: Address; signature: Signature };
export type LockedTransferReceived = { type: 'msg.lockedTransfer' } & FromPartner<LockedTransfer>;
/** `secrethash` is the sha256 of the secret, computed once on receipt. */
export type UnlockReceived = { type: 'msg.unlock'; secrethash: Hash } & FromPartner<Unlock>;
export type LockExpiredReceived = { type: 'msg.lockExpired' } & FromPartner<LockExpired>;
/** `isProven`: the receiver's own signature inside is good for `acceptedNonce`. */
export type SyncReceived = { type: 'msg.sync'; isProven: boolean } & FromPartner<Sync>;
export type SecretRequestReceived = { type: 'msg.secretRequest' } & FromPartner<SecretRequest>;
/** `secrethash` is the sha256 of the secret, computed once on receipt. */
export type RevealSecretReceived = {
  type: 'msg.revealSecret';
  secrethash: Hash;
} & FromPartner<RevealSecret>;

// Between a payment's actor and its channel.
export type AddLock = {
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
export type LockRefused = { type: 'told.lockRefused'; code: Code; detail: string };
export type DoUnlock = { type: 'told.unlock'; secrethash: Hash; secret: Secret; paymentId: bigint };
export type ExpireLock = { type: 'told.expireLock'; secrethash: Hash };
/** The secret of one of the channel's locks was registered on chain before the lock's expiration. */
export type SecretRegistered = { type: 'told.secretRegistered'; secrethash: Hash; secret: Secret };
/** `channel` is the teller: somebody else may use the same secrethash in another channel. */
export type Unlocked = { type: 'told.unlocked'; channel: string };
export type LockGone = { type: 'told.lockGone'; channel: string };
export type ChannelClosing = { type: 'told.channelClosed'; channel: string };
/** The settings of this process, told at its start. */
export type SettingsTold = { type: 'told.settings'; settings: ActorSettings };
/** The partner answers again after a silence, or this process has just started. */
export type PartnerBack = { type: 'told.partnerBack' };

export type Deposit = {
  type: 'cmd.deposit';
  requestId: string;
  totalDeposit: bigint;
  limits: DepositLimits;
};
/** Facts of the chain that a deposit is judged by, read just before the command. */
export type DepositLimits = { participantLimit: bigint; networkRoom: bigint; ownTokens: bigint };
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
  limits: DepositLimits & {
    minSettleTimeout: bigint;
    maxSettleTimeout: bigint;
    minRevealTimeout: bigint;
  };
};
export type RegisterToken = { type: 'cmd.registerToken'; requestId: string; token: Address };
export type Pay = { type: 'cmd.pay'; requestId: string; id: string; payment: PaymentOrder };
/** One payment over one route, as the initiator's actor gets it. */
export type PaymentOrder = {
  token: Address;
  tokenNetwork: Address;
  target: Address;
  amount: bigint;
  paymentId: bigint;
  secret: Secret;
  secrethash: Hash;
  lockTimeout: bigint | null;
  /** The channel with the first hop, and that hop. */
  channel: string;
  partner: Address;
  metadata: string;
};
export type Calldata = Hex;
