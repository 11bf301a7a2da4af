/**
 * What the chain says to an actor: a confirmed log, the end of a transaction that it asked for, a block that
 * it waited for. Names and fields of the logs follow generation 0.40 of the contracts.
 */
import type { Code } from '../../src/protocol/codes.ts';
import type { Address, Hash, Secret } from '../../src/protocol/hex.ts';

/** Where on the chain a log stands. */
export type Position = { block: bigint; logIndex: number; transactionHash: Hash };
type OfChannel = { tokenNetwork: Address; channelId: bigint; at: Position };
/** A confirmed log of a channel's token network. */
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
/**
 * What the balance proof said that stood on chain at the end, 0 where there was none. `claimable`: what the
 * contract's `unlock` counts of its locks, which is the sum of those whose secret was registered before they
 * ended; null: of one of them it is not known.
 */
export type SettledProof = {
  transferred: bigint;
  locked: bigint;
  claimable: bigint | null;
  /** The secrethashes of those locks, and of those of which it is not known. */
  paid: readonly Hash[];
};
/** A settlement as it reaches a channel; null: a proof that this database does not hold. */
export type ChannelSettled = Extract<ChannelLog, { type: 'chain.channelSettled' }> & {
  proofs: Record<'own' | 'partner', SettledProof | null>;
};
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

export type ChainEvent =
  | Exclude<ChannelLog, { type: 'chain.channelSettled' }>
  | ChannelSettled
  | TokenNetworkCreated
  | SecretRevealed
  | TransactionEnded
  | BlockReached;
