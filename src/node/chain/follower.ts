/**
 * How a node follows the chain: the logs of each range of confirmed blocks, everything that follows from them, and the
 * actors that waited for one of its blocks; and whether what it sees of the chain can be relied on.
 */

import type { ChainLog } from '../../../machines/events/chain.ts';
import { isHexOf } from '../../basics/hex.ts';
import type { LogBatch } from '../../chain/watch/batches.ts';
import { MOST_BEING_APPLIED, MOST_UNSEEN_BLOCKS } from '../../chain/watch/freshness.ts';
import { createChainSight } from '../../chain/watch/sight.ts';
import { createWatcher, type HeadStatus } from '../../chain/watch/watcher.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { Delivery } from '../runtime/commits/delivery.ts';
import type { Happenings } from '../runtime/happenings.ts';
import type { LockRule } from '../runtime/knowledge/lock-gate.ts';
import { noMeter } from '../runtime/knowledge/meter.ts';
import { noteRegistered } from '../runtime/knowledge/secrethashes.ts';
import type { NodeParts, NodeSettings } from '../runtime/parts.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { createApplying } from './applying.ts';
import { createRereading } from './freeze.ts';
import type { ChainHeight } from './height.ts';
import type { Lateness } from './lateness.ts';
import { createLogRouter } from './logs.ts';
import { proofSources, withSettledProofs } from './settled-proofs.ts';

type Options = {
  settings: NodeSettings;
  parts: NodeParts;
  runtime: Pick<Runtime, 'actors' | 'engine' | 'fatal' | 'keepers' | 'networks' | 'wakeUps'>;
  height: ChainHeight;
  lateness: Pick<Lateness, 'note'>;
  happenings: Pick<Happenings, 'tell'>;
};

export type Follower = ReturnType<typeof createFollower>;

export function createFollower(options: Options) {
  const { settings, parts, runtime, height, lateness, happenings } = options;
  const { store, client, clock, safeMode = null, meter = noMeter } = parts;
  const { engine, networks, fatal } = runtime;
  const { confirmations, contracts, deployBlock, pollIntervalMs } = settings;
  const { secretRegistryAddress: secretRegistry } = contracts;
  const own = parts.signer.address;
  const cursor = store.cursor();
  let head: HeadStatus | null = null;
  const tellHead = createHeadTeller(parts);

  const channels = store.channelIds();
  const router = createLogRouter({ own, networks, channels, keepersOf: runtime.keepers.of });
  /** Whether this node has or had a channel on chain. */
  let hasChannels = channels.length > 0;
  const hasStake = (logs: readonly ChainLog[]) => hasChannels || logs.some(router.isOpeningOfOurs);
  const rereading = createRereading(store, router);
  const applying = createApplying({
    ...runtime,
    height,
    deliveriesOf,
    store: storeLog,
    onUrgent,
    now: () => clock.elapsed(),
  });
  const sight = createChainSight({ client, clocks: clock, pollIntervalMs });
  const watcher = createWatcher({
    client,
    secretRegistry,
    confirmations,
    pollIntervalMs,
    sight,
    hasStake,
    onBatch,
    onHead,
    ...(parts.readBatch === undefined ? {} : { readBatch: parts.readBatch }),
    registry: contracts.tokenNetworkRegistryAddress,
    start:
      cursor !== null && isHexOf(cursor.hash, 32)
        ? { ...cursor, hash: cursor.hash }
        : { deployBlock },
    onReorg: meter.reorg,
    onDeepReorg: (reorg) =>
      fatal(
        'the chain replaced blocks that counted as confirmed',
        'replaced',
      )(`block ${reorg.block}`),
    onFailure: fatal('the blocks of the chain could not be applied', 'internal'),
  });

  /** Where settlements find the proofs that were on chain; it knows the secrets of the range that is being applied. */
  const sourcesOf = (logs: readonly ChainLog[]) => proofSources({ ...runtime, store }, logs);
  let sources = sourcesOf([]);

  function deliveriesOf(one: ChainLog): Iterable<Delivery> {
    const deliveries = [...router.deliveriesOf(one), ...rereading.deliveriesOf(one)];
    return withSettledProofs(deliveries, sources);
  }

  function storeLog(batch: Batch, chainLog: ChainLog): boolean {
    const channel = router.channelOf(chainLog);
    if (channel !== null) batch.logs.push({ channel, log: chainLog });
    noteRegistered(batch, chainLog);
    return channel !== null || chainLog.type === 'chain.secretRevealed';
  }

  async function onBatch(range: LogBatch) {
    hasChannels = hasStake(range.logs);
    sources = sourcesOf(range.logs);
    await applying.apply(range);
    happenings.tell('confirmed', range.logs);
  }

  /** A node that catches up after a pause is late for another reason, and says so. */
  function onUrgent(block: bigint) {
    if (head?.status === 'ready') lateness.note(block, watcher.head() - confirmations);
  }

  function onHead(status: HeadStatus) {
    const before = head?.status;
    head = status;
    if (before === status.status) return;
    tellHead(status);
    const isUp = status.status === 'ready' && safeMode === null;
    const type = isUp ? 'actor.caughtUp' : 'actor.fellBehind';
    engine.turn([{ to: 'node', event: { type } }]);
    if (status.status !== 'ready') return;
    rereading.end();
    if (safeMode === null) happenings.tell('caughtUp');
  }

  /** How many blocks count as confirmed, by the newest known head, and were not applied yet. */
  const unapplied = () => watcher.head() - confirmations - height.nowBlock();

  /**
   * Why the node's view of the chain cannot be relied on at this moment, as text for people, or null. A process that
   * slept finds it out here, before anything else notices.
   */
  function staleness(): string | null {
    const trouble = sight.trouble() ?? head?.trouble ?? null;
    if (trouble !== null) return trouble;
    if (head === null) return 'The chain was not read yet.';
    const behind = unapplied();
    return behind > MOST_BEING_APPLIED ? `${behind} confirmed blocks were not read yet.` : null;
  }

  /**
   * Whether at most a few blocks can be unknown here: then the current height is known well enough to promise locks.
   */
  const isUpToDate = () => staleness() === null && unapplied() <= MOST_UNSEEN_BLOCKS;

  /**
   * Own locks are not endangered by blocks that are just being applied: they expire a little sooner, and are paid
   * before they expire or not at all. Locks of others have to be judged by the current height.
   */
  const lockRule: LockRule = ({ kind }) => {
    const isGood = kind === 'own' ? staleness() === null : isUpToDate();
    return isGood ? null : 'chain_unavailable';
  };

  return {
    staleness,
    isUpToDate,
    /** Whether confirmed blocks are known that were not applied yet. */
    hasUnapplied: () => unapplied() > 0n,
    lockRule,
    /** What is wrong with the head, or with the last look at it, at this moment, as text for people; null: nothing. */
    headTrouble: sight.trouble,
    head: () => head,
    start: () => watcher.start(networks.keys()),
    async stop() {
      applying.end();
      await watcher.stop();
    },
  };
}

/** Logs once when the chain is lost and once when it is back, not for each question without an answer. */
function createHeadTeller({ clock, log }: Pick<NodeParts, 'clock' | 'log'>) {
  let awaySince: number | null = null;
  return (status: HeadStatus): void => {
    const { trouble, ...facts } = status;
    if (status.status === 'unavailable') {
      awaySince ??= clock.elapsed();
      log.warn({ reason: trouble }, 'the chain cannot be relied on: no calls are taken');
      return;
    }
    const away = awaySince === null ? {} : { awayMs: clock.elapsed() - awaySince };
    awaySince = null;
    log.info({ ...facts, ...away }, `chain ${status.status}`);
  };
}
