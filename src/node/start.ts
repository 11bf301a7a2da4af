/** The node as HTTP, the inspector and the services see it: commands and queries. */

import type { Address } from '../basics/hex.ts';
import type { Result } from '../protocol/codes.ts';
import { failure } from '../protocol/codes.ts';
import type { FeeTerms } from '../protocol/fees/fee-terms.ts';
import type { Slices } from '../store/base/slices.ts';
import type { HistoryQuery, NodeApi, NodeStatus } from './api/api.ts';
import { createChannelEvents } from './api/channel-events.ts';
import { createCommands } from './api/commands.ts';
import { createConnections } from './api/connections.ts';
import type { Inspection } from './api/inspection.ts';
import { createInspection } from './api/inspection-of.ts';
import { createKeyed } from './api/keyed.ts';
import { createMint } from './api/mint.ts';
import { meteredPay } from './api/payments.ts';
import { createPendingChannels } from './api/pending-channels.ts';
import { createRedeeming } from './api/selling/redemptions.ts';
import { createStats } from './api/stats.ts';
import { createTransfers } from './api/transfers.ts';
import { createUserDeposit } from './api/user-deposit.ts';
import { createWaiting } from './chain/jobs/waiting.ts';
import { createHealth, type Health } from './health/health.ts';
import { readiness } from './health/rows.ts';
import { assemble, type Node } from './node.ts';
import type { ChannelView } from './runtime/actors/channel-states.ts';
import type { PaymentRecord } from './runtime/commits/records.ts';
import { noMeter } from './runtime/knowledge/meter.ts';
import type { Posted } from './runtime/outbox/posted.ts';
import type { NodeParts, NodeSettings } from './runtime/parts.ts';

/** Channels that are read at once for a list of them: a few milliseconds of work, however many locks they have. */
const CHANNELS_AT_ONCE = 50;

/** A message that is said until it is acknowledged. `size`: its bytes, as they are stored. */
export type UnsaidMessage = Readonly<Pick<Posted, 'key' | 'to' | 'queue' | 'message' | 'size'>>;

export type RunningNode = NodeApi & {
  /** What the inspector shows to people who watch the node. */
  inspection: Inspection;
  /** What waits for its acknowledgement now, on disk or not. */
  unsaid(): Iterable<UnsaidMessage>;
  /** Checks now for what the operator should know; resolves when the notifications are on disk. */
  checkNotifications(): Promise<void>;
  /** What mediating transfers of the token costs from now on, until this process ends; it is announced. */
  setFees(token: Address, terms: FeeTerms): void;
  /** Ends everything in order and closes the database. */
  stop(): Promise<void>;
};

/** Starts a node on its parts. `onShutdown` is called when a caller of the API asks to end the process. */
export function startNode(
  settings: NodeSettings,
  parts: NodeParts,
  onShutdown: () => void,
): RunningNode {
  const node = assemble(settings, parts);
  node.start();
  const health = createHealth(node);
  const stopLooking = health.start();
  return {
    ownAddress: node.own,
    version: settings.version,
    contracts: settings.contracts,
    settings: { pathfindingServiceAddress: settings.pathfindingServiceAddress },
    ...queriesOf(node, health),
    ...createKeyed({ ...node.context, ...node.answers, wait: node.payments.waitFor }),
    ...createCommands(node.context),
    ...createConnections(node.context),
    pay: meteredPay(parts.meter ?? noMeter, node.payments.pay),
    locksFor: node.payments.locksFor,
    redeeming: createRedeeming(node),
    ...createUserDeposit(node.context),
    mint: createMint(node.context),
    ...createTransfers(node),
    ...createPendingChannels(node),
    ...createWaiting({ ...node, view: node.context.channels.view }),
    ...createChannelEvents(node),
    notifications: health.take,
    health: health.rows,
    feed: node.feed,
    stats: createStats(node),
    inspection: createInspection(node, health),
    unsaid: node.outbox.waiting,
    shutdown: onShutdown,
    checkNotifications: health.check,
    setFees: node.setFees,
    async stop() {
      stopLooking();
      await node.stop();
    },
  };
}

function queriesOf(node: Node, health: Health) {
  const { engine, networks, directory, context } = node;
  const viewsOf = (ids: readonly string[]): ChannelView[] => {
    engine.flush();
    return ids
      .map(context.channels.view)
      .filter((view) => view !== null)
      .filter(({ state }) => state !== 'settled');
  };
  return {
    status: () => statusOf(node, health),
    isListening: node.isListening,
    acknowledged: () => acknowledgedBy(node),
    isBroken: () => engine.isBroken(),
    tokens: (): Address[] => [...networks.values()],
    tokenNetworkOf: context.tokenNetworkOf,
    channels: ({ token }: { token: Address | null }) => viewsOf(directory.ofToken(token)),
    channelSlices: ({ token }: { token: Address | null }) =>
      inSlicesOf(CHANNELS_AT_ONCE, directory.ofToken(token), viewsOf),
    channel(token: Address, partner: Address): ChannelView | null {
      const id = directory.find(token, partner);
      return id === null ? null : (viewsOf([id])[0] ?? null);
    },
    payments(query: HistoryQuery): Result<Slices<PaymentRecord>> {
      if (query.token !== null && context.tokenNetworkOf(query.token) === null)
        return failure('token_not_registered');
      engine.flush();
      return { ok: true, value: node.store.payments(query) };
    },
    paymentCount(): number {
      engine.flush();
      return node.store.paymentCount();
    },
  };
}

function* inSlicesOf<T, V>(
  size: number,
  all: readonly T[],
  view: (some: readonly T[]) => V[],
): Generator<V[]> {
  for (let first = 0; first < all.length; first += size) yield view(all.slice(first, first + size));
}

const LOOK_MS = 100;

/** Null when the replica has everything. */
function acknowledgedBy({ store, clock, replicaAway }: Node): Promise<boolean> | null {
  let isThere = false;
  let tell = (isKnown: boolean) => {
    isThere = isKnown;
  };
  store.whenAcknowledged(() => tell(true));
  if (isThere) return null;
  return new Promise((resolve) => {
    const stop = clock.every(LOOK_MS, () => {
      if (replicaAway() !== null) tell(false);
    });
    tell = (isKnown) => {
      stop();
      resolve(isKnown);
    };
  });
}

function statusOf(node: Node, health: Health): NodeStatus {
  if (node.safeMode !== null)
    return { status: 'unavailable', reason: node.safeMode.reason, isSafeMode: true };
  const lost = node.files.database.trouble();
  if (lost !== null) return { status: 'unavailable', reason: lost, isDatabaseLost: true };
  const head = node.headStatus();
  if (head?.status === 'syncing') return { status: 'syncing', blocksToSync: head.blocksToSync };
  return readiness(health.neededRows());
}
