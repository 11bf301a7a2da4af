/**
 * Joining and leaving token networks, and which are joined. Facts are gathered here; the token network's actor decides.
 */

import { tokenActorId } from '../../../machines/base/actor-ids.ts';
import type { Join } from '../../../machines/events/commands.ts';
import type { LeftChannel } from '../../../machines/events/notices.ts';
import { PEERS } from '../../../machines/token-network/joining.ts';
import { NOT_REGISTERED } from '../../../machines/token-network/opening.ts';
import { MAX_UINT256 } from '../../basics/amount.ts';
import { type Chance, drawUint64 } from '../../basics/environment.ts';
import { type Address, ZERO_ADDRESS } from '../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../chain/queue/calls.ts';
import type { Result } from '../../protocol/codes.ts';
import { failure } from '../../protocol/codes.ts';
import type { NetworkState } from '../messaging/presence.ts';
import { suggestedPartners } from '../routing/suggestions.ts';
import type { ChannelView } from '../runtime/actors/channel-states.ts';
import type { Call } from '../runtime/knowledge/calls.ts';
import { numberRefusal } from '../runtime/knowledge/channel-numbers.ts';
import type { TokenConnection } from './api.ts';
import { type CommandContext, createAsk } from './commands.ts';

/** How many peers are asked at the same time whether they are online, and how many of them in all. */
const ASKED_AT_ONCE = 8;
const MOST_ASKED = 160;

type ConnectionContext = CommandContext & {
  /** Writes what was decided to disk, so that nothing is shown that a crash could still undo. */
  flush(): void;
  channels: {
    /** The token's channels that are not settled. */
    unsettled(token: Address): readonly string[];
    /** What this node has deposited in each open channel, by token. */
    deposits(): ReadonlyMap<Address, readonly bigint[]>;
  };
  /** Every address that ever had a channel in the token network, in no particular order. */
  participantsOf(tokenNetwork: Address): Promise<Result<Address[]>>;
  gas: {
    /** What the account can spend besides what is promised, and the price of a unit of gas, both in wei. */
    free(): Promise<Result<{ wei: bigint; price: bigint }>>;
  };
  partners: {
    isThere(partner: Address): Promise<NetworkState>;
    stateOf(partner: Address): NetworkState;
  };
};
type Facts = Omit<Join, 'type' | 'requestId' | 'funds' | 'deposits' | 'candidates'>;

export function createConnections(context: ConnectionContext) {
  const { settings, own, reads } = context;
  const ask = createAsk(context);

  /** The candidates, best first: those that the path-finding service suggests, then the others in random order. */
  async function inOrder(token: Address, tokenNetwork: Address, found: readonly Address[]) {
    const isStrange = (peer: Address) =>
      peer !== own && peer !== ZERO_ADDRESS && context.channels.find(token, peer) === null;
    const candidates = new Set(found.filter(isStrange));
    const service = settings.pathfindingServiceAddress;
    const suggested = service === null ? [] : await suggestedPartners(service, token, tokenNetwork);
    const first = new Set(suggested.filter((peer) => candidates.has(peer)));
    const others = [...candidates].filter((peer) => !first.has(peer));
    return [...first, ...someOf(others, MOST_ASKED, context.chance)];
  }

  /** The first candidates that answer, at most as many as a join can use. */
  async function thereOf(candidates: readonly Address[]): Promise<Address[]> {
    const there: Address[] = [];
    const most = Math.min(candidates.length, MOST_ASKED);
    for (let at = 0; at < most && there.length < PEERS; at += ASKED_AT_ONCE) {
      const asked = candidates.slice(at, at + ASKED_AT_ONCE);
      const states = await Promise.all(asked.map(context.partners.isThere));
      there.push(...asked.filter((_, index) => states[index] === 'reachable'));
    }
    return there;
  }

  async function factsFor(token: Address, tokenNetwork: Address): Promise<Result<Facts>> {
    const refusal = await numberRefusal(context, tokenNetwork);
    if (refusal !== null) return refusal;
    const registry = await reads.registryLimits();
    if (!registry.ok) return registry;
    const limits = await reads.depositLimits(tokenNetwork, token, own);
    if (!limits.ok) return limits;
    const free = await context.gas.free();
    if (!free.ok) return free;
    const { wei: money, price } = free.value;
    const { minSettleTimeout, maxSettleTimeout } = registry.value;
    const { minRevealTimeout, defaultSettleTimeout, defaultRevealTimeout } = settings;
    const timeouts = { minSettleTimeout, maxSettleTimeout, minRevealTimeout };
    const perOpening = (GAS_ESTIMATES.approve + GAS_ESTIMATES.openChannel) * price;
    const value: Facts = {
      settleTimeout: defaultSettleTimeout,
      revealTimeout: defaultRevealTimeout,
      limits: { ...limits.value, ...timeouts },
      gas: { money, perOpening },
    };
    return { ok: true, value };
  }

  async function findPeers(token: Address, tokenNetwork: Address): Promise<Result<Address[]>> {
    const found = await context.participantsOf(tokenNetwork);
    if (!found.ok) return found;
    return { ok: true, value: await thereOf(await inOrder(token, tokenNetwork, found.value)) };
  }

  function leftView(token: Address, tokenNetwork: Address, left: LeftChannel): ChannelView {
    const { channel: _, ...facts } = left;
    const networkState = context.partners.stateOf(left.partner);
    return { ...facts, token, tokenNetwork, state: 'closed', networkState };
  }

  return {
    /** The tokens with an open channel. */
    connections(): TokenConnection[] {
      context.flush();
      return [...context.channels.deposits()].map(([token, deposits]) => ({
        token,
        sumDeposits: deposits.reduce((sum, deposit) => sum + deposit, 0n),
        channels: deposits.length,
      }));
    },

    /** Answers the channels that it opened, when all openings have ended. */
    async join(token: Address, funds: bigint, call?: Call): Promise<Result<ChannelView[]>> {
      const tokenNetwork = context.tokenNetworkOf(token);
      if (tokenNetwork === null) return failure('token_not_registered', NOT_REGISTERED);
      if (funds <= 0n || funds > MAX_UINT256)
        return failure('invalid_amount', 'funds must be from 1 to 2^256 - 1.');
      const facts = await factsFor(token, tokenNetwork);
      if (!facts.ok) return facts;
      const peers = await findPeers(token, tokenNetwork);
      if (!peers.ok) return peers;
      // Nothing may be awaited from here on: a channel may have been opened meanwhile.
      const candidates = peers.value.filter((peer) => context.channels.find(token, peer) === null);
      const deposits = context.channels.deposits().get(token) ?? [];
      const order = { funds, candidates, deposits, ...facts.value };
      context.choose(token);
      const asked = (requestId: string) => ({ type: 'cmd.join', requestId, ...order }) as const;
      const answer = await ask(tokenActorId(token), 'joined', asked, call);
      if (!answer.ok) return answer;
      const views = answer.value.channels.map(context.channels.view);
      return { ok: true, value: views.filter((view) => view !== null) };
    },

    /** Answers the channels as they were at their close, when all are settled. */
    async leave(token: Address, call?: Call): Promise<Result<ChannelView[]>> {
      const tokenNetwork = context.tokenNetworkOf(token);
      if (tokenNetwork === null) return failure('unknown_token');
      const channels = context.channels.unsettled(token);
      const asked = (requestId: string) => ({ type: 'cmd.leave', requestId, channels }) as const;
      const answer = await ask(tokenActorId(token), 'left', asked, call);
      // Channels that are closed by then still settle.
      if (!answer.ok)
        return answer.outcome === 'failed' ? { ...answer, outcome: 'pending' } : answer;
      const left = answer.value.channels;
      return { ok: true, value: left.map((one) => leftView(token, tokenNetwork, one)) };
    },
  };
}

/** At most so many of the items, in an order that nobody can predict: there may be far more than are wanted. */
function someOf<T>(items: readonly T[], most: number, chance: Chance): T[] {
  const drawn = [...items];
  const count = Math.min(most, drawn.length);
  for (let at = 0; at < count; at++) {
    const other = at + Number(drawUint64(chance) % BigInt(drawn.length - at));
    drawn.splice(at, 1, ...drawn.splice(other, 1, ...drawn.slice(at, at + 1)));
  }
  return drawn.slice(0, count);
}
