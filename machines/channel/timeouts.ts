/**
 * Whether a channel's timeouts leave time to bring on chain what its locks need. Whoever opens a channel chooses its
 * settle timeout, and the operator may change the confirmations at each start, so this is checked for each lock, with
 * the values that are in force then.
 */

import { isEnoughTime, leastRevealTimeout, MARGIN } from '../../src/protocol/channel/expiration.ts';
import type { Lock } from '../../src/protocol/channel/lock.ts';
import type { ChannelInput } from '../base/inputs.ts';
import type { SetRevealTimeout } from '../events/commands.ts';
import type { SettingsTold } from '../events/notices.ts';
import type { ActorRefusal } from './context.ts';

export type Timeouts = Pick<
  ChannelInput,
  'settleTimeout' | 'revealTimeout' | 'isRevealChosen' | 'minRevealTimeout' | 'confirmations'
>;

/** In blocks: the shortest reveal timeout that this node may rely on. */
function leastReveal(channel: Pick<Timeouts, 'minRevealTimeout' | 'confirmations'>): bigint {
  return leastRevealTimeout(channel.confirmations, channel.minRevealTimeout);
}

/**
 * The reveal timeout of payments from or to this node. If nobody here has chosen one and the channel is too short for
 * the default, it is half of the settle timeout; for transfers that are passed on it is not shortened.
 */
export function revealTimeoutInForce(channel: Timeouts): bigint {
  const { revealTimeout, isRevealChosen, settleTimeout } = channel;
  const longest = settleTimeout / 2n;
  return isRevealChosen || revealTimeout < longest ? revealTimeout : longest;
}

/** Why no lock is made or accepted in the channel, or null. */
export function timeoutsRefusal(channel: Timeouts): ActorRefusal | null {
  const { settleTimeout } = channel;
  const revealTimeout = revealTimeoutInForce(channel);
  const isSafe = isEnoughTime({ revealTimeout, settleTimeout }, leastReveal(channel));
  return isSafe ? null : { code: 'unsafe_timeouts', detail: UNSAFE_TIMEOUTS };
}

/**
 * The blocks that this node, as the target, reserves for registering the secret of a lock. If nobody here has chosen
 * a reveal timeout, half the time of a lock that is shorter than usual is reserved, but never less than what is safe.
 * All of the lock's time is reserved in a channel that takes no locks, and for a lock that is longer than any sender
 * may make it: this node then holds the lock until it expires, and neither requests nor reveals its secret.
 */
export function revealTimeoutFor(
  channel: Timeouts,
  lock: Pick<Lock, 'expiration'>,
  nowBlock: bigint,
): bigint {
  // Otherwise a payer could fill the room that this node has for registrations for as long as it likes.
  const isTooLong = lock.expiration - nowBlock > channel.settleTimeout + leastReveal(channel);
  if (isTooLong || timeoutsRefusal(channel) !== null) return lock.expiration;
  const revealTimeout = revealTimeoutInForce(channel);
  const half = (lock.expiration - nowBlock) / 2n;
  if (channel.isRevealChosen || half >= revealTimeout) return revealTimeout;
  const least = leastReveal(channel);
  return half > least ? half : least;
}

/**
 * Whether this node passes on locks of the partner: it does so only with the configured reveal timeout, never with a
 * shorter one.
 */
export function canMediate(channel: Timeouts): boolean {
  return isEnoughTime(channel, leastReveal(channel));
}

/** What a person is told about a channel in which no lock is made or accepted. */
export const UNSAFE_TIMEOUTS = `The reveal timeout of a channel must be at least the confirmations and ${MARGIN} blocks, its settle timeout twice the reveal timeout. Change reveal_timeout, or close the channel and open one with a longer settle timeout.`;

/** Why the channel cannot have this reveal timeout, or null. */
export function revealTimeoutRefusal(
  { settleTimeout, confirmations }: Pick<Timeouts, 'settleTimeout' | 'confirmations'>,
  { revealTimeout, minimum }: Pick<SetRevealTimeout, 'revealTimeout' | 'minimum'>,
): ActorRefusal | null {
  const least = leastReveal({ confirmations, minRevealTimeout: minimum });
  if (isEnoughTime({ revealTimeout, settleTimeout }, least)) return null;
  const longest = settleTimeout / 2n;
  const detail =
    least > longest
      ? `reveal_timeout must be at least ${least}, and the settle timeout twice as long: it is ${settleTimeout}.`
      : `reveal_timeout must be from ${least} to ${longest}.`;
  return { code: 'invalid_timeout', detail };
}

/**
 * The node was started with other options: if nobody chose a reveal timeout for this channel, it gets the new
 * default.
 */
export function withSettings(
  { revealTimeout, isRevealChosen }: Timeouts,
  { settings }: SettingsTold,
): Pick<Timeouts, 'confirmations' | 'minRevealTimeout' | 'revealTimeout'> {
  const { confirmations, minRevealTimeout, defaultRevealTimeout } = settings;
  const wanted = isRevealChosen ? revealTimeout : defaultRevealTimeout;
  return { confirmations, minRevealTimeout, revealTimeout: wanted };
}
