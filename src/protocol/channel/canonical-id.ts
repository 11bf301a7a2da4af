/** How a channel is named everywhere. */
import type { Address } from '../../basics/hex.ts';

/** Where a channel is on its chain: the number that its token network has given to it. */
export type ChannelPlace = { tokenNetwork: Address; channelId: bigint };
/** Globally unique name of a channel. */
export type CanonicalId = ChannelPlace & { chainId: bigint };
