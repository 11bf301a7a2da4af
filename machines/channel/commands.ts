/** What callers ask of a channel, and the reveal timeout that they choose for it. */

import type { Code } from '../../src/protocol/codes.ts';
import type { SetRevealTimeout } from '../events/commands.ts';
import type { SettingsTold } from '../events/notices.ts';
import {
  type ActorRefusal,
  type ChannelContext,
  type ChannelEvent,
  type ChannelStep,
  on,
  onGiven,
  when,
} from './context.ts';
import { channelDepositRefusal } from './deposit.ts';
import { refusal, replyChannel } from './notices.ts';
import { revealTimeoutRefusal, withSettings } from './timeouts.ts';
import { withdrawRefusal } from './withdraws.ts';

const COMMANDS = ['cmd.deposit', 'cmd.withdraw', 'cmd.close', 'cmd.setRevealTimeout'] as const;
type Command = Extract<ChannelEvent, { type: (typeof COMMANDS)[number] }>;

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
function refusalOf(channel: ChannelContext, event: Command): ActorRefusal | null {
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

/** A refusal whose code the chart knows already: most of these say all by their code. */
function givenRefusal({ type }: Command, code: Code): ActorRefusal {
  const isWithdrawing = type === 'cmd.withdraw' && code === 'busy';
  return {
    code,
    detail: isWithdrawing ? 'Another withdrawal from this channel has not ended yet.' : '',
  };
}

/** `given`: the code that the chart knows already. */
function refuse(
  channel: ChannelContext,
  asked: Command,
  given: { code: Code } | undefined,
): ChannelStep {
  const found = given === undefined ? refusalOf(channel, asked) : givenRefusal(asked, given.code);
  const reason = found ?? givenRefusal(asked, 'channel_not_open');
  return { patch: {}, effects: [refusal(asked.requestId, reason)] };
}

export const guards = {
  canSetReveal: when(
    (channel, event) => revealTimeoutRefusal(channel, event) === null,
    'cmd.setRevealTimeout',
  ),
};

export const actions = {
  refuse: onGiven(refuse, ...COMMANDS),
  replyChannel: on(
    (channel, { requestId }) => ({ patch: {}, effects: [replyChannel(channel, requestId)] }),
    ...COMMANDS,
  ),
  setRevealTimeout: on(setRevealTimeout, 'cmd.setRevealTimeout'),
  noteSettings: on(noteSettings, 'actor.settings'),
};
