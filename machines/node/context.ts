/** What the node remembers, and every event that it can get. */
import * as v from 'valibot';
import { hex, list, uint } from '../../src/protocol/shapes.ts';
import { actorSettings } from '../base/inputs.ts';
import { binding, type Step } from '../base/step.ts';
import type { TokenNetworkCreated, TransactionEnded } from '../events/chain.ts';
import type { Mint, OperateUserDeposit, Pay, RegisterToken } from '../events/commands.ts';
import type { CaughtUp, FellBehind, SettingsTold, Stop } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';

export const nodeContext = v.object({
  ...actorSettings.entries,
  chainId: uint,
  own: hex,
  /** Every token whose token network has an actor. */
  tokens: list(hex),
  wakeBlock: v.null(),
});
export type NodeContext = v.InferOutput<typeof nodeContext>;
export type NodeInput = Omit<NodeContext, 'tokens' | 'wakeBlock'>;

export type NodeStep = Step<NodeContext>;

export type NodeEvent = Stamped<
  | Pay
  | RegisterToken
  | OperateUserDeposit
  | Mint
  | TransactionEnded
  | TokenNetworkCreated
  | SettingsTold
  | CaughtUp
  | FellBehind
  | Stop
>;

export const { on, onGiven } = binding<NodeContext, NodeEvent>();

export function newNode(input: NodeInput): NodeContext {
  return { ...input, tokens: [], wakeBlock: null };
}
