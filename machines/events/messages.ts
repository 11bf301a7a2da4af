/** Partner messages as they reach an actor: the seal of each has proven who sent it. */

import type { FeeTerms } from '../../src/protocol/fee-terms.ts';
import type { Address, Hash, Signature } from '../../src/protocol/hex.ts';
import type { LockExpired } from '../../src/protocol/messages/lock-expired.ts';
import type { LockedTransfer } from '../../src/protocol/messages/locked-transfer.ts';
import type { RefundTransfer } from '../../src/protocol/messages/refund-transfer.ts';
import type { RevealSecret } from '../../src/protocol/messages/reveal-secret.ts';
import type { SecretRequest } from '../../src/protocol/messages/secret-request.ts';
import type { Sync } from '../../src/protocol/messages/sync.ts';
import type { ContractMessage } from '../../src/protocol/messages/table.ts';
import type { Unlock } from '../../src/protocol/messages/unlock.ts';
import type { WithdrawConfirmation } from '../../src/protocol/messages/withdraw-confirmation.ts';
import type { WithdrawExpired } from '../../src/protocol/messages/withdraw-expired.ts';
import type { WithdrawRequest } from '../../src/protocol/messages/withdraw-request.ts';
import type { Judged } from './stamps.ts';

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

export type MessageEvent =
  | LockedTransferReceived
  | RefundTransferReceived
  | UnlockReceived
  | LockExpiredReceived
  | SyncReceived
  | WithdrawRequestReceived
  | WithdrawConfirmationReceived
  | WithdrawExpiredReceived
  | SecretRequestReceived
  | RevealSecretReceived;
