/** What a person can ask a node for, and what became of it. */
import type { Undone } from '../../client/insist.ts';

/** Amounts in the token's smallest unit, as decimal text: they go into storage. A total is what the API takes. */
export type WalletOrder =
  | { kind: 'pay'; token: string; target: string; amount: string; identifier: string | null }
  | { kind: 'open'; token: string; partner: string; deposit: string; settleTimeout: string }
  | { kind: 'deposit'; token: string; partner: string; total: string; added: string }
  | { kind: 'withdraw'; token: string; partner: string; total: string; taken: string }
  | { kind: 'close'; token: string; partner: string }
  | { kind: 'userDeposit'; token: string; total: string; added: string }
  | { kind: 'userDepositPlan'; token: string; amount: string }
  | { kind: 'userDepositWithdraw'; token: string; amount: string };

/**
 * `asking`: the node is being asked; `left`: the page was closed meanwhile; `done`; else what became of it, with the reason in
 * the node's words. `signIn`: under which token it was asked, since a key belongs to one.
 */
export type Placed = {
  key: string;
  at: number;
  signIn: string;
  order: WalletOrder;
  state: 'asking' | 'left' | 'done' | 'not_begun' | 'pending' | 'failed';
  reason: string;
};

/** What the node said of an order. */
export type OrderAnswer = { ok: true } | ({ ok: false } & Undone);
