/** Transactions that a channel's participant can send without its node, with the messages that it has heard. */

import { partnerProofOf } from '../../../machines/channel/changes.ts';
import { type Address, type Secret, type Signature, ZERO_HASH } from '../../basics/hex.ts';
import {
  closeCalls,
  registerSecretsCall,
  updateProofCalls,
  withdrawCalls,
} from '../../chain/queue/calls.ts';
import type { ChainCall } from '../../chain/queue/jobs.ts';
import type { PartnerProof } from '../../protocol/channel/balance-proof.ts';
import {
  type BalanceProof,
  closingDigest,
  EMPTY_SIGNATURE,
  updateDigest,
} from '../../protocol/channel/balance-proof.ts';
import type { CanonicalId } from '../../protocol/channel/canonical-id.ts';
import { signingDigest } from '../../protocol/messages/message-hash.ts';
import type { WithdrawConfirmation } from '../../protocol/messages/withdraw-confirmation.ts';
import type { Power } from './program.ts';

export type Place = CanonicalId & { partner: Address };

const NO_TRANSACTION = { from: '', key: '', channel: '', deadlineBlock: null } as const;

/** The channels that any message was about, each once. */
export function placesOf({ memory }: Power): Place[] {
  const found = new Map<string, Place>();
  const note = (partner: Address, message: object) => {
    if (!('channelId' in message) || !isPlace(message)) return;
    const { chainId, tokenNetwork, channelId } = message;
    found.set(`${tokenNetwork} ${channelId}`, { chainId, tokenNetwork, channelId, partner });
  };
  for (const { to, line } of memory.sent) note(to, line.message);
  for (const { from, line } of memory.heard) note(from, line.message);
  return [...found.values()];
}

function isPlace(message: object): message is CanonicalId {
  return 'chainId' in message && 'tokenNetwork' in message;
}

/**
 * The balance proofs that the partner has signed in this channel, the oldest first; the first entry is null, for no
 * proof.
 */
export function proofsOf({ memory }: Power, place: Place): (PartnerProof | null)[] {
  const byNonce = new Map<bigint, PartnerProof>();
  for (const { from, line } of memory.heard) {
    const { message, signature } = line;
    if (from !== place.partner || signature === null || !('locksroot' in message)) continue;
    if (message.channelId !== place.channelId) continue;
    byNonce.set(message.nonce, partnerProofOf(message, signature));
  }
  return [null, ...[...byNonce.values()].sort((a, b) => Number(a.nonce - b.nonce))];
}

/** Whoever signs as a participant, and has an account for transactions. */
type Participant = Pick<Power, 'own' | 'sign32' | 'call'>;

function send(power: Pick<Power, 'call'>, calls: readonly ChainCall[]) {
  for (const { to, data } of calls) power.call(to, data);
}

export function closeWith(power: Participant, place: Place, proof: PartnerProof | null): void {
  const { balanceHash, nonce, additionalHash } = proof ?? {
    balanceHash: ZERO_HASH,
    nonce: 0n,
    additionalHash: ZERO_HASH,
  };
  const { partner, ...channel } = place;
  const proven: BalanceProof = { ...channel, balanceHash, nonce, additionalHash };
  const closingSignature = power.sign32(closingDigest(proven, proof?.signature ?? EMPTY_SIGNATURE));
  const { tokenNetwork, channelId } = place;
  const tx = {
    ...NO_TRANSACTION,
    type: 'tx.close',
    tokenNetwork,
    channelId,
    partner,
    proof,
  } as const;
  send(power, closeCalls(tx, { own: power.own, closingSignature }));
}

export function updateWith(power: Power, place: Place, proof: PartnerProof): void {
  const { partner, ...channel } = place;
  const { balanceHash, nonce, additionalHash } = proof;
  const digest = updateDigest({ ...channel, balanceHash, nonce, additionalHash }, proof.signature);
  const { tokenNetwork, channelId } = place;
  const facts = { ...NO_TRANSACTION, deadlineBlock: 0n, tokenNetwork, channelId, partner, proof };
  const given = { own: power.own, nonClosingSignature: power.sign32(digest) };
  send(power, updateProofCalls({ ...facts, type: 'tx.updateProof' }, given));
}

/** Withdraws what the partner has once agreed to, however long ago. */
export function withdrawWith(
  power: Power,
  { tokenNetwork, channelId, partner }: Place,
  { message, signature }: { message: WithdrawConfirmation; signature: Signature },
): void {
  const { totalWithdraw, expiration } = message;
  const request = { ...message, type: 'WithdrawRequest', coopSettle: false } as const;
  const ownSignature = power.sign32(signingDigest(request));
  const tx = { ...NO_TRANSACTION, type: 'tx.withdraw', tokenNetwork, channelId, partner } as const;
  const amounts = { totalWithdraw, expiration, partnerSignature: signature };
  send(power, withdrawCalls({ ...tx, ...amounts }, { own: power.own, ownSignature }));
}

export function registerSecrets(
  power: Pick<Power, 'call'>,
  registry: Address,
  secrets: readonly Secret[],
): void {
  send(power, [registerSecretsCall(registry, secrets)]);
}
