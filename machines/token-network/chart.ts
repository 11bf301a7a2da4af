/**
 * One token: the registration of its token network, the opening of channels in it, joins and leaves.
 *
 * A channel's actor is spawned when its opening is confirmed, whoever opened it. Protocol 5.2, 5.3 and 8.
 */
import { assign, enqueueActions, setup } from 'xstate';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Effect } from '../effects.ts';
import type { BlockReached, TokenNetworkCreated, TransactionEnded } from '../events/chain.ts';
import type { Join, Leave, Open, RegisterToken } from '../events/commands.ts';
import type { Answered, ChannelLeft, PartnerDeposited, SettingsTold } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import type { TokenNetworkInput } from '../inputs.ts';
import { binding, inOrder, only, take } from '../step.ts';
import { type NetworkStep, newNetwork, type TokenNetworkContext } from './context.ts';
import { endJoin, isSameJoin, join, joinAdvice, joinAgain, joinRefusal } from './joining.ts';
import { closeAgain, endLeave, leave, leaveOpened, noteAnswer, noteSettled } from './leaving.ts';
import { endMatch, matched } from './matching.ts';
import { endOpening, isOurs, open, openAdvice, openRefusal, spawnChannel } from './opening.ts';

export type TokenNetworkEvent =
  | SettingsTold
  | RegisterToken
  | Open
  | Join
  | Leave
  | TokenNetworkCreated
  | Extract<ChannelLog, { type: 'chain.channelOpened' }>
  | TransactionEnded
  | BlockReached
  | PartnerDeposited
  | Answered
  | ChannelLeft;

/** Handles the end of an opening or of a deposit that this actor asked for. */
function endJob(network: TokenNetworkContext, event: TransactionEnded): NetworkStep {
  const opening = network.openings.find(({ key }) => key === event.key);
  if (opening !== undefined)
    return inOrder<TokenNetworkContext>(
      network,
      (next) => endOpening(next, opening, event),
      (next) => leaveOpened(next, opening.channel),
      endJoin,
      endLeave,
    );
  const match = network.matches.find(({ key }) => key === event.key);
  return match === undefined ? { patch: {}, effects: [] } : endMatch(network, match, event);
}

const REGISTRATION_ADVICE: Partial<Record<Code, string>> = {
  busy: 'This token is being registered: wait for it.',
  token_registered: 'This token has a token network.',
};

const { on } = binding<TokenNetworkContext, Stamped<TokenNetworkEvent>>();

export const tokenNetworkMachine = setup({
  types: {
    context: {} as TokenNetworkContext,
    events: {} as Stamped<TokenNetworkEvent>,
    emitted: {} as Effect,
    input: {} as TokenNetworkInput & { id: string },
  },
  guards: {
    isKnown: ({ context }) => context.tokenNetwork !== null,
    isFailed: ({ event }) => !only(event, 'chain.tx').ok,
    isOurs: ({ context, event }) => isOurs(context, only(event, 'chain.channelOpened')),
    canOpen: ({ context, event }) => openRefusal(context, only(event, 'cmd.open')) === null,
    canJoin: ({ context, event }) => joinRefusal(context, only(event, 'cmd.join')) === null,
    isSameJoin: ({ context, event }) => isSameJoin(context, only(event, 'cmd.join')),
    isJoining: ({ context }) => context.join !== null,
    isLeaving: ({ context }) => context.leave !== null,
    hasJoined: ({ context }) => context.join === null,
    hasLeft: ({ context }) => context.leave === null,
  },
  actions: {
    submitRegistration: enqueueActions(({ context, enqueue }) => {
      const { id: from, token } = context;
      const key = `register:${from}:${context.jobs}`;
      enqueue.emit({ type: 'tx.registerToken', from, key, deadlineBlock: null, token });
    }),
    noteAsked: assign(({ context, event }) => ({
      requestId: only(event, 'cmd.registerToken').requestId,
      jobs: context.jobs + 1,
    })),
    refuseRegistration: enqueueActions(({ event, enqueue }, { code }: { code: Code }) => {
      const { requestId } = only(event, 'cmd.registerToken');
      const detail = REGISTRATION_ADVICE[code] ?? '';
      enqueue.emit({ type: 'reply.error', requestId, code, detail });
    }),
    noteSettings: assign(({ event }) => only(event, 'actor.settings').settings),
    noteNetwork: assign(({ event }) => ({
      tokenNetwork: only(event, 'chain.tokenNetworkCreated').tokenNetwork,
    })),
    replyRegistered: enqueueActions(({ context, enqueue }) => {
      const { requestId, tokenNetwork } = context;
      if (requestId === null || tokenNetwork === null) return;
      const value = { kind: 'tokenNetwork', tokenNetwork } as const;
      take(enqueue, {
        patch: { requestId: null },
        effects: [{ type: 'reply.ok', requestId, value }],
      });
    }),
    replyUnregistered: enqueueActions(({ context, event, enqueue }) => {
      const ended = only(event, 'chain.tx');
      const { requestId } = context;
      if (ended.ok || requestId === null) return;
      const { code, detail } = ended;
      const effects: Effect[] = [{ type: 'reply.error', requestId, code, detail }];
      take(enqueue, { patch: { requestId: null }, effects });
    }),
    open: enqueueActions(({ context, event, enqueue }) => {
      const asked = only(event, 'cmd.open');
      take(enqueue, open(context, asked, asked.requestId));
    }),
    refuseOpen: enqueueActions(({ context, event, enqueue }, given: { code: Code } | undefined) => {
      const asked = only(event, 'cmd.open');
      const code = given?.code ?? openRefusal(context, asked) ?? 'busy';
      const detail = openAdvice(context, code, asked);
      enqueue.emit({ type: 'reply.error', requestId: asked.requestId, code, detail });
    }),
    spawnChannel: on(spawnChannel, 'chain.channelOpened'),
    endJob: on(endJob, 'chain.tx'),
    match: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, matched(context, only(event, 'actor.partnerDeposit').offer)),
    ),
    join: on(join, 'cmd.join'),
    joinAgain: on(joinAgain, 'cmd.join'),
    refuseJoin: enqueueActions(({ context, event, enqueue }, given: { code: Code } | undefined) => {
      const asked = only(event, 'cmd.join');
      const code = given?.code ?? joinRefusal(context, asked) ?? 'busy';
      const detail = joinAdvice(context, code, asked);
      enqueue.emit({ type: 'reply.error', requestId: asked.requestId, code, detail });
    }),
    leave: on(leave, 'cmd.leave'),
    refuseLeave: enqueueActions(({ event, enqueue }) => {
      const { requestId } = only(event, 'cmd.leave');
      enqueue.emit({ type: 'reply.error', requestId, code: 'unknown_token', detail: '' });
    }),
    noteAnswer: on(noteAnswer, 'actor.answered'),
    noteSettled: on(noteSettled, 'actor.channelSettled'),
    closeAgain: enqueueActions(({ context, enqueue }) => take(enqueue, closeAgain(context))),
  },
}).createMachine({
  id: 'tokenNetwork',
  description: 'One token: its registration, the opening of channels in it, joins and leaves.',
  context: ({ input }) => newNetwork(input),
  initial: 'appearing',
  on: { 'actor.settings': { actions: 'noteSettings' } },
  states: {
    appearing: {
      description: 'Whether the token has a contract already is looked at once.',
      always: [
        { guard: 'isKnown', target: 'registered' },
        { target: 'registering', actions: 'submitRegistration' },
      ],
    },
    registering: {
      description: 'The registration of the token is on its way.',
      on: {
        'cmd.registerToken': { actions: { type: 'refuseRegistration', params: { code: 'busy' } } },
        'cmd.open': { actions: { type: 'refuseOpen', params: { code: 'token_not_registered' } } },
        'cmd.join': { actions: { type: 'refuseJoin', params: { code: 'token_not_registered' } } },
        'cmd.leave': { actions: 'refuseLeave' },
        'chain.tokenNetworkCreated': {
          target: 'registered',
          actions: ['noteNetwork', 'replyRegistered'],
        },
        'chain.tx': { guard: 'isFailed', target: 'unregistered', actions: 'replyUnregistered' },
      },
    },
    registered: {
      initial: 'idle',
      description: 'The token has a token network: channels can be opened.',
      on: {
        'cmd.registerToken': {
          actions: { type: 'refuseRegistration', params: { code: 'token_registered' } },
        },
        'cmd.open': [{ guard: 'canOpen', actions: 'open' }, { actions: 'refuseOpen' }],
        'cmd.join': [{ guard: 'canJoin', actions: 'join' }, { actions: 'refuseJoin' }],
        'cmd.leave': { actions: 'leave' },
        'chain.channelOpened': { guard: 'isOurs', actions: 'spawnChannel' },
        'chain.tx': { actions: 'endJob' },
        'actor.partnerDeposit': { actions: 'match' },
      },
      states: {
        idle: {
          description: 'Neither a join nor a leave is on its way.',
          always: [
            { guard: 'isLeaving', target: 'leaving' },
            { guard: 'isJoining', target: 'joining' },
          ],
        },
        joining: {
          description: 'Channels with peers are being opened.',
          always: [
            { guard: 'isLeaving', target: 'leaving' },
            { guard: 'hasJoined', target: 'idle' },
          ],
          on: {
            'cmd.join': [
              { guard: 'isSameJoin', actions: 'joinAgain' },
              { actions: { type: 'refuseJoin', params: { code: 'busy' } } },
            ],
          },
        },
        leaving: {
          description: 'All channels are being closed and settled, those still opening among them.',
          always: { guard: 'hasLeft', target: 'idle' },
          on: {
            'cmd.open': { actions: { type: 'refuseOpen', params: { code: 'busy' } } },
            'cmd.join': { actions: { type: 'refuseJoin', params: { code: 'busy' } } },
            'actor.answered': { actions: 'noteAnswer' },
            'actor.channelSettled': { actions: 'noteSettled' },
            'chain.block': { actions: 'closeAgain' },
          },
        },
      },
    },
    unregistered: {
      description: 'The registration failed; somebody may try again, here or from another node.',
      on: {
        'cmd.registerToken': {
          target: 'registering',
          actions: ['noteAsked', 'submitRegistration'],
        },
        'cmd.open': { actions: { type: 'refuseOpen', params: { code: 'token_not_registered' } } },
        'cmd.join': { actions: { type: 'refuseJoin', params: { code: 'token_not_registered' } } },
        'cmd.leave': { actions: 'refuseLeave' },
        'chain.tokenNetworkCreated': { target: 'registered', actions: 'noteNetwork' },
      },
    },
  },
});
