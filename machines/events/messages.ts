/** Partner messages as actors get them: the seal that a message travelled under has proven who sent it. */

import type { Address, Hash, Secret, Signature } from '../../src/basics/hex.ts';
import type { FeeTerms } from '../../src/protocol/fees/fee-terms.ts';
import type { ContractMessage, Message } from '../../src/protocol/messages/table.ts';
import type { Judged } from './stamps.ts';

/** What every partner message event carries: who sent it. */
export type FromPartner<M> = { message: M; sender: Address };
/** A message that a contract reads comes with its sender's signature, too. */
export type SignedByPartner<M extends ContractMessage> = FromPartner<M> & { signature: Signature };

/** What the node adds to some of the messages on receipt. */
type Added = {
  /** `facts`: of each change, in the same order. */
  Update: { facts: readonly ChangeFacts[] };
  /**
   * `mayBeLate`: whether a mediator may still pay off chain for a secret that is late. `refusal`: why a target must not
   * show the secret to its payer now.
   */
  RevealSecret: Judged & { secrethash: Hash; mayBeLate: boolean };
  /** `isProven`: whether this node's own signature, which the Sync quotes, is valid for `acceptedNonce`. */
  Sync: { isProven: boolean };
};
type Nothing = Record<never, never>;

/** What the node adds to a change of an Update on receipt. */
export type ChangeFacts =
  /**
   * `fees`: what this node charges now for passing on tokens of this kind. `secret`: the secret of the lock, when the
   * initiator sent it to this target with the lock; null: the target has to ask for it.
   */
  | { type: 'lock'; fees: FeeTerms; secret: Secret | null }
  /** `sent`: the payment whose lock this node has pending in the channel; null: there is none. */
  | { type: 'refund'; sent: { paymentId: bigint; target: Address } | null }
  /** `secrethash` is the sha256 of the secret, computed once on receipt. */
  | { type: 'unlock'; secrethash: Hash }
  | { type: 'expired' };

/** A message of this type as its actor gets it, e.g. `msg.secretRequest`. */
type Received<T extends Message['type'], M = Extract<Message, { type: T }>> = {
  type: `msg.${Uncapitalize<T>}`;
} & (M extends ContractMessage ? SignedByPartner<M> : FromPartner<M>) &
  (T extends keyof Added ? Added[T] : Nothing);

export type UpdateReceived = Received<'Update'>;
export type SyncReceived = Received<'Sync'>;
export type WithdrawRequestReceived = Received<'WithdrawRequest'>;
export type WithdrawConfirmationReceived = Received<'WithdrawConfirmation'>;
export type WithdrawExpiredReceived = Received<'WithdrawExpired'>;
export type SecretRequestReceived = Received<'SecretRequest'>;
export type RevealSecretReceived = Received<'RevealSecret'>;

/** The messages that actors get; acknowledgements are handled by the outbox. */
type Delivered = Exclude<Message['type'], 'Delivered' | 'Processed'>;
export type MessageEvent = { [T in Delivered]: Received<T> }[Delivered];
