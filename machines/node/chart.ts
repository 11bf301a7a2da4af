/**
 * The node: the root of the actor system. It starts, catches up with the chain, serves, stops; it spawns the actors
 * of token networks and payments, and is told of the end of every actor.
 */
import * as v from 'valibot';
import { assign, enqueueActions, setup } from 'xstate';
import type { Code } from '../../src/protocol/codes.ts';
import type { Address } from '../../src/protocol/hex.ts';
import { hex, list, uint } from '../../src/protocol/shapes.ts';
import type { Effect } from '../effects.ts';
import type { TokenNetworkCreated, TransactionEnded } from '../events/chain.ts';
import type { Mint, OperateUserDeposit, Pay, RegisterToken } from '../events/commands.ts';
import type { CaughtUp, FellBehind, SettingsTold, Stop } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { actorSettings } from '../inputs.ts';
import { only, take } from '../step.ts';
import { USER_DEPOSIT } from '../user-deposit/context.ts';

export const nodeContext = v.object({
  ...actorSettings.entries,
  chainId: uint,
  own: hex,
  /** Every token whose token network has an actor. */
  tokens: list(hex),
  wakeBlock: v.null(),
});
export type NodeContext = v.InferOutput<typeof nodeContext>;
/** An actor has come to its end. */
type Ended = { type: 'actor.ended'; actor: string };
export type NodeEvent =
  | Pay
  | RegisterToken
  | OperateUserDeposit
  | Mint
  | TransactionEnded
  | TokenNetworkCreated
  | SettingsTold
  | CaughtUp
  | FellBehind
  | Stop;

/** The id of the actor of a token's network. */
export function tokenActorId(token: Address): string {
  return `tokenNetwork:${token}`;
}

function network(node: NodeContext, token: Address) {
  const { chainId, own, confirmations, defaultRevealTimeout, minRevealTimeout } = node;
  return { token, chainId, own, confirmations, defaultRevealTimeout, minRevealTimeout };
}

function register(node: NodeContext, event: RegisterToken): Effect {
  const { token, requestId } = event;
  const id = tokenActorId(token);
  if (node.tokens.includes(token)) {
    return { type: 'notify', to: id, event: { type: 'cmd.registerToken', requestId, token } };
  }
  const input = { ...network(node, token), tokenNetwork: null, requestId };
  return { type: 'spawn.tokenNetwork', id, input };
}

function appear(node: NodeContext, event: TokenNetworkCreated): Effect {
  const { token, tokenNetwork } = event;
  const id = tokenActorId(token);
  if (node.tokens.includes(token)) {
    const { at } = event;
    const told = { type: 'chain.tokenNetworkCreated', token, tokenNetwork, at } as const;
    return { type: 'notify', to: id, event: told };
  }
  const input = { ...network(node, token), tokenNetwork, requestId: null };
  return { type: 'spawn.tokenNetwork', id, input };
}

/**
 * The key of a mint job names the request to answer. The node stores nothing else about it: the caller does not
 * outlive the process.
 */
const MINT_KEY = 'mint:';

function mint({ requestId, token, to, value, method }: Mint): Effect {
  const tx = { from: 'node', key: `${MINT_KEY}${requestId}`, deadlineBlock: null };
  return { type: 'tx.mint', ...tx, token, to, value, method };
}

function mintReply(event: TransactionEnded): Effect {
  const requestId = event.key.slice(MINT_KEY.length);
  if (event.ok) {
    const value = { kind: 'transaction', transactionHash: event.transactionHash } as const;
    return { type: 'reply.ok', requestId, value };
  }
  const code = event.code === 'transaction_failed' ? 'mint_failed' : event.code;
  return { type: 'reply.error', requestId, code, detail: event.detail };
}

export const nodeMachine = setup({
  types: {
    context: {} as NodeContext,
    events: {} as Stamped<NodeEvent> | Ended,
    emitted: {} as Effect,
    input: {} as Omit<NodeContext, 'tokens' | 'wakeBlock'>,
  },
  actions: {
    spawnInitiator: enqueueActions(({ context, event, enqueue }) => {
      const { id, payment: order } = only(event, 'cmd.pay');
      const { own, confirmations } = context;
      enqueue.emit({ type: 'spawn.initiator', id, input: { id, own, confirmations, order } });
    }),
    registerToken: enqueueActions(({ context, event, enqueue }) => {
      const asked = only(event, 'cmd.registerToken');
      take(enqueue, { patch: known(context, asked.token), effects: [register(context, asked)] });
    }),
    noteTokenNetwork: enqueueActions(({ context, event, enqueue }) => {
      const log = only(event, 'chain.tokenNetworkCreated');
      take(enqueue, { patch: known(context, log.token), effects: [appear(context, log)] });
    }),
    operateUserDeposit: enqueueActions(({ event, enqueue }) => {
      const { requestId, order, facts } = only(event, 'cmd.userDeposit');
      // If the actor exists already, this changes nothing.
      enqueue.emit({ type: 'spawn.userDeposit', id: USER_DEPOSIT, input: { id: USER_DEPOSIT } });
      enqueue.emit({
        type: 'notify',
        to: USER_DEPOSIT,
        event: { type: 'cmd.userDeposit', requestId, order, facts },
      });
    }),
    mint: enqueueActions(({ event, enqueue }) => enqueue.emit(mint(only(event, 'cmd.mint')))),
    answerMint: enqueueActions(({ event, enqueue }) =>
      enqueue.emit(mintReply(only(event, 'chain.tx'))),
    ),
    refuse: enqueueActions(({ event, enqueue }, { code }: { code: Code }) => {
      const { requestId } = only(
        event,
        'cmd.pay',
        'cmd.registerToken',
        'cmd.userDeposit',
        'cmd.mint',
      );
      enqueue.emit({ type: 'reply.error', requestId, code, detail: '' });
    }),
    noteSettings: assign(({ event }) => only(event, 'actor.settings').settings),
    retire: enqueueActions(({ event, enqueue }) =>
      enqueue.emit({ type: 'retire', id: only(event, 'actor.ended').actor }),
    ),
  },
}).createMachine({
  id: 'node',
  description: 'The node: it catches up with the chain, serves, and stops.',
  context: ({ input }) => ({ ...input, tokens: [], wakeBlock: null }),
  initial: 'syncing',
  on: {
    'cmd.*': { actions: { type: 'refuse', params: { code: 'syncing' } } },
    'chain.tokenNetworkCreated': { actions: 'noteTokenNetwork' },
    'chain.tx': { actions: 'answerMint' },
    'actor.settings': { actions: 'noteSettings' },
    'actor.stop': { target: '.stopping' },
    'actor.ended': { actions: 'retire' },
  },
  states: {
    syncing: {
      description: 'Catching up with the chain: commands are refused.',
      on: { 'actor.caughtUp': { target: 'ready' } },
    },
    ready: {
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

function known({ tokens }: NodeContext, token: Address): Partial<NodeContext> {
  return tokens.includes(token) ? {} : { tokens: [...tokens, token] };
}
