/**
 * What an actor gets from the chain: a confirmed log, the end of a transaction that it asked for, a block that it
 * waited for. Names and fields of the logs follow generation 0.40 of the contracts.
 */

import type { Address, Hash, Secret } from '../../src/basics/hex.ts';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import type { Position } from '../../src/contracts/event-definition.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Judged } from './stamps.ts';

/**
 * The amounts of one side's balance proof on chain at the settlement, 0 if there was none. `claimable`: what the
 * contract's `unlock` pays out of the side's locks, which is the sum of those whose secret was registered before they
 * expired; null: for one of the locks this is not known.
 */
export type SettledProof = {
  transferred: bigint;
  locked: bigint;
  claimable: bigint | null;
  /** The secrethashes of the locks whose secret was registered in time, and of those for which this is not known. */
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
/**
 * The newest confirmed block reached the actor's `wakeBlock`. `refusal`: why this node does not close a channel now for what
 * its partner owes.
 */
export type BlockReached = Judged & { type: 'chain.block' };

export type ChainEvent =
  | Exclude<ChannelLog, { type: 'chain.channelSettled' }>
  | ChannelSettled
  | TokenNetworkCreated
  | SecretRevealed
  | TransactionEnded
  | BlockReached;
