/** Builds one node from a plain configuration: chain, database, messaging, runtime and API. */
import { setTimeout as delay } from 'node:timers/promises';

import { createTokenLabels } from '../chain/token-labels.ts';
import { createMetrics } from '../http/metrics.ts';
import { startWebhooks } from '../http/webhooks.ts';
import { createInspector } from '../inspector/inspector.ts';
import { gasReserve } from '../node/chain/gas/gas-reserve.ts';
import { silence } from '../node/messaging/silence.ts';
import type { Meter } from '../node/runtime/knowledge/meter.ts';
import type { NodeSettings, SafeMode } from '../node/runtime/parts.ts';
import { type RunningNode, startNode } from '../node/start.ts';
import { joinBroker } from '../partner/join.ts';
import { addressOfCompressed, recover } from '../signer/ecdsa.ts';
import { backedUpAt } from '../store/durability/backup.ts';
import type { Store } from '../store/store.ts';
import { createBlockTime } from './base/block-time.ts';
import { type Started, started } from './base/refusal.ts';
import { createSystemChance, systemClock } from './base/system.ts';
import { createCertificates } from './certificates.ts';
import { type CheckedChain, checkChain } from './check-chain.ts';
import { type Cleanup, holding } from './cleanup.ts';
import { type Claimed, claim } from './database/claim.ts';
import type { DiskRoom } from './database/disk-room.ts';
import { createFileWatch } from './database/file-watch.ts';
import { freeBytes } from './database/free-bytes.ts';
import { createOtherFiles } from './database/other-files.ts';
import { createFatal, type Fatal } from './fatal.ts';
import { meetFork } from './fork.ts';
import { serveNode } from './node-api.ts';
import type { NodeConfig, NodeHooks, OpenNode } from './node-config.ts';
import { minRevealTimeoutOf, timeoutRefusal } from './node-timeouts.ts';
import { openStately } from './open-stately.ts';
import { awaitStream } from './replica/await-stream.ts';
import type { OpenReplica } from './replica/open-replica.ts';
import { createSafeMode } from './safe-mode.ts';
import { asksChain, createWalletFacts } from './wallet-facts.ts';

type Parts = { config: NodeConfig; hooks: NodeHooks; held: Cleanup };

const MAIN_NETWORK = 1n;
/** How long a failed node may take to end; then its database is closed anyway. */
const FAREWELL_MS = 10_000;

/**
 * Starts the node, which continues to sync afterwards. After a refusal everything it held is released. Throws when the
 * stored state cannot be read.
 */
export async function openNode(config: NodeConfig, hooks: NodeHooks): Promise<Started<OpenNode>> {
  return holding(hooks.log, 'a part of the node did not end as it should', (held) =>
    open({ config, hooks, held }),
  );
}

async function open(parts: Parts): Promise<Started<OpenNode>> {
  const { config, hooks, held } = parts;
  const fatal = createFatal(hooks);
  const chain = await checkChain({
    ...config,
    onOtherChain: (id) => fatal.met(`the endpoint suddenly serves chain ${id}`, null, 'internal'),
  });
  if (!chain.ok) return chain;
  await held.add(chain.value.connection.stop);
  const settings = settingsOf(config, chain.value);
  const wrong = timeoutRefusal(settings);
  if (wrong !== null) return wrong;
  const onReplicaEnd = (reason: string, isOrdered: boolean) =>
    fatal.met(reason, null, isOrdered ? 'relieved' : 'fenced');
  const onRenewal = () =>
    fatal.met('an empty stream is in the place of the one that was lost', null, 'renewing');
  const claimed = await claim({ config, settings, hooks, onReplicaEnd, onRenewal });
  if (!claimed.ok) return claimed;
  await held.add(claimed.release);
  const onStream = () => fatal.met('the stream of the replica can be used', null, 'returned');
  const { waiting, stamp: own } = claimed;
  if (waiting !== null)
    await held.add(awaitStream({ ...hooks, config, stamp: own, waiting, onStream, onRenewal }));
  const forked = await meetFork(commonParts(parts, chain.value), settings, claimed.store, config);
  const safeMode = forked ?? claimed.safeMode;
  await warnAboutGas(hooks, chain.value);
  const metrics = createMetrics({ freeBytes: () => freeBytes(claimed.database) });
  const { store, room, replica } = claimed;
  const files = filesOf(parts, claimed, fatal);
  const facts = { settings, chain: chain.value, store, room, fatal, safeMode, replica, files };
  const node = start(parts, { ...facts, meter: metrics.meter });
  replica?.tellServing(() => node.status().status === 'ready');
  const { inCall: onInternalError } = fatal;
  const inspector = config.hasInspector ? inspectorOf(parts, node, chain.value) : null;
  const { inspection } = node;
  const wallet = config.hasWallet
    ? createWalletFacts({ config, inspection, ask: asksChain(chain.value, inspection) })
    : null;
  const { address } = hooks.signer;
  const name = config.names?.find((one) => one.address === address)?.name ?? null;
  const api = { ...config.api, inspector, wallet, name };
  const onReadFailure = (error: unknown) =>
    hooks.log.error({ error: String(error) }, 'the history cannot be read');
  const failures = { onInternalError, onReadFailure };
  const server = await serveNode({ node, config: api, metrics, ...failures });
  const stopWebhooks = tellWebhooks(parts, node, claimed.store);
  let stopped: Promise<void> | null = null;
  const stopNode = () => {
    stopped ??= stopWebhooks().then(node.stop);
    return stopped;
  };
  const endAll = async () => {
    const answered = server.ok ? server.value.end() : null;
    await inspector?.end();
    await stopNode();
    await answered;
  };
  await held.add(endAll);
  if (!server.ok) return server;
  const stately = await openStately({ config, inspector, log: hooks.log });
  if (!stately.ok) return stately;
  await held.add(async () => stately.value?.end());
  fatal.answerWith(server.value.fail);
  const { port } = server.value;
  await held.add(files.start());
  const { database, stamp } = claimed;
  const ownSafeMode = createSafeMode({
    log: hooks.log,
    onUncaught: (error) => fatal.met('nobody caught an error', error, 'internal'),
    async giveBack() {
      await Promise.race([endAll(), delay(FAREWELL_MS)]).catch((error: unknown) =>
        hooks.log.error({ error: String(error) }, 'the node did not end as it should'),
      );
      store.close();
    },
    whenWhole: files.whenWhole,
    request: () => ({
      settings,
      database: files.movedTo() ?? database,
      stamp,
      room,
      isReplicated: replica !== null,
      rpcUrl: config.rpcUrl,
      parts: commonParts(parts, chain.value),
      why: fatal.reason() ?? 'it failed',
      api: { ...config.api, port },
    }),
  });
  await held.add(ownSafeMode.stop);
  return started({
    address: hooks.signer.address,
    chainId: settings.chainId,
    apiUrl: server.value.url,
    database,
    node,
    status: node.status,
    safeMode: ownSafeMode.enter,
    fail: ownSafeMode.fail,
    stop: held.end,
  });
}

type Start = {
  settings: NodeSettings;
  chain: CheckedChain;
  store: Store;
  room: DiskRoom | null;
  fatal: Fatal;
  meter: Meter;
  safeMode: SafeMode | null;
  replica: OpenReplica | null;
  files: ReturnType<typeof filesOf>;
};

/** Watches what lies on the disk: a node whose database had to be written anew begins again from there. */
function filesOf({ config, hooks }: Parts, { store, lock }: Claimed, fatal: Fatal) {
  const named = config.files ?? [];
  const watch = createFileWatch({
    store,
    others: createOtherFiles(named, lock),
    clock: systemClock,
    log: hooks.log,
    onRescued: ({ isInPlace }, text) => fatal.met(text, null, isInPlace ? 'rescued' : 'misplaced'),
  });
  return {
    ...watch,
    certificates: createCertificates(named, systemClock),
    backup: { madeAt: () => backedUpAt(store.file) },
  };
}

function start(parts: Parts, given: Start): RunningNode {
  const { settings, chain, store, room, fatal, meter, safeMode, replica, files } = given;
  const disk = room === null ? {} : { disk: room.disk };
  const watch = replica === null ? {} : { replica };
  const common = { ...commonParts(parts, chain), ...disk, ...watch, files };
  const { hooks, config } = parts;
  if (safeMode !== null) {
    const rest = { store, transport: silence, meter, safeMode, onFatal: fatal.met };
    return startNode(settings, { ...common, ...rest }, parts.hooks.onShutdown);
  }
  const transport = joinBroker(config.broker, {
    chainId: settings.chainId,
    tokenNetworkRegistry: settings.contracts.tokenNetworkRegistryAddress,
    address: hooks.signer.address,
    sign: (digest) => hooks.signer.sign(digest),
    recover,
    fence: replica?.fence ?? null,
    report: (problem) => hooks.log.warn({}, problem),
  });
  return startNode(
    settings,
    { ...common, store, transport, meter, onFatal: fatal.met },
    parts.hooks.onShutdown,
  );
}

function inspectorOf(
  { config, hooks }: Parts,
  { inspection }: RunningNode,
  { connection }: CheckedChain,
) {
  const labelsOf = createTokenLabels(connection.client);
  return createInspector({
    inspection,
    labels: async () => ({
      tokens: await labelsOf(inspection.tokens()),
      names: config.names ?? [],
      ...(config.explorer == null ? {} : { explorer: config.explorer }),
    }),
    blockSeconds: createBlockTime(connection.client),
    onFailure: (error) => hooks.log.warn({ error: String(error) }, 'the inspector met a fault'),
  });
}

function tellWebhooks({ config, hooks }: Parts, { feed }: RunningNode, store: Store) {
  const { urls, secret } = config.webhooks ?? { urls: [], secret: '' };
  const { now } = systemClock;
  return startWebhooks({ urls, secret, feed, cursors: store.webhooks, now, log: hooks.log });
}

function commonParts({ hooks }: Parts, { reads, connection }: CheckedChain) {
  const { signer, log, fault, checkBooks = false } = hooks;
  const chance = createSystemChance();
  return {
    signer,
    recover,
    addressOf: addressOfCompressed,
    log,
    fault,
    checkBooks,
    reads,
    chance,
    clock: systemClock,
    client: connection.client,
  };
}

/** What the configuration and the chain say of how the node works. */
export function settingsOf(config: NodeConfig, chain: CheckedChain): NodeSettings {
  const { chainId } = chain.connection;
  return {
    version: config.version,
    chainId,
    contracts: chain.contracts,
    deployBlock: config.contracts.deployBlock,
    confirmations: config.confirmations,
    defaultSettleTimeout: config.defaultSettleTimeout,
    defaultRevealTimeout: config.defaultRevealTimeout,
    minRevealTimeout: minRevealTimeoutOf(chainId, config.confirmations),
    isProduction: config.isProduction || chainId === MAIN_NETWORK,
    pathfindingServiceAddress: config.pathfindingServiceAddress,
    routingMode: config.routingMode,
    hasRoutingFallback: config.hasRoutingFallback ?? true,
    fees: config.fees,
    tokenValues: config.tokenValues ?? new Map(),
    monitoringReward: config.monitoringReward,
    releaseFeed: config.releaseFeed,
    keepHistoryMs: config.keepHistoryMs ?? null,
    depositLimits: chain.depositLimits,
    pollIntervalMs: config.pollIntervalMs,
  };
}

async function warnAboutGas({ signer, log }: NodeHooks, { reads }: CheckedChain): Promise<void> {
  const { address } = signer;
  const [money, price] = await Promise.all([reads.nativeBalance(address), reads.gasPrice()]);
  if (!money.ok || !price.ok) return;
  // The reserve for one channel: with less, money in a channel cannot be protected.
  const wanted = gasReserve([], price.value);
  if (money.value >= wanted) return;
  log.warn(
    { address, wei: money.value, wanted },
    'the account has too little money for gas: send it some before opening channels',
  );
}
