/** The actor of the channel that a partner message is about. */
import { channelActorId } from '../../../machines/base/actor-ids.ts';
import type { Address } from '../../basics/hex.ts';

export const channelOf = (about: { tokenNetwork: Address; channelId: bigint }): string =>
  channelActorId(about.tokenNetwork, about.channelId);
