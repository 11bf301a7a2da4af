/** One ordinary channel between OWN and PARTNER at block NOW, and what the chain says of it. */

import { channelActorId } from '../../machines/base/actor-ids.ts';
import type { ChannelSettled, SecretRevealed, SettledProof } from '../../machines/events/chain.ts';
import type { SignedByPartner } from '../../machines/events/messages.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import {
  type Address,
  type Hash,
  type Secret,
  type Signature,
  ZERO_HASH,
} from '../../src/basics/hex.ts';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import type { Position } from '../../src/contracts/event-definition.ts';
import { NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';

export const OWN: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const PARTNER: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
export const STRANGER: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
export const TOKEN: Address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
export const NETWORK: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512';
export const CHANNEL = channelActorId({ tokenNetwork: NETWORK, channelId: 1n });
export const SIGNATURE: Signature = `0x${'11'.repeat(64)}1b`;

/** The newest confirmed block of every event, unless `at` says otherwise. */
export const NOW = 100n;
export const REVEAL_TIMEOUT = 10n;
export const SETTLE_TIMEOUT = 40n;
export const CONFIRMATIONS = 1n;
/** Of a lock that is added at NOW without a lock timeout of its own. */
export const EXPIRATION = NOW + 2n * REVEAL_TIMEOUT - 1n;

export const secretOf = (n: number): Secret => `0x${n.toString(16).padStart(64, '0')}`;
export const hashOf = (n: number): Hash => secrethashOf(secretOf(n));

/** The same event when another block is the newest confirmed one. */
export const at = <E>(nowBlock: bigint, event: E): E => ({ ...event, nowBlock });

/** The event as it comes at NOW. */
export const stamped = <E extends { type: string }>(event: E): Stamped<E> => ({
  ...event,
  nowBlock: NOW,
});

export const position = (block = NOW): Position => ({
  block,
  logIndex: 0,
  transactionHash: hashOf(9),
});

export function signedBy(sender: Address): Omit<SignedByPartner<never>, 'message'> {
  return { sender, signature: SIGNATURE };
}

/** The fields of a log of the channel. */
export const onChannel = (block = NOW) => ({
  tokenNetwork: NETWORK,
  channelId: 1n,
  at: position(block),
});

export const deposited = (participant: Address, totalDeposit: bigint) =>
  stamped({ type: 'chain.channelDeposit', ...onChannel(), participant, totalDeposit } as const);

export const withdrawn = (participant: Address, totalWithdraw: bigint) =>
  stamped({ type: 'chain.channelWithdraw', ...onChannel(), participant, totalWithdraw } as const);

export function closed(
  closer: Address,
  parts: { block?: bigint; nonce?: bigint; balanceHash?: Hash } = {},
): Stamped<Extract<ChannelLog, { type: 'chain.channelClosed' }>> {
  const { block = NOW, nonce = 0n, balanceHash = ZERO_HASH } = parts;
  return stamped({ type: 'chain.channelClosed', ...onChannel(block), closer, nonce, balanceHash });
}

export const proofUpdated = (closer: Address, nonce: bigint, balanceHash: Hash) =>
  stamped({ type: 'chain.proofUpdated', ...onChannel(), closer, nonce, balanceHash } as const);

/** A proof that stood on chain; without more, one that says nothing. */
export const settledProof = (parts: Partial<SettledProof> = {}): SettledProof => ({
  transferred: 0n,
  locked: 0n,
  claimable: 0n,
  paid: [],
  ...parts,
});

/** A settlement: what each side was paid, the locks that each left behind, and the proofs that say so. */
export function settled(
  parts: {
    ownRoot?: Hash;
    partnerRoot?: Hash;
    own?: SettledProof | null;
    partner?: SettledProof | null;
    ownAmount?: bigint;
    partnerAmount?: bigint;
    ownFirst?: boolean;
  } = {},
): Stamped<ChannelSettled> {
  const { own: ownProof = settledProof(), partner: partnerProof = settledProof() } = parts;
  const { ownRoot = NO_LOCKS_ROOT, partnerRoot = NO_LOCKS_ROOT, ownFirst = true } = parts;
  const own = { participant: OWN, root: ownRoot, amount: parts.ownAmount ?? 90n };
  const partner = { participant: PARTNER, root: partnerRoot, amount: parts.partnerAmount ?? 90n };
  const [first, second] = ownFirst ? [own, partner] : [partner, own];
  return stamped({
    type: 'chain.channelSettled',
    ...onChannel(),
    participant1: first.participant,
    amount1: first.amount,
    locksroot1: first.root,
    participant2: second.participant,
    amount2: second.amount,
    locksroot2: second.root,
    proofs: { own: ownProof, partner: partnerProof },
  });
}

export function unlocked(sender: Address) {
  const receiver = sender === OWN ? PARTNER : OWN;
  const amounts = { locksroot: NO_LOCKS_ROOT, unlockedAmount: 0n, returnedTokens: 10n };
  return stamped({
    type: 'chain.channelUnlocked',
    ...onChannel(),
    receiver,
    sender,
    ...amounts,
  } as const);
}

/** The secret was registered in this block, which is confirmed just now. */
export const secretRevealed = (block: bigint, n = 1): Stamped<SecretRevealed> => ({
  type: 'chain.secretRevealed',
  secrethash: hashOf(n),
  secret: secretOf(n),
  at: position(block),
  nowBlock: block,
});

export const txDone = (key: string, minedBlock = NOW) =>
  stamped({
    type: 'chain.tx',
    key,
    ok: true,
    transactionHash: hashOf(9),
    minedBlock,
  } as const);
export const txFailed = (key: string, code: Code = 'transaction_failed') =>
  stamped({ type: 'chain.tx', key, ok: false, code, detail: 'why' } as const);
export const blockReached = (nowBlock: bigint) =>
  at(nowBlock, stamped({ type: 'chain.block' } as const));
