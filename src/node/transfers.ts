/** Transfers that are not over: locks of either side of the channels, and the payments that they are for. */
import type { InitiatorContext } from '../../machines/initiator-steps.ts';
import type { TargetContext } from '../../machines/target.ts';
import type { ChannelEnd } from '../protocol/channel-end.ts';
import type { Result } from '../protocol/codes.ts';
import type { Address, Hash } from '../protocol/hex.ts';
import type { NodeApi, PendingTransfer } from './api.ts';
import { failure } from './commands.ts';
import type { StoredState } from './kinds.ts';
import type { Node } from './node.ts';
import { channelState } from './views.ts';

type Filter = Parameters<NodeApi['pendingTransfers']>[0];
type Parties = Pick<PendingTransfer, 'role' | 'initiator' | 'target' | 'paymentId'>;

export function createTransfers({ actors, engine, directory, context }: Node) {
  const contextOf = (id: string): StoredState['context'] | null =>
    actors.stateOf(id)?.context ?? null;

  /** Of a lock that this node signed. */
  function sending(channel: string, secrethash: Hash): Parties | null {
    const payment = contextOf(`initiator:${secrethash}`);
    if (payment === null || !isInitiator(payment) || payment.order.channel !== channel) return null;
    const { target, paymentId } = payment.order;
    return { role: 'initiator', initiator: payment.own, target, paymentId };
  }

  /** Of a lock that the partner signed. */
  function receiving(channel: string, secrethash: Hash): Parties | null {
    const payment = contextOf(`target:${secrethash}`);
    if (payment === null || !isTarget(payment) || payment.channel !== channel) return null;
    const { initiator, own: target, paymentId } = payment;
    return { role: 'target', initiator, target, paymentId };
  }

  // A lock that is held for somebody else has a third role, mediator. Nothing here knows the parties of
  // such a payment, so its locks are left out.
  function ofChannel(id: string): PendingTransfer[] {
    const state = channelState(actors, id);
    if (state === null) return [];
    const { channelId, token, tokenNetwork, ownEnd, partnerEnd } = state.channel;
    const facts = { channelId, token, tokenNetwork };
    const ofSide = (end: ChannelEnd, partiesOf: typeof sending) =>
      end.locks
        .map(({ secrethash }) => partiesOf(id, secrethash))
        .filter((parties) => parties !== null)
        .map((parties) => ({
          ...{ ...facts, ...parties },
          ...{ lockedAmount: end.locked, transferredAmount: end.transferred },
        }));
    return [...ofSide(ownEnd, sending), ...ofSide(partnerEnd, receiving)];
  }

  function isUnsettled(id: string, partner: Address | null): boolean {
    const view = context.view(id);
    if (view === null || view.state === 'settled') return false;
    return partner === null || view.partner === partner;
  }

  return {
    pendingTransfers({ token, partner }: Filter): Result<PendingTransfer[]> {
      if (token !== null && context.tokenNetworkOf(token) === null)
        return failure('unknown_token', 'The token has no token network.');
      engine.flush();
      const channels = directory.ofToken(token).filter((id) => isUnsettled(id, partner));
      if (partner !== null && channels.length === 0)
        return failure('unknown_channel', `There is no channel with ${partner}.`);
      return { ok: true, value: channels.flatMap(ofChannel) };
    },
  };
}

/** The shape was checked when the actor was restored; only its kind is in question here. */
function isInitiator(context: StoredState['context']): context is InitiatorContext {
  return 'order' in context;
}

function isTarget(context: StoredState['context']): context is TargetContext {
  return 'payer' in context;
}
