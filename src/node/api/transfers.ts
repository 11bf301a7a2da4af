/** Pending transfers: the locks of both sides of the channels, and the payments that they belong to. */
import type { ChannelEnd } from '../../protocol/channel-end.ts';
import type { Result } from '../../protocol/codes.ts';
import { failure } from '../../protocol/codes.ts';
import type { Address, Hash } from '../../protocol/hex.ts';
import type { Node } from '../node.ts';
import { channelState } from '../runtime/channel-states.ts';
import type { PendingTransfer } from '../runtime/parties.ts';
import { receivedIn, sentIn } from '../runtime/parties.ts';
import type { NodeApi } from './api.ts';

type Lock = { side: 'own' | 'partner'; secrethash: Hash; transfer: PendingTransfer };
type Filter = Parameters<NodeApi['pendingTransfers']>[0];

export function createTransfers({ actors, engine, directory, context }: Node) {
  function ofChannel(id: string): Lock[] {
    const state = channelState(actors, id);
    if (state === null) return [];
    const { channelId, token, tokenNetwork, ownEnd, partnerEnd } = state.channel;
    const facts = { channelId, token, tokenNetwork };
    const ofSide = (end: ChannelEnd, side: Lock['side']) =>
      end.locks.flatMap(({ secrethash }) => {
        const parties = (side === 'own' ? sentIn : receivedIn)(actors, id, secrethash);
        if (parties === null) return [];
        const amounts = { lockedAmount: end.locked, transferredAmount: end.transferred };
        return [{ side, secrethash, transfer: { ...facts, ...parties, ...amounts } }];
      });
    return [...ofSide(ownEnd, 'own'), ...ofSide(partnerEnd, 'partner')];
  }

  function isUnsettled(id: string, partner: Address | null): boolean {
    const view = context.view(id);
    if (view === null || view.state === 'settled') return false;
    return partner === null || view.partner === partner;
  }

  return {
    pendingTransfers({ token, partner }: Filter): Result<PendingTransfer[]> {
      if (token !== null && context.tokenNetworkOf(token) === null) return failure('unknown_token');
      engine.flush();
      const channels = directory.ofToken(token).filter((id) => isUnsettled(id, partner));
      if (partner !== null && channels.length === 0) return failure('unknown_channel');
      const locks = channels.flatMap(ofChannel);
      const listed = partner === null ? eachOnce(locks) : locks;
      return { ok: true, value: listed.map(({ transfer }) => transfer) };
    },
  };
}

/** A mediated transfer has two locks, one of the payer and one to the payee: it is listed once, by its payer's lock. */
function eachOnce(locks: readonly Lock[]): Lock[] {
  const isMediated = ({ transfer }: Lock) => transfer.role === 'mediator';
  const paid = new Set(
    locks
      .filter((lock) => lock.side === 'partner' && isMediated(lock))
      .map(({ secrethash }) => secrethash),
  );
  return locks.filter(
    (lock) => lock.side === 'partner' || !isMediated(lock) || !paid.has(lock.secrethash),
  );
}
