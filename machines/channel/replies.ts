/** The answers of a channel to the caller of a command. */

import type { Code } from '../../src/protocol/codes.ts';
import { toAsker } from '../asking.ts';
import type { Effect } from '../effects.ts';
import type { ChannelContext } from './context.ts';

export function replyChannel(channel: ChannelContext, requestId: string): Effect {
  const value = { kind: 'channel', channel: channel.id } as const;
  return toAsker({ type: 'reply.ok', requestId, value });
}

export function refusal(requestId: string, code: Code, detail: string): Effect {
  return toAsker({ type: 'reply.error', requestId, code, detail });
}
