/**
 * One token: the registration of its token network, and the opening of channels in it.
 *
 * A channel's actor is born when its opening is confirmed, whoever opened it. Protocol 5.2 and 5.3.
 */
import { assign, enqueueActions, setup } from 'xstate';
import type { Code } from '../src/protocol/codes.ts';
import { type Address, ZERO_ADDRESS } from '../src/protocol/hex.ts';
import { channelActorId } from './channel-context.ts';
import { depositAdvice, depositRefusal } from './deposit.ts';
import type { Effect, TokenNetworkInput } from './effects.ts';
import type {
  ChannelLog,
  Open,
  RegisterToken,
  SettingsTold,
  Stamped,
  TokenNetworkCreated,
  TransactionEnded,
} from './events.ts';
import { only, type Step, take } from './step.ts';

type Opening = {
  requestId: string;
  key: string;
  partner: Address;
  revealTimeout: bigint;
  /** The channel's actor once its opening is confirmed. */
  channel: string | null;
};
export type TokenNetworkContext = TokenNetworkInput & {
  id: string;
  openings: readonly Opening[];
  jobs: number;
  wakeBlock: bigint | null;
};
type Opened = Extract<ChannelLog, { type: 'chain.channelOpened' }>;
type TokenNetworkEvent =
  | SettingsTold
  | RegisterToken
  | Open
  | TokenNetworkCreated
  | Opened
  | TransactionEnded;
type NetworkStep = Step<TokenNetworkContext>;

/** Why no channel can be opened, or null; everything that can be known before a transaction. */
function openRefusal(network: TokenNetworkContext, event: Open): Code | null {
  const { partner, settleTimeout, revealTimeout, totalDeposit, limits } = event;
  if (partner === network.own || partner === ZERO_ADDRESS) return 'invalid_partner';
  if (event.hasChannel) return 'channel_exists';
  if (network.openings.some((opening) => opening.partner === partner)) return 'busy';
  if (revealTimeout < limits.minRevealTimeout) return 'invalid_timeout';
  if (settleTimeout < 2n * revealTimeout) return 'invalid_timeout';
  if (settleTimeout < limits.minSettleTimeout || settleTimeout > limits.maxSettleTimeout)
    return 'invalid_timeout';
  return depositRefusal(0n, totalDeposit, limits);
}

function openAdvice(code: Code, { limits }: Open): string {
  switch (code) {
    case 'invalid_partner':
      return 'A channel needs a partner that is neither this node nor the zero address.';
    case 'channel_exists':
      return 'A channel with this partner exists: deposit into it instead.';
    case 'busy':
      return 'A channel with this partner is being opened: wait for it.';
    case 'invalid_timeout':
      return `reveal_timeout must be at least ${limits.minRevealTimeout}, settle_timeout at least twice that and from ${limits.minSettleTimeout} to ${limits.maxSettleTimeout}.`;
    case 'token_not_registered':
      return 'The token has no token network: register it first.';
    default:
      return depositAdvice(code);
  }
}

function open(network: TokenNetworkContext, event: Open, tokenNetwork: Address): NetworkStep {
  const { id: from, token } = network;
  const { requestId, partner, revealTimeout, settleTimeout, totalDeposit } = event;
  const jobs = network.jobs + 1;
  const key = `open:${from}:${jobs}`;
  const opening: Opening = { requestId, key, partner, revealTimeout, channel: null };
  const facts = { token, tokenNetwork, partner, settleTimeout, totalDeposit };
  return {
    patch: { jobs, openings: [...network.openings, opening] },
    effects: [{ type: 'tx.openChannel', from, key, deadlineBlock: null, ...facts }],
  };
}

function isOurs({ own }: TokenNetworkContext, event: Opened): boolean {
  return event.participant1 === own || event.participant2 === own;
}

/** In a channel that somebody else opened the settle timeout may be too short for the default. */
function fitting(revealTimeout: bigint, settleTimeout: bigint): bigint {
  const longest = settleTimeout / 2n;
  return revealTimeout < longest ? revealTimeout : longest;
}

/** A channel of ours appeared, opened by us or by anybody. */
function bear(network: TokenNetworkContext, event: Opened): NetworkStep {
  const { own, token, chainId, confirmations, openings, minRevealTimeout } = network;
  const { tokenNetwork, channelId, settleTimeout, at } = event;
  const partner = event.participant1 === own ? event.participant2 : event.participant1;
  const opening = openings.find((candidate) => candidate.partner === partner);
  const id = channelActorId(tokenNetwork, channelId);
  const isRevealChosen = opening !== undefined;
  const revealTimeout =
    opening?.revealTimeout ?? fitting(network.defaultRevealTimeout, settleTimeout);
  const facts = { chainId, tokenNetwork, channelId, token, own, partner, confirmations };
  const reveal = { revealTimeout, isRevealChosen, minRevealTimeout };
  const input = { ...facts, ...reveal, settleTimeout, openBlock: at.block };
  const note = (other: Opening) => (other === opening ? { ...other, channel: id } : other);
  return {
    patch: { openings: openings.map(note) },
    effects: [{ type: 'spawn.channel', id, input }],
  };
}

/** The end of an opening: its channel was born before, in the logs of the same blocks. */
function endOpening(network: TokenNetworkContext, event: TransactionEnded): NetworkStep {
  const opening = network.openings.find(({ key }) => key === event.key);
  if (opening === undefined) return { patch: {}, effects: [] };
  const openings = network.openings.filter((other) => other !== opening);
  const { requestId, channel } = opening;
  if (event.ok && channel !== null)
    return {
      patch: { openings },
      effects: [{ type: 'reply.ok', requestId, value: { kind: 'channel', channel } }],
    };
  const code = event.ok ? 'transaction_failed' : event.code;
  const detail = event.ok ? 'The channel did not appear on chain.' : event.detail;
  return { patch: { openings }, effects: [{ type: 'reply.error', requestId, code, detail }] };
}

const REGISTRATION_ADVICE: Partial<Record<Code, string>> = {
  busy: 'This token is being registered: wait for it.',
  token_registered: 'This token has a token network.',
};

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
    noteSettings: assign(({ event }) => only(event, 'told.settings').settings),
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
      const { tokenNetwork } = context;
      if (tokenNetwork === null) throw new Error('tokenNetwork: opened before it is registered');
      take(enqueue, open(context, only(event, 'cmd.open'), tokenNetwork));
    }),
    refuseOpen: enqueueActions(({ context, event, enqueue }, given: { code: Code } | undefined) => {
      const asked = only(event, 'cmd.open');
      const code = given?.code ?? openRefusal(context, asked) ?? 'busy';
      const detail = openAdvice(code, asked);
      enqueue.emit({ type: 'reply.error', requestId: asked.requestId, code, detail });
    }),
    bear: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, bear(context, only(event, 'chain.channelOpened'))),
    ),
    endOpening: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, endOpening(context, only(event, 'chain.tx'))),
    ),
  },
}).createMachine({
  id: 'tokenNetwork',
  context: ({ input }) => ({ ...input, openings: [], jobs: 0, wakeBlock: null }),
  initial: 'appearing',
  on: { 'told.settings': { actions: 'noteSettings' } },
  states: {
    appearing: {
      always: [
        { guard: 'isKnown', target: 'registered' },
        { target: 'registering', actions: 'submitRegistration' },
      ],
    },
    registering: {
      on: {
        'cmd.registerToken': { actions: { type: 'refuseRegistration', params: { code: 'busy' } } },
        'cmd.open': { actions: { type: 'refuseOpen', params: { code: 'token_not_registered' } } },
        'chain.tokenNetworkCreated': {
          target: 'registered',
          actions: ['noteNetwork', 'replyRegistered'],
        },
        'chain.tx': { guard: 'isFailed', target: 'unregistered', actions: 'replyUnregistered' },
      },
    },
    registered: {
      on: {
        'cmd.registerToken': {
          actions: { type: 'refuseRegistration', params: { code: 'token_registered' } },
        },
        'cmd.open': [{ guard: 'canOpen', actions: 'open' }, { actions: 'refuseOpen' }],
        'chain.channelOpened': { guard: 'isOurs', actions: 'bear' },
        'chain.tx': { actions: 'endOpening' },
      },
    },
    // The registration failed; somebody may try again, here or from another node.
    unregistered: {
      on: {
        'cmd.registerToken': {
          target: 'registering',
          actions: ['noteAsked', 'submitRegistration'],
        },
        'cmd.open': { actions: { type: 'refuseOpen', params: { code: 'token_not_registered' } } },
        'chain.tokenNetworkCreated': { target: 'registered', actions: 'noteNetwork' },
      },
    },
  },
});
