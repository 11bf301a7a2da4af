/** What callers ask of a channel, and the reveal timeout that they choose for it. */

import { isEnoughTime } from '../../src/protocol/channel/expiration.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { SetRevealTimeout } from '../events/commands.ts';
import type { ChannelContext, ChannelStep } from './context.ts';
import { replyChannel } from './notices.ts';
import { leastReveal } from './timeouts.ts';

export function revealTimeoutRefusal(
  channel: ChannelContext,
  event: SetRevealTimeout,
): Code | null {
  const { revealTimeout, minimum } = event;
  const least = leastReveal({ ...channel, minRevealTimeout: minimum });
  return isEnoughTime({ ...channel, revealTimeout }, least) ? null : 'invalid_timeout';
}

export function setRevealTimeout(channel: ChannelContext, event: SetRevealTimeout): ChannelStep {
  const { requestId, revealTimeout } = event;
  return {
    patch: { revealTimeout, isRevealChosen: true },
    effects: [replyChannel(channel, requestId)],
  };
}
