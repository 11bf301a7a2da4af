/** How a channel is named everywhere. */
import type { Address } from '../../basics/hex.ts';

/** Globally unique name of a channel. */
export type CanonicalId = { chainId: bigint; tokenNetwork: Address; channelId: bigint };
