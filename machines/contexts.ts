/** What each kind of actor remembers. The kind is the word that the actor's id begins with. */
import type { ChannelContext } from './channel/context.ts';
import type { InitiatorContext } from './initiator/context.ts';
import type { KeeperContext } from './keeper/context.ts';
import type { MediatorContext } from './mediator/context.ts';
import type { NodeContext } from './node/context.ts';
import type { TargetContext } from './target/context.ts';
import type { TokenNetworkContext } from './token-network/context.ts';
import type { UserDepositContext } from './user-deposit/context.ts';
import type { WithdrawalContext } from './user-deposit/withdrawal/context.ts';

export type Contexts = {
  node: NodeContext;
  tokenNetwork: TokenNetworkContext;
  channel: ChannelContext;
  initiator: InitiatorContext;
  mediator: MediatorContext;
  target: TargetContext;
  keeper: KeeperContext;
  userDeposit: UserDepositContext;
  withdrawal: WithdrawalContext;
};
export type Kind = keyof Contexts;
