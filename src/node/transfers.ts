/** Transfers that are not over: locks of either side of the channels, and the payments that they are for. */
import type { ChannelEnd } from '../protocol/channel-end.ts';
import type { Result } from '../protocol/codes.ts';
import type { Address } from '../protocol/hex.ts';
import type { NodeApi, PendingTransfer } from './api.ts';
import { failure } from './commands.ts';
import type { Node } from './node.ts';
import { receivedIn, sentIn } from './parties.ts';
import { channelState } from './views.ts';

type Filter = Parameters<NodeApi['pendingTransfers']>[0];

export function createTransfers({ actors, engine, directory, context }: Node) {
  function ofChannel(id: string): PendingTransfer[] {
    const state = channelState(actors, id);
    if (state === null) return [];
    const { channelId, token, tokenNetwork, ownEnd, partnerEnd } = state.channel;
    const facts = { channelId, token, tokenNetwork };
    const ofSide = (end: ChannelEnd, partiesOf: typeof sentIn) =>
      end.locks
        .map(({ secrethash }) => partiesOf(actors, id, secrethash))
        .filter((parties) => parties !== null)
        .map((parties) => ({
          ...{ ...facts, ...parties },
          ...{ lockedAmount: end.locked, transferredAmount: end.transferred },
        }));
    return [...ofSide(ownEnd, sentIn), ...ofSide(partnerEnd, receivedIn)];
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
