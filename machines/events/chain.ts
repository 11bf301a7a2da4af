/**
 * What the chain says to an actor: a confirmed log, the end of a transaction that it asked for, a block that
 * it waited for. Names and fields of the logs follow generation 0.40 of the contracts.
 */
import type { ChannelLog, Position } from '../../src/contracts/channel-events.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Address, Hash, Secret } from '../../src/protocol/hex.ts';

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
