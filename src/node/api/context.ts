/** What the commands of the API can read of the node and ask of it. */

import { tokenActorId } from '../../../machines/base/actor-ids.ts';
import type { RecordPayment } from '../../../machines/effects.ts';
import type { Address } from '../../basics/hex.ts';
import { createParticipants } from '../../chain/watch/participants.ts';
import type { ChainHeight } from '../chain/height.ts';
import type { Protection } from '../chain/protection.ts';
import type { BrokerWatch } from '../messaging/broker-watch.ts';
import type { Messaging } from '../messaging/messaging.ts';
import type { Presence } from '../messaging/presence.ts';
import { channelState, takes, userDepositState } from '../runtime/actors/channel-states.ts';
import { createBudgets } from '../runtime/knowledge/budgets.ts';
import type { ChannelFigures } from '../runtime/knowledge/channel-figures.ts';
import { highestIn } from '../runtime/knowledge/channel-numbers.ts';
import type { RouteFinder } from '../runtime/knowledge/route-finder.ts';
import type { createFrozenChannels } from '../runtime/knowledge/unsafe-channels.ts';
import type { NodeParts, NodeSettings } from '../runtime/parts.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { viewOf } from './views.ts';

type Given = {
  settings: NodeSettings;
  parts: NodeParts;
  runtime: Runtime;
  height: Pick<ChainHeight, 'nowBlock'>;
  protection: Protection;
  brokerWatch: BrokerWatch;
  presence: Presence;
  messaging: Pick<Messaging, 'sealSecret'>;
  finder: RouteFinder;
  figures: ChannelFigures;
  frozen: ReturnType<typeof createFrozenChannels>;
};

export function createContext(given: Given) {
  const { settings, parts, runtime, presence, protection, finder, figures, height } = given;
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
    channels: {
      /** The actor id of the unsettled channel with the partner; null when there is none. */
      find: directory.find,
      view(channel: string) {
        const state = channelState(actors, channel);
        return state === null ? null : viewOf(state, presence.stateOf(state.channel.partner));
      },
      takes: (channel: string, lock: Parameters<typeof takes>[2]) => takes(actors, channel, lock),
      ...figures,
      /** Channels of the token that can only be closed, since an old copy of the database has run. */
      frozen: (token: Address) => given.frozen.all().filter((one) => one.token === token),
      /** The highest channel id that this node ever had in the network; 0 when it had none. */
      highestId: (network: Address) => highestIn(store.channelIds(), network),
    },
    partners: {
      /** Asks now whether the partner is online. */
      find: presence.check,
      /** Asks, unless the partner was heard a moment ago. */
      isThere: async (partner: Address) =>
        presence.isFresh(partner) ? ('reachable' as const) : presence.check(partner),
      stateOf: presence.stateOf,
      sealSecret: given.messaging.sealSecret,
      /** Why nobody can be sent anything, or null. */
      brokerTrouble: given.brokerWatch.trouble,
    },
    gas: {
      ofChannel: protection.gasOfChannel,
      canPay: protection.canPayGas,
      free: protection.freeGasMoney,
    },
    isSecretUsed: engine.isSecretUsed,
    userDeposit: () => userDepositState(actors),
    /** The operator uses the token: it is money to this node from now on. */
    choose(token: Address): void {
      if (protection.pending.isChosen(token)) return;
      engine.turn([{ to: tokenActorId(token), event: { type: 'actor.chosen' } }]);
    },
    participantsOf: (tokenNetwork: Address) => participants.of(tokenNetwork, height.nowBlock()),
    flush: () => engine.flush(),
    budgets: createBudgets({
      rows: store.budgets(),
      now: runtime.now,
      write: (row) => engine.turn([], (batch) => void batch.budgets.push(row)),
    }),
    record: (payment: RecordPayment) =>
      engine.turn([], (batch) => void batch.payments.push(payment)),
  };
}
