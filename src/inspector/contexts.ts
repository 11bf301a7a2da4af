/**
 * Contexts by the kind of their machine. What comes from an actor or from the journal has the shape of
 * its kind, checked where it was read; only which kind it is, is in question here.
 */
import type { ChannelContext } from '../../machines/channel/context.ts';
import type { InitiatorContext } from '../../machines/initiator/steps.ts';
import type {
  ChannelInput,
  InitiatorInput,
  MediatorInput,
  TargetInput,
} from '../../machines/inputs.ts';
import type { KeeperContext } from '../../machines/keeper/chart.ts';
import type { MediatorContext } from '../../machines/mediator/context.ts';
import type { TargetContext } from '../../machines/target/chart.ts';
import type { TokenNetworkContext } from '../../machines/token-network/context.ts';
import type { UserDepositContext } from '../../machines/user-deposit/chart.ts';
import type { WithdrawalContext } from '../../machines/user-deposit/withdrawal.ts';
import type { Kind } from '../node/runtime/kinds.ts';

/** What a payment or a channel is born with; its context holds all of it. */
export const isChannelInput = (value: unknown): value is ChannelInput =>
  has(value, 'partner', 'settleTimeout', 'openBlock');
export const isInitiatorInput = (value: unknown): value is InitiatorInput =>
  has(value, 'order', 'own');
export const isMediatorInput = (value: unknown): value is MediatorInput =>
  has(value, 'payer', 'hops');
export const isTargetInput = (value: unknown): value is TargetInput =>
  has(value, 'payer', 'channel', 'secrethash');

/** An actor at one moment: its state as dotted text, and its context. */
export type Seen = { kind: Kind; state: string; context: unknown };

export const isChannel = (context: unknown): context is ChannelContext =>
  has(context, 'partnerEnd', 'ownEnd');
export const isInitiator = (context: unknown): context is InitiatorContext =>
  has(context, 'order', 'isSpoilt');
export const isMediator = (context: unknown): context is MediatorContext =>
  has(context, 'payerBlock', 'payeeBlock');
export const isTarget = (context: unknown): context is TargetContext =>
  has(context, 'payer', 'secrethash', 'channel');
export const isKeeper = (context: unknown): context is KeeperContext =>
  has(context, 'isUnexplained', 'isPublic');
export const isTokenNetwork = (context: unknown): context is TokenNetworkContext =>
  has(context, 'openings', 'leave');
export const isWithdrawal = (context: unknown): context is WithdrawalContext =>
  has(context, 'withdrawDelay', 'withdrawBlock');
export const isUserDeposit = (context: unknown): context is UserDepositContext =>
  has(context, 'changedBlock', 'plan');

function has(context: unknown, ...fields: string[]): boolean {
  return (
    typeof context === 'object' &&
    context !== null &&
    fields.every((field) => Object.hasOwn(context, field))
  );
}
