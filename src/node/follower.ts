/**
 * How a node follows the chain: each range of confirmed blocks is one commit, with all that follows from its
 * logs and with everybody who waited for one of its blocks.
 */

import type { ChainLog } from '../../machines/events.ts';
import type { LogBatch } from '../chain/batches.ts';
import type { ChainClient } from '../chain/client.ts';
import { createWatcher, type HeadStatus } from '../chain/watcher.ts';
import { type Address, isHexOf } from '../protocol/hex.ts';
import type { Store } from '../store/open.ts';
import { unlistedChannels } from './boot.ts';
import type { Alarms } from './directory.ts';
import { createRereading } from './freeze.ts';
import { createLogRouter } from './logs.ts';
import type { Meter } from './meter.ts';
import type { Log, NodeSettings } from './parts.ts';
import { createPublicSecrets } from './public-secrets.ts';
import { noteRegistered } from './secrethashes.ts';
import type { Engine } from './turn.ts';

type Options = {
  settings: NodeSettings;
  own: Address;
  /** The token of each token network; it grows with the logs. */
  networks: Map<Address, Address>;
  alarms: Alarms;
  engine: Engine;
  store: Store;
  client: ChainClient;
  meter: Pick<Meter, 'reorg'>;
  log: Log;
  /** After the commit of what these logs changed. */
  onConfirmed(logs: readonly ChainLog[]): void;
  /** Every confirmed block was applied, or all but a few; again after each time that this was not so. */
  onCaughtUp(): void;
  fatal(reason: string, kind: 'internal' | 'foreign'): (error: unknown) => void;
};

export function createFollower(options: Options) {
  const { settings, own, networks, alarms, engine, store, client, log, fatal } = options;
  const { confirmations, contracts, deployBlock, pollIntervalMs } = settings;
  const { secretRegistryAddress: secretRegistry } = contracts;
  const cursor = store.cursor();
  // Before the first block there is none: a node without the deployment's block begins at 0.
  const blockBefore = deployBlock > 0n ? deployBlock - 1n : 0n;
  let nowBlock = cursor?.block ?? blockBefore;
  let head: HeadStatus | null = null;

  const unlisted = unlistedChannels(store, own, networks);
  const channels = [...store.channelIds(), ...unlisted.map(({ id }) => id)];
  const router = createLogRouter({ own, networks, channels });
  const rereading = createRereading(store, router);
  const publicSecrets = createPublicSecrets({
    ...{ client, store, log, deployBlock, secretRegistry },
    commit(fill) {
      engine.turn([], fill);
      engine.flush();
      return !engine.isBroken();
    },
  });
  const watcher = createWatcher({
    ...{ client, secretRegistry, confirmations, pollIntervalMs, onBatch, onHead },
    registry: contracts.tokenNetworkRegistryAddress,
    start:
      cursor !== null && isHexOf(cursor.hash, 32)
        ? { block: cursor.block, hash: cursor.hash }
        : { deployBlock },
    tokenNetworks: [...networks.keys()],
    onReorg: options.meter.reorg,
    onDeepReorg: (reorg) =>
      fatal(
        'the chain replaced blocks that counted as confirmed',
        'foreign',
      )(`block ${reorg.block}`),
    onFailure: fatal('the blocks of the chain could not be applied', 'internal'),
  });

  /** One commit for all logs of these blocks and what follows from them. */
  function onBatch({ toBlock, toHash, logs }: LogBatch) {
    // What happened before belongs to the block before.
    engine.flush();
    nowBlock = toBlock;
    const deliveries = logs.flatMap((one) => [
      ...router.deliveriesOf(one),
      ...rereading.deliveriesOf(one),
    ]);
    engine.turn(deliveries, (batch) => {
      batch.cursor = { block: toBlock, hash: toHash };
      for (const chainLog of logs) {
        const channel = router.channelOf(chainLog);
        if (channel !== null) batch.logs.push({ channel, log: chainLog });
        noteRegistered(batch, chainLog);
      }
    });
    engine.turn(alarms.ring(nowBlock).map((to) => ({ to, event: { type: 'chain.block' } })));
    engine.flush();
    options.onConfirmed(logs);
  }

  function onHead(status: HeadStatus) {
    const before = head?.status;
    head = status;
    if (before === status.status) return;
    log.info({ ...status }, `chain ${status.status}`);
    const type = status.status === 'ready' ? 'told.caughtUp' : 'told.fellBehind';
    engine.turn([{ to: 'node', event: { type } }]);
    if (status.status !== 'ready') return;
    rereading.end();
    options.onCaughtUp();
  }

  return {
    /** The newest confirmed block whose logs were applied. */
    nowBlock: () => nowBlock,
    head: () => head,
    /** False: what happened before this version is not known yet, so nothing of a partner may be taken. */
    knowsThePast: publicSecrets.areKnown,
    /** What a database that kept no list of its channels begins with. */
    unlisted,
    start() {
      const reading = publicSecrets.begin(cursor?.block ?? null);
      reading.catch(fatal('the registered secrets could not be noted', 'internal'));
      watcher.start();
    },
    async stop() {
      publicSecrets.end();
      await watcher.stop();
    },
  };
}
