/** Everything that an actor can be told of: whoever sends something else does not compile. */
import type { ChannelEvent } from './channel-context.ts';
import type { InitiatorEvent } from './initiator.ts';
import type { KeeperEvent } from './keeper.ts';
import type { MediatorEvent } from './mediator-context.ts';
import type { NodeEvent } from './node.ts';
import type { TargetEvent } from './target.ts';
import type { TokenNetworkEvent } from './token-network.ts';
import type { UserDepositEvent } from './user-deposit.ts';
import type { WithdrawalEvent } from './withdrawal.ts';

/** Without the block that the runtime stamps on it. */
export type ActorEvent =
  | ChannelEvent
  | InitiatorEvent
  | KeeperEvent
  | MediatorEvent
  | NodeEvent
  | TargetEvent
  | TokenNetworkEvent
  | UserDepositEvent
  | WithdrawalEvent;
