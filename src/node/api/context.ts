/** What the commands of the API can read of the node and ask of it. */

import { tokenActorId } from '../../../machines/base/actor-ids.ts';
import type { RecordPayment } from '../../../machines/effects.ts';
import type { Address } from '../../basics/hex.ts';
import { createParticipants } from '../../chain/watch/participants.ts';
import type { Protection } from '../chain/protection.ts';
import type { BrokerWatch } from '../messaging/broker-watch.ts';
import type { Messaging } from '../messaging/messaging.ts';
import type { Presence } from '../messaging/presence.ts';
import {
  channelState,
  locksPending,
  payable,
  takes,
  userDepositState,
} from '../runtime/actors/channel-states.ts';
import { createBudgets } from '../runtime/knowledge/budgets.ts';
import type { ChannelFigures } from '../runtime/knowledge/channel-figures.ts';
import { highestIn } from '../runtime/knowledge/channel-numbers.ts';
import type { RouteFinder } from '../runtime/knowledge/route-finder.ts';
import type { createFrozenChannels } from '../runtime/knowledge/unsafe-channels.ts';
import type { NodeParts, NodeSettings } from '../runtime/parts.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { viewOf } from './views.ts';

type Rooms = {
  runtime: Runtime;
  presence: Presence;
  messaging: Pick<Messaging, 'sealSecret'>;
  protection: Protection;
  brokerWatch: BrokerWatch;
  finder: RouteFinder;
  figures: ChannelFigures;
  frozen: ReturnType<typeof createFrozenChannels>;
  nowBlock(): bigint;
};

export function createContext(settings: NodeSettings, parts: NodeParts, rooms: Rooms) {
  const { runtime, presence, messaging, protection, brokerWatch, finder, figures, nowBlock } =
    rooms;
  const { actors, engine, directory, networks, questions, calls } = runtime;
  const { store, signer, client, reads, chance } = parts;
  const participants = createParticipants({ client, deployBlock: settings.deployBlock });

  return {
    settings,
    own: signer.address,
    reads,
    questions,
    calls,
    chance,
    finder,
    begin: runtime.begin,
    complete: runtime.complete,
    redemptions: runtime.redemptions,
    ends: runtime.ends,
    /** The chain, as CAIP-2 names it. */
    network: `eip155:${settings.chainId}`,
    secretRegistry: settings.contracts.secretRegistryAddress,
    tokenNetworkOf(token: Address): Address | null {
      for (const [network, candidate] of networks) if (candidate === token) return network;
      return null;
    },
    channelOf: (token: Address, partner: Address) => directory.find(token, partner),
    canPay: figures.canPay,
    frozen: (token: Address) => rooms.frozen.all().filter((one) => one.token === token),
    payers: figures.payers,
    unsettledChannels: figures.unsettled,
    deposits: figures.deposits,
    highestChannelId: (network: Address) => highestIn(store.channelIds(), network),
    view(channel: string) {
      const state = channelState(actors, channel);
      return state === null ? null : viewOf(state, presence.stateOf(state.channel.partner));
    },
    payable: (channel: string) => payable(actors, channel),
    locksPending: (channel: string) => locksPending(actors, channel),
    takes: (channel: string, lock: Parameters<typeof takes>[2]) => takes(actors, channel, lock),
    isSecretUsed: engine.isSecretUsed,
    userDeposit: () => userDepositState(actors),
    gasOfChannel: protection.gasOfChannel,
    canPayGas: protection.canPayGas,
    freeGasMoney: protection.freeGasMoney,
    /** The operator uses the token: it is money to this node from now on. */
    choose(token: Address): void {
      if (protection.pending.isChosen(token)) return;
      engine.turn([{ to: tokenActorId(token), event: { type: 'actor.chosen' } }]);
    },
    findPartner: presence.check,
    isThere: async (partner: Address) =>
      presence.isFresh(partner) ? ('reachable' as const) : presence.check(partner),
    networkStateOf: presence.stateOf,
    sealSecret: messaging.sealSecret,
    participantsOf: (tokenNetwork: Address) => participants.of(tokenNetwork, nowBlock()),
    flush: () => engine.flush(),
    brokerTrouble: brokerWatch.trouble,
    budgets: createBudgets({
      rows: store.budgets(),
      now: runtime.now,
      write: (row) => engine.turn([], (batch) => void batch.budgets.push(row)),
    }),
    record: (payment: RecordPayment) =>
      engine.turn([], (batch) => void batch.payments.push(payment)),
  };
}
