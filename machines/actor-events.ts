/** Everything that an actor can be told of: whoever sends something else does not compile. */
import type { ChannelEvent } from './channel/context.ts';
import type { InitiatorEvent } from './initiator/chart.ts';
import type { KeeperEvent } from './keeper/chart.ts';
import type { MediatorEvent } from './mediator/context.ts';
import type { NodeEvent } from './node/chart.ts';
import type { TargetEvent } from './target/chart.ts';
import type { TokenNetworkEvent } from './token-network/chart.ts';
import type { UserDepositEvent } from './user-deposit/chart.ts';
import type { WithdrawalEvent } from './user-deposit/withdrawal.ts';

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
