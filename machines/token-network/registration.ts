/** The registration of a token: a transaction makes its token network, here or from another node. Protocol 5.2. */
import type { Code } from '../../src/protocol/codes.ts';
import type { TransactionEnded } from '../events/chain.ts';
import type { RegisterToken } from '../events/commands.ts';
import { type NetworkStep, on, onAny, onGiven, type TokenNetworkContext, when } from './context.ts';

const REGISTRATION_ADVICE: Partial<Record<Code, string>> = {
  busy: 'This token is being registered: wait for it.',
  token_registered: 'This token has a token network.',
};

function submitRegistration({ id: from, token, jobs }: TokenNetworkContext): NetworkStep {
  const key = `register:${from}:${jobs}`;
  return {
    patch: {},
    effects: [{ type: 'tx.registerToken', from, key, deadlineBlock: null, token }],
  };
}

function refuseRegistration(
  _: TokenNetworkContext,
  { requestId }: RegisterToken,
  { code }: { code: Code },
): NetworkStep {
  const detail = REGISTRATION_ADVICE[code] ?? '';
  return { patch: {}, effects: [{ type: 'reply.error', requestId, code, detail }] };
}

/** Answers the caller, if one waits. */
function replyRegistered({ requestId, tokenNetwork }: TokenNetworkContext): NetworkStep {
  if (requestId === null || tokenNetwork === null) return { patch: {}, effects: [] };
  const value = { kind: 'tokenNetwork', tokenNetwork } as const;
  return { patch: { requestId: null }, effects: [{ type: 'reply.ok', requestId, value }] };
}

function replyUnregistered(
  { requestId }: TokenNetworkContext,
  ended: TransactionEnded,
): NetworkStep {
  if (ended.ok || requestId === null) return { patch: {}, effects: [] };
  const { code, detail } = ended;
  return {
    patch: { requestId: null },
    effects: [{ type: 'reply.error', requestId, code, detail }],
  };
}

export const guards = {
  isKnown: ({ context }: { context: TokenNetworkContext }) => context.tokenNetwork !== null,
  isFailed: when((_, { ok }) => !ok, 'chain.tx'),
};

export const actions = {
  submitRegistration: onAny(submitRegistration),
  noteAsked: on(
    ({ jobs }, { requestId }) => ({ patch: { requestId, jobs: jobs + 1 }, effects: [] }),
    'cmd.registerToken',
  ),
  refuseRegistration: onGiven(refuseRegistration, 'cmd.registerToken'),
  noteChosen: on(() => ({ patch: { isChosen: true }, effects: [] }), 'actor.chosen'),
  noteSettings: on((_, { settings }) => ({ patch: settings, effects: [] }), 'actor.settings'),
  noteNetwork: on(
    (_, { tokenNetwork }) => ({ patch: { tokenNetwork }, effects: [] }),
    'chain.tokenNetworkCreated',
  ),
  replyRegistered: onAny(replyRegistered),
  replyUnregistered: on(replyUnregistered, 'chain.tx'),
};
