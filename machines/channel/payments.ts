/** What payment actors and keepers are told of the channel's locks. */

import type { Hash, Secret } from '../../src/protocol/hex.ts';
import type { Effect } from '../effects.ts';
import type { LockGone, Unlocked } from '../events/notices.ts';
import { keeperId } from '../keeper/keeping.ts';
import type { ChannelContext } from './context.ts';

export type PayeeTold = Omit<Unlocked, 'channel'> | Omit<LockGone, 'channel'>;

export const LOCK_GONE: PayeeTold = { type: 'actor.lockGone' };

export const unlocked = (secret: Secret | null): PayeeTold => ({ type: 'actor.unlocked', secret });

/**
 * Tells what became of the partner's lock to the actor that looks after it, whichever part this node has in the
 * payment.
 */
export const tellPayee = ({ id }: ChannelContext, secrethash: Hash, told: PayeeTold): Effect[] =>
  [`target:${secrethash}`, `mediator:${secrethash}`, keeperId(id, 'partner', secrethash)].map(
    (to) => ({ type: 'notify', to, event: { ...told, channel: id } }),
  );

/** Our transfer was given back; the lock of the refund is held until it expires. */
export const tellPayer = ({ id }: ChannelContext, secrethash: Hash): Effect[] =>
  ['initiator', 'mediator'].map((role) => ({
    type: 'notify',
    to: `${role}:${secrethash}`,
    event: { type: 'actor.refunded', channel: id },
  }));
