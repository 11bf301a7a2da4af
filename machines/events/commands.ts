/** The commands that an actor can get. The caller is answered under the `requestId`. */

import * as v from 'valibot';
import type { Address } from '../../src/basics/hex.ts';
import { uint } from '../../src/protocol/shapes.ts';
import type { PaymentOrder } from '../base/inputs.ts';

export type Deposit = {
  type: 'cmd.deposit';
  requestId: string;
  totalDeposit: bigint;
  limits: DepositLimits;
};
/** Facts of the chain that a deposit is judged by, read just before the command. */
export type DepositLimits = { participantLimit: bigint; networkRoom: bigint; ownTokens: bigint };
/**
 * `messageId`: the identifier of the WithdrawRequest, if one is sent. `isPartnerThere` and `canPayGas` were asked for
 * just before the command.
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
  /** Whether the account can pay for this channel, too, from its opening to its end. */
  canPayGas: boolean;
  limits: OpenLimits;
};
export type OpenLimits = DepositLimits & {
  minSettleTimeout: bigint;
  maxSettleTimeout: bigint;
  minRevealTimeout: bigint;
};
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
  /** What services can rely on: the balance without the amount that is planned to be withdrawn. */
  effectiveBalance: bigint;
  /** What the contract still takes, from everybody together. */
  room: bigint;
  /** Blocks from a plan to the first block in which its amount may be withdrawn. */
  withdrawDelay: bigint;
  /** What the account holds outside of the contract. */
  ownTokens: bigint;
};
/** The new total to be paid in, what to plan, or what to take out; in units of the service token. */
export const userDepositOrder = v.object({
  kind: v.picklist(['deposit', 'plan', 'withdraw']),
  amount: uint,
});
export type UserDepositOrder = v.InferOutput<typeof userDepositOrder>;
export type OperateUserDeposit = {
  type: 'cmd.userDeposit';
  requestId: string;
  order: UserDepositOrder;
  facts: UserDepositFacts;
};
/** The function with which a test token is minted, by its name in the contract. */
export type MintMethod = 'mint' | 'mintFor' | 'increaseSupply';
export type MintOrder = { token: Address; to: Address; value: bigint; method: MintMethod };
export type Mint = { type: 'cmd.mint'; requestId: string } & MintOrder;

export type CommandEvent =
  | Deposit
  | Withdraw
  | Close
  | SetRevealTimeout
  | Open
  | Join
  | Leave
  | RegisterToken
  | Pay
  | OperateUserDeposit
  | Mint;
