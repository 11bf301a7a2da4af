/** Pending transfers: the locks of both sides of the channels, and the payments that they belong to. */

import type { Address, Hash } from '../../basics/hex.ts';
import type { ChannelEnd } from '../../protocol/channel/channel-end.ts';
import type { Result } from '../../protocol/codes.ts';
import { failure } from '../../protocol/codes.ts';
import type { Slices } from '../../store/base/slices.ts';
import type { Node } from '../node.ts';
import { channelState } from '../runtime/actors/channel-states.ts';
import type { Parties, PendingTransfer } from '../runtime/actors/parties.ts';
import { receivedIn, sentIn } from '../runtime/actors/parties.ts';
import type { NodeApi } from './api.ts';

type Filter = Parameters<NodeApi['pendingTransfers']>[0];

export function createTransfers({ actors, engine, directory, context, figures }: Node) {
  /** The transfers of a channel. `isWanted`: whether this lock of this node is listed. */
  function ofChannel(
    id: string,
    isWanted: (secrethash: Hash, parties: Parties) => boolean,
  ): PendingTransfer[] {
    const state = channelState(actors, id);
    if (state === null) return [];
    const { channelId, token, tokenNetwork, ownEnd, partnerEnd } = state.channel;
    const facts = { channelId, token, tokenNetwork };
    const ofSide = (end: ChannelEnd, side: 'own' | 'partner') =>
      end.locks.flatMap(({ secrethash }) => {
        const parties = (side === 'own' ? sentIn : receivedIn)(actors, id, secrethash);
        if (parties === null || (side === 'own' && !isWanted(secrethash, parties))) return [];
        return [
          { ...facts, ...parties, lockedAmount: end.locked, transferredAmount: end.transferred },
        ];
      });
    return [...ofSide(ownEnd, 'own'), ...ofSide(partnerEnd, 'partner')];
  }

  /** A mediated transfer has two locks, one of the payer and one to the payee: it is listed by its payer's lock. */
  function isListedElsewhere(secrethash: Hash, channels: ReadonlySet<string>): boolean {
    const mediator = actors.stateOf(`mediator:${secrethash}`);
    if (mediator?.kind !== 'mediator' || !channels.has(mediator.context.payer.channel))
      return false;
    const payer = channelState(actors, mediator.context.payer.channel);
    return payer?.channel.partnerEnd.locks.some((lock) => lock.secrethash === secrethash) ?? false;
  }

  function* slicesOf(channels: readonly string[], partner: Address | null) {
    const listed = new Set(channels);
    for (const id of channels) {
      engine.flush();
      yield ofChannel(
        id,
        (secrethash, { role }) =>
          role !== 'mediator' || partner !== null || !isListedElsewhere(secrethash, listed),
      );
    }
  }

  function slices({ token, partner }: Filter): Result<Slices<PendingTransfer>> {
    if (token !== null && context.tokenNetworkOf(token) === null) return failure('unknown_token');
    engine.flush();
    if (partner === null) return { ok: true, value: slicesOf(figures.withLocks(token), null) };
    const channels = directory.withPartner(partner).filter((id) => {
      const view = context.channels.view(id);
      return view !== null && view.state !== 'settled' && (token === null || view.token === token);
    });
    if (channels.length === 0) return failure('unknown_channel');
    return { ok: true, value: slicesOf(channels, partner) };
  }

  return {
    pendingTransferSlices: slices,
    pendingTransfers(filter: Filter): Result<PendingTransfer[]> {
      const found = slices(filter);
      return found.ok ? { ok: true, value: [...found.value].flat() } : found;
    },
  };
}
