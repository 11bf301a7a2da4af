/** What callers ask of a channel, and the reveal timeout that they choose for it. */

import { isEnoughTime } from '../../src/protocol/channel/expiration.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { SetRevealTimeout } from '../events/commands.ts';
import type { SettingsTold } from '../events/notices.ts';
import {
  type ChannelContext,
  type ChannelEvent,
  type ChannelStep,
  on,
  onGiven,
  when,
} from './context.ts';
import { channelDepositRefusal, depositAdvice } from './deposit.ts';
import { refusal, replyChannel } from './notices.ts';
import { leastReveal, revealAdvice, withSettings } from './timeouts.ts';
import { withdrawAdvice, withdrawRefusal } from './withdraws.ts';

const COMMANDS = ['cmd.deposit', 'cmd.withdraw', 'cmd.close', 'cmd.setRevealTimeout'] as const;
type Command = Extract<ChannelEvent, { type: (typeof COMMANDS)[number] }>;

function revealTimeoutRefusal(channel: ChannelContext, event: SetRevealTimeout): Code | null {
  const { revealTimeout, minimum } = event;
  const least = leastReveal({ ...channel, minRevealTimeout: minimum });
  return isEnoughTime({ ...channel, revealTimeout }, least) ? null : 'invalid_timeout';
}

function setRevealTimeout(channel: ChannelContext, event: SetRevealTimeout): ChannelStep {
  const { requestId, revealTimeout } = event;
  return {
    patch: { revealTimeout, isRevealChosen: true },
    effects: [replyChannel(channel, requestId)],
  };
}

/** The node was started with other options. */
function noteSettings(channel: ChannelContext, event: SettingsTold): ChannelStep {
  return { patch: withSettings(channel, event), effects: [] };
}

/** Why the command cannot be taken while the channel is open, or null. */
function refusalOf(channel: ChannelContext, event: Command): Code | null {
  switch (event.type) {
    case 'cmd.deposit':
      return channelDepositRefusal(channel, event);
    case 'cmd.withdraw':
      return withdrawRefusal(channel, event);
    case 'cmd.setRevealTimeout':
      return revealTimeoutRefusal(channel, event);
    case 'cmd.close':
      return null;
  }
}

function adviceOn(asked: Command, code: Code, channel: ChannelContext): string {
  if (asked.type === 'cmd.deposit') return depositAdvice(code);
  if (asked.type === 'cmd.setRevealTimeout' && code === 'invalid_timeout')
    return revealAdvice(channel, leastReveal({ ...channel, minRevealTimeout: asked.minimum }));
  return asked.type === 'cmd.withdraw' ? withdrawAdvice(code) : '';
}

/** `given`: the code that the chart knows already. */
function refuse(
  channel: ChannelContext,
  asked: Command,
  given: { code: Code } | undefined,
): ChannelStep {
  const code = given?.code ?? refusalOf(channel, asked) ?? 'channel_not_open';
  const detail = adviceOn(asked, code, channel);
  return { patch: {}, effects: [refusal(asked.requestId, code, detail)] };
}

export const commandGuards = {
  canSetReveal: when(
    (channel, event) => revealTimeoutRefusal(channel, event) === null,
    'cmd.setRevealTimeout',
  ),
};

export const commandActions = {
  refuse: onGiven(refuse, ...COMMANDS),
  replyChannel: on(
    (channel, { requestId }) => ({ patch: {}, effects: [replyChannel(channel, requestId)] }),
    ...COMMANDS,
  ),
  setRevealTimeout: on(setRevealTimeout, 'cmd.setRevealTimeout'),
  noteSettings: on(noteSettings, 'actor.settings'),
};
