/**
 * One token: the registration of its token network, the opening of channels in it, joins and leaves.
 *
 * A channel's actor is spawned when its opening is confirmed, whoever opened it. Protocol 5.2, 5.3 and 8.
 */
import { setup } from 'xstate';
import type { TokenNetworkInput } from '../base/inputs.ts';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import { newNetwork, type TokenNetworkContext, type TokenNetworkEvent } from './context.ts';
import * as jobs from './jobs.ts';
import * as joining from './joining.ts';
import * as leaving from './leaving.ts';
import * as matching from './matching.ts';
import * as opening from './opening.ts';
import * as registration from './registration.ts';

export const tokenNetworkMachine = setup({
  types: {
    context: {} as TokenNetworkContext,
    events: {} as Stamped<TokenNetworkEvent>,
    emitted: {} as Effect,
    input: {} as TokenNetworkInput & { id: string },
  },
  guards: { ...registration.guards, ...opening.guards, ...joining.guards, ...leaving.guards },
  actions: {
    ...registration.actions,
    ...opening.actions,
    ...matching.actions,
    ...joining.actions,
    ...leaving.actions,
    ...jobs.actions,
  },
}).createMachine({
  id: 'tokenNetwork',
  description: 'One token: its registration, the opening of channels in it, joins and leaves.',
  context: ({ input }) => newNetwork(input),
  initial: 'appearing',
  on: {
    'actor.settings': { actions: 'noteSettings' },
    'actor.chosen': { actions: 'noteChosen' },
  },
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
          description: 'No opening, no join and no leave is on its way.',
          always: [
            { guard: 'isLeaving', target: 'leaving' },
            { guard: 'isJoining', target: 'joining' },
            { guard: 'isOpening', target: 'opening' },
          ],
        },
        opening: {
          description: 'Channels are being opened, each by an order of its own.',
          always: [
            { guard: 'isLeaving', target: 'leaving' },
            { guard: 'isJoining', target: 'joining' },
            { guard: 'hasOpened', target: 'idle' },
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
