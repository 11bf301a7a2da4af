/**
 * The commands of the API. What can be known beforehand is checked here or passed to the actors as a fact; the actors
 * decide, and the caller gets their answer.
 */

import { tokenActorId } from '../../../machines/base/actor-ids.ts';
import type { ReplyKind, ReplyOf } from '../../../machines/effects.ts';
import type { DepositLimits } from '../../../machines/events/commands.ts';
import { NOT_REGISTERED } from '../../../machines/token-network/opening.ts';
import { type Chance, drawUint64 } from '../../basics/environment.ts';
import { type Address, ZERO_ADDRESS } from '../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../chain/queue/calls.ts';
import type { Result } from '../../protocol/codes.ts';
import { failure } from '../../protocol/codes.ts';
import type { NetworkState } from '../messaging/presence.ts';
import type { ChannelView } from '../runtime/actors/channel-states.ts';
import type { Delivery } from '../runtime/commits/delivery.ts';
import type { Questions } from '../runtime/commits/questions.ts';
import type { Call, Calls } from '../runtime/knowledge/calls.ts';
import { numberRefusal } from '../runtime/knowledge/channel-numbers.ts';
import type { NodeParts, NodeSettings } from '../runtime/parts.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { OpenRequest } from './api.ts';
import { keptAnswer } from './keyed.ts';

export type CommandContext = {
  settings: NodeSettings;
  own: Address;
  reads: NodeParts['reads'];
  questions: Questions;
  calls: Pick<Calls, 'find'>;
  chance: Chance;
  /** Begins something for a call; false: the node can begin nothing any more. */
  begin: Runtime['begin'];
  /** The token's network; null until its creation is confirmed on chain. */
  tokenNetworkOf(token: Address): Address | null;
  channels: {
    /** The actor id of the unsettled channel with the partner; null when there is none. */
    find(token: Address, partner: Address): string | null;
    view(channel: string): ChannelView | null;
    /** The highest channel id that this node ever had in the network; 0 when it had none. */
    highestId(tokenNetwork: Address): bigint;
  };
  gas: {
    /** Gas of one more channel, from its opening to its end. */
    ofChannel: bigint;
    /** Whether the account can pay for so much gas besides what this node has promised. */
    canPay(gas: bigint): Promise<Result<boolean>>;
  };
  partners: {
    /** Asks now whether the partner is online. */
    find(partner: Address): Promise<NetworkState>;
  };
  /** The operator uses the token: it is money to this node from now on. */
  choose(token: Address): void;
};

/** A call of somebody who does not repeat it. */
export const newCall = (): Call => ({ keyed: null, begun: null });

/** Sends one event to one actor and resolves with the actor's answer. */
export function createAsk({ questions, begin }: Pick<CommandContext, 'questions' | 'begin'>) {
  /** `kind`: of the answer. */
  return async <K extends ReplyKind>(
    to: string,
    kind: K,
    event: (requestId: string) => Delivery['event'],
    call: Call = newCall(),
  ): Promise<Result<ReplyOf<K>>> => {
    const requestId = questions.nextId();
    const answer = questions.wait(requestId, kind);
    const delivery = { to, event: event(requestId) };
    const isBegun = begin(call, { delivery, requestId, paymentId: null });
    return isBegun ? answer : failure('shutting_down');
  };
}

type Ask = ReturnType<typeof createAsk>;

const SPENT_MEANWHILE = 'Another call has spent the tokens of the account meanwhile.';

export function createCommands(context: CommandContext) {
  const { settings, own, reads } = context;
  const ask = createAsk(context);
  /** Deposits on their way, by channel and total. */
  const depositing = new Map<string, Promise<Result<ChannelView>>>();

  async function onChannel(
    token: Address,
    partner: Address,
    event: (requestId: string) => Delivery['event'],
    call?: Call,
  ): Promise<Result<ChannelView>> {
    const id = context.channels.find(token, partner);
    if (id === null) return failure('unknown_channel');
    return channelAnswer(context, await ask(id, 'channel', event, call), call);
  }

  async function limitsOf(token: Address, network: Address): Promise<Result<DepositLimits>> {
    return reads.depositLimits(network, token, own);
  }

  /**
   * Calls made at the same time see the same token balance, and the contract refuses the last of them: then the caller
   * is told that the tokens are missing, instead of that a transaction failed.
   */
  async function toldOfRace<T>(
    answer: Result<T>,
    { token, network, needed }: { token: Address; network: Address; needed: bigint },
  ): Promise<Result<T>> {
    if (answer.ok || answer.code !== 'transaction_failed') return answer;
    const limits = await limitsOf(token, network);
    const isSpent = limits.ok && needed > limits.value.ownTokens;
    return isSpent ? { ...answer, code: 'insufficient_balance', detail: SPENT_MEANWHILE } : answer;
  }

  async function deposit(
    token: Address,
    partner: Address,
    totalDeposit: bigint,
    call?: Call,
  ): Promise<Result<ChannelView>> {
    const network = context.tokenNetworkOf(token);
    if (network === null || context.channels.find(token, partner) === null)
      return failure('unknown_channel');
    const limits = await limitsOf(token, network);
    if (!limits.ok) return limits;
    const facts = { totalDeposit, limits: limits.value };
    const before = viewWith(context, token, partner)?.totalDeposit ?? 0n;
    const deposited = (requestId: string) =>
      ({ type: 'cmd.deposit', requestId, ...facts }) as const;
    const answer = await onChannel(token, partner, deposited, call);
    return toldOfRace(answer, { token, network, needed: totalDeposit - before });
  }

  return {
    registerToken: createRegistration(context, ask),

    async openChannel(request: OpenRequest, call?: Call): Promise<Result<ChannelView>> {
      const { token, partner, totalDeposit } = request;
      const network = context.tokenNetworkOf(token);
      if (network === null) return failure('token_not_registered', NOT_REGISTERED);
      const refusal = await numberRefusal(context, network);
      if (refusal !== null) return refusal;
      context.choose(token);
      const [registry, limits, gas] = await Promise.all([
        reads.registryLimits(),
        limitsOf(token, network),
        context.gas.canPay(context.gas.ofChannel),
      ]);
      if (!registry.ok) return registry;
      if (!limits.ok) return limits;
      if (!gas.ok) return gas;
      const { minSettleTimeout, maxSettleTimeout } = registry.value;
      const { minRevealTimeout } = settings;
      const settleTimeout = request.settleTimeout ?? settings.defaultSettleTimeout;
      const revealTimeout = request.revealTimeout ?? settings.defaultRevealTimeout;
      const facts = {
        partner,
        totalDeposit,
        settleTimeout,
        revealTimeout,
        hasChannel: context.channels.find(token, partner) !== null,
        canPayGas: gas.value,
        limits: { ...limits.value, minSettleTimeout, maxSettleTimeout, minRevealTimeout },
      };
      const asked = (requestId: string) => ({ type: 'cmd.open', requestId, ...facts }) as const;
      const answer = await ask(tokenActorId(token), 'channel', asked, call);
      const told = await toldOfRace(channelAnswer(context, answer, call), {
        token,
        network,
        needed: totalDeposit,
      });
      return toldOfOther(told, viewWith(context, token, partner), settleTimeout);
    },

    /**
     * The same deposit, asked for again while it is on its way, gets the same answer. It is a total: a key that joined it
     * here need not be known after a restart, since the same once more has no effect.
     */
    deposit(token: Address, partner: Address, totalDeposit: bigint, call?: Call) {
      const key = `${token}:${partner}:${totalDeposit}`;
      const before = depositing.get(key);
      if (before !== undefined) return before;
      const over = () => depositing.delete(key);
      const answer = deposit(token, partner, totalDeposit, call).finally(over);
      depositing.set(key, answer);
      return answer;
    },

    async withdraw(token: Address, partner: Address, totalWithdraw: bigint, call?: Call) {
      // Before anything is signed: the transaction queue estimates what the call really needs.
      const [presence, gas] = await Promise.all([
        context.partners.find(partner),
        context.gas.canPay(GAS_ESTIMATES.withdraw),
      ]);
      if (!gas.ok) return gas;
      const facts = { isPartnerThere: presence === 'reachable', canPayGas: gas.value };
      const messageId = drawUint64(context.chance);
      const asked = (requestId: string) =>
        ({ type: 'cmd.withdraw', requestId, totalWithdraw, messageId, ...facts }) as const;
      return onChannel(token, partner, asked, call);
    },

    close: (token: Address, partner: Address, call?: Call) =>
      onChannel(token, partner, (requestId) => ({ type: 'cmd.close', requestId }), call),

    setRevealTimeout(token: Address, partner: Address, revealTimeout: bigint, call?: Call) {
      const facts = { revealTimeout, minimum: settings.minRevealTimeout };
      const asked = (requestId: string) =>
        ({ type: 'cmd.setRevealTimeout', requestId, ...facts }) as const;
      return onChannel(token, partner, asked, call);
    },
  };
}

/** Registers a token, when nothing is known against it. */
function createRegistration({ settings, own, reads }: CommandContext, ask: Ask) {
  return async (token: Address, call?: Call): Promise<Result<Address>> => {
    if (settings.isProduction) return failure('main_network');
    if (token === ZERO_ADDRESS) return failure('invalid_token', 'The zero address is no token.');
    const facts = await reads.tokenFacts(token);
    if (!facts.ok) return facts;
    if (!facts.value.hasCode)
      return failure('invalid_token', 'There is no contract at this address.');
    if (facts.value.isErc20 && !facts.value.hasSupply)
      return failure(
        'invalid_token',
        'It has no supply: the registry takes it when there is some.',
      );
    if (!facts.value.isErc20)
      return failure('invalid_token', 'The contract at this address is not an ERC-20 token.');
    const known = await reads.tokenNetworkOf(token);
    if (!known.ok) return known;
    if (known.value !== null) return failure('token_registered');
    const fault = await reads.tokenFault(token, own);
    if (!fault.ok) return fault;
    if (fault.value !== null) return failure('invalid_token', fault.value);
    const limits = await reads.registryLimits();
    if (!limits.ok) return limits;
    if (limits.value.tokenNetworksCreated >= limits.value.maxTokenNetworks)
      return failure('token_network_limit');
    const asked = (requestId: string) => ({ type: 'cmd.registerToken', requestId, token }) as const;
    const answer = await ask('node', 'tokenNetwork', asked, call);
    return answer.ok ? { ok: true, value: answer.value.tokenNetwork } : answer;
  };
}

/** The channel; under a key as it was when that was decided, since whoever asks again is told the same. */
function channelAnswer(
  { calls, channels }: Pick<CommandContext, 'calls' | 'channels'>,
  answer: Result<ReplyOf<'channel'>>,
  { keyed }: Call = newCall(),
): Result<ChannelView> {
  if (!answer.ok) return answer;
  const kept = keyed === null ? null : keptAnswer(calls, keyed);
  if (kept?.ok && kept.value.kind === 'channel') return { ok: true, value: kept.value.channel };
  const channel = channels.view(answer.value.channel);
  return channel === null ? failure('unknown_channel') : { ok: true, value: channel };
}

function viewWith(context: CommandContext, token: Address, partner: Address): ChannelView | null {
  const id = context.channels.find(token, partner);
  return id === null ? null : context.channels.view(id);
}

type Existing = Pick<ChannelView, 'settleTimeout' | 'state'>;

/** Of the contract's refusal. */
const IS_THERE = /channel exists/;
const FASTER =
  'Somebody else has opened one at the same time, which anybody may do. It is listed when its block is confirmed: ask then what it is like.';

/**
 * What is said when a channel cannot be opened since there is one. Anybody may open a channel between two others on the
 * contract, with a settle timeout of its own: that costs its gas and takes nothing, but those two never chose it. The node
 * does not close such a channel by itself: it would pay for the close and the settlement, wait for the whole timeout, and
 * find the next one there.
 *
 * `existing`: the channel as this node knows it; null: not yet. `asked`: the settle timeout that the caller wanted.
 */
function toldOfOther<T>(answer: Result<T>, existing: Existing | null, asked: bigint): Result<T> {
  if (answer.ok) return answer;
  const isThere =
    answer.code === 'channel_exists' ||
    (answer.code === 'transaction_failed' && IS_THERE.test(answer.detail ?? ''));
  if (!isThere) return answer;
  const detail = existing === null ? FASTER : adviceFor(existing, asked);
  return { ...answer, code: 'channel_exists', detail };
}

function adviceFor({ settleTimeout, state }: Existing, asked: bigint): string {
  if (state !== 'opened')
    return `It is ${state}: wait until it is settled, ${settleTimeout} blocks after its close, and open another one.`;
  const it = `It has settle_timeout ${settleTimeout}`;
  if (settleTimeout === asked) return `${it}. Deposit into it instead, with PATCH.`;
  return (
    `${it}, not ${asked}: its partner may have opened it, or anybody else. ` +
    'Deposit into it, with PATCH: it pays like any other, and total_withdraw takes tokens out at once as long as the partner agrees; ' +
    `without it they come back ${settleTimeout} blocks after a close. Or close it, and open another one when it is settled.`
  );
}
