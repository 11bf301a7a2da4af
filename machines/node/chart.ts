/**
 * The node: the root of the actor system. It starts, catches up with the chain, serves, stops; it spawns the actors
 * of token networks and payments.
 */
import { setup } from 'xstate';
import type { Effect } from '../effects.ts';
import * as commands from './commands.ts';
import { type NodeContext, type NodeEvent, type NodeInput, newNode } from './context.ts';

export const nodeMachine = setup({
  types: {
    context: {} as NodeContext,
    events: {} as NodeEvent,
    emitted: {} as Effect,
    input: {} as NodeInput,
    tags: {} as 'isServing',
  },
  actions: commands.actions,
}).createMachine({
  id: 'node',
  description: 'The node: it catches up with the chain, serves, and stops.',
  context: ({ input }) => newNode(input),
  initial: 'syncing',
  on: {
    'cmd.*': { actions: { type: 'refuse', params: { code: 'syncing' } } },
    'chain.tokenNetworkCreated': { actions: 'noteTokenNetwork' },
    'chain.tx': { actions: 'answerMint' },
    'actor.settings': { actions: 'noteSettings' },
    'actor.stop': { target: '.stopping' },
  },
  states: {
    syncing: {
      description: 'Catching up with the chain: commands are refused.',
      on: { 'actor.caughtUp': { target: 'ready' } },
    },
    ready: {
      tags: ['isServing'],
      description: 'Up with the chain: commands are taken.',
      on: {
        'cmd.pay': { actions: 'spawnInitiator' },
        'cmd.registerToken': { actions: 'registerToken' },
        'cmd.userDeposit': { actions: 'operateUserDeposit' },
        'cmd.mint': { actions: 'mint' },
        'actor.fellBehind': { target: 'syncing' },
      },
    },
    stopping: {
      description: 'Shutting down: commands are refused.',
      on: {
        'cmd.*': { actions: { type: 'refuse', params: { code: 'shutting_down' } } },
        // A process that starts again finds this state on disk, and has to catch up with the chain first.
        'actor.fellBehind': { target: 'syncing' },
      },
    },
  },
});
