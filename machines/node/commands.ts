/** What the node is asked: it passes orders on to the actors that they are for, which it spawns, and mints. */

import type { Address } from '../../src/basics/hex.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { tokenActorId, USER_DEPOSIT } from '../base/actor-ids.ts';
import type { Effect } from '../effects.ts';
import type { TokenNetworkCreated, TransactionEnded } from '../events/chain.ts';
import type { Mint, OperateUserDeposit, Pay, RegisterToken } from '../events/commands.ts';
import { type NodeContext, type NodeStep, on, onGiven } from './context.ts';

function network(node: NodeContext, token: Address) {
  const { chainId, own, confirmations, defaultRevealTimeout, minRevealTimeout } = node;
  return { token, chainId, own, confirmations, defaultRevealTimeout, minRevealTimeout };
}

function tellRegister(node: NodeContext, event: RegisterToken): Effect {
  const { token, requestId } = event;
  const id = tokenActorId(token);
  if (node.tokens.includes(token)) {
    return { type: 'notify', to: id, event: { type: 'cmd.registerToken', requestId, token } };
  }
  const input = { ...network(node, token), tokenNetwork: null, requestId };
  return { type: 'spawn.tokenNetwork', id, input };
}

function tellCreated(node: NodeContext, event: TokenNetworkCreated): Effect {
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

function known({ tokens }: NodeContext, token: Address): Partial<NodeContext> {
  return tokens.includes(token) ? {} : { tokens: [...tokens, token] };
}

function registerToken(node: NodeContext, event: RegisterToken): NodeStep {
  return { patch: known(node, event.token), effects: [tellRegister(node, event)] };
}

function noteTokenNetwork(node: NodeContext, log: TokenNetworkCreated): NodeStep {
  return { patch: known(node, log.token), effects: [tellCreated(node, log)] };
}

function spawnInitiator({ own, confirmations }: NodeContext, event: Pay): NodeStep {
  const { id, payment: order } = event;
  const input = { id, own, confirmations, order };
  return { patch: {}, effects: [{ type: 'spawn.initiator', id, input }] };
}

function operateUserDeposit(
  _: NodeContext,
  { requestId, order, facts }: OperateUserDeposit,
): NodeStep {
  const event = { type: 'cmd.userDeposit', requestId, order, facts } as const;
  return {
    patch: {},
    effects: [
      // If the actor exists already, this changes nothing.
      { type: 'spawn.userDeposit', id: USER_DEPOSIT, input: { id: USER_DEPOSIT } },
      { type: 'notify', to: USER_DEPOSIT, event },
    ],
  };
}

/**
 * The key of a mint job names the request to answer. The node stores nothing else about it: the caller does not
 * outlive the process.
 */
const MINT_KEY = 'mint:';

function mint(_: NodeContext, { requestId, token, to, value, method }: Mint): NodeStep {
  const tx = { from: 'node', key: `${MINT_KEY}${requestId}`, deadlineBlock: null };
  return { patch: {}, effects: [{ type: 'tx.mint', ...tx, token, to, value, method }] };
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

function answerMint(_: NodeContext, event: TransactionEnded): NodeStep {
  return { patch: {}, effects: [mintReply(event)] };
}

function refuse(
  _: NodeContext,
  { requestId }: Pay | RegisterToken | OperateUserDeposit | Mint,
  { code }: { code: Code },
): NodeStep {
  return { patch: {}, effects: [{ type: 'reply.error', requestId, code, detail: '' }] };
}

export const actions = {
  spawnInitiator: on(spawnInitiator, 'cmd.pay'),
  registerToken: on(registerToken, 'cmd.registerToken'),
  noteTokenNetwork: on(noteTokenNetwork, 'chain.tokenNetworkCreated'),
  operateUserDeposit: on(operateUserDeposit, 'cmd.userDeposit'),
  mint: on(mint, 'cmd.mint'),
  answerMint: on(answerMint, 'chain.tx'),
  refuse: onGiven(refuse, 'cmd.pay', 'cmd.registerToken', 'cmd.userDeposit', 'cmd.mint'),
  noteSettings: on((_, { settings }) => ({ patch: settings, effects: [] }), 'actor.settings'),
};
