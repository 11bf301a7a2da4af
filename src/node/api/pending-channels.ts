/** The channels that this node is opening: until its block is confirmed, a channel has no number and is in no other list. */
import { tokenActorId } from '../../../machines/base/actor-ids.ts';
import type { Node } from '../node.ts';
import type { NodeApi, PendingChannel } from './api.ts';

export function createPendingChannels({
  actors,
  engine,
  networks,
}: Pick<Node, 'actors' | 'engine' | 'networks'>): Pick<NodeApi, 'pendingChannels'> {
  function ofToken(id: string): PendingChannel[] {
    const state = actors.stateOf(id);
    if (state?.kind !== 'tokenNetwork') return [];
    const { token, openings } = state.context;
    return openings
      .filter(({ channel }) => channel === null)
      .map(({ partner, totalDeposit, revealTimeout }) => ({
        token,
        partner,
        totalDeposit,
        revealTimeout,
      }));
  }

  return {
    pendingChannels() {
      engine.flush();
      return [...networks.values()].flatMap((token) => ofToken(tokenActorId(token)));
    },
  };
}
