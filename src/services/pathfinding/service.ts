/** The path-finding service: follows the chain and nodes' statements, answers requests for routes, redeems IOUs. */

import type { Address } from '../../basics/hex.ts';
import { milestone } from '../../basics/milestone.ts';
import type { LogBatch } from '../../chain/watch/batches.ts';
import type { HeadStatus } from '../../chain/watch/watcher.ts';
import { createChainFeed } from '../base/chain-feed.ts';
import { createServiceHealth, watchHealth } from '../base/health.ts';
import { sayHello } from '../base/hello.ts';
import { brokerCheck, certificateChecks, chainCheck } from '../base/links.ts';
import { createServiceWriter } from '../base/writer.ts';
import { createPathfindingApp } from './app.ts';
import { openBook } from './book.ts';
import { createFeedback } from './feedback.ts';
import { createPathFinder } from './finder.ts';
import { createStatementInbox } from './inbox.ts';
import { createNodePresence } from './presence.ts';
import { prepareRows } from './rows.ts';
import type { PathfindingParts, PathfindingSettings } from './settings.ts';
import { createTill } from './till.ts';

const CLEAN_MS = 60_000;
const LOOK_MS = 5_000;

/** Reads what is on disk and starts to follow the chain and the nodes. */
export function startPathfindingService(settings: PathfindingSettings, parts: PathfindingParts) {
  const { database, client, transport, clock, log, onFatal } = parts;
  const { now } = clock;
  const writer = createServiceWriter(database, (error) =>
    onFatal('the database cannot be written', error),
  );
  const write = (work: () => void) => {
    // Keeps the order of decisions: waiting writes go first, because this write may depend on them.
    writer.flush();
    database.write(work);
  };
  const ask = async (address: Address) => (await transport.presence(address)).state;
  const presence = createNodePresence({ ask, every: clock.every });
  const rows = prepareRows(database.connection);
  const book = openBook(rows, presence.follow);
  const { recover } = parts;
  const inbox = createStatementInbox({
    chainId: settings.chainId,
    book,
    rows,
    recover,
    now,
    elapsed: clock.elapsed,
    log,
    write: writer.add,
    heardFrom: presence.heardFrom,
  });
  const drawBytes = parts.chance.bytes;
  const feedback = createFeedback({ database, write: writer.add, drawBytes, now });
  const head = () => ({ nowBlock: feed.head(), confirmedBlock: feed.confirmedBlock() });
  const isReady = () => newest?.status === 'ready';
  const till =
    settings.payment === null
      ? null
      : createTill(settings.payment, { ...parts, ...settings, write, head, isReady });
  const synced = milestone();
  let newest: HeadStatus | null = null;

  function applied({ logs, toBlock }: LogBatch): void {
    for (const entry of logs) {
      const opened = book.apply(entry);
      if (opened !== null) inbox.opened(opened);
    }
    till?.confirmed(toBlock);
  }

  const feed = createChainFeed({
    client,
    confirmations: settings.confirmations,
    deployBlock: settings.deployBlock,
    registry: settings.tokenNetworkRegistry,
    secretRegistry: settings.secretRegistry,
    database: { ...database, write },
    pollIntervalMs: settings.pollIntervalMs,
    tokenNetworks: book.networks().map(({ address }) => address),
    store: ({ logs }) => logs.forEach(book.store),
    applied,
    onHead: noteHead,
    onFatal,
  });
  function noteHead(status: HeadStatus): void {
    newest = status;
    if (isReady()) synced.reach();
    till?.lookAtNeeds();
  }

  transport.onBroadcast('pathfinding', inbox.hear);
  // Not earlier, because only a limited number of statements about unknown channels is kept.
  void synced.promise.then(() => sayHello(transport));
  const needs = watchHealth(
    {
      chain: chainCheck(() => newest, 'Channels and deposits are known.'),
      broker: brokerCheck({
        ...{ transport, clock },
        keeps: 'It is heard what channels can carry, and who can be reached.',
      }),
      ...certificateChecks(parts.certificates),
      ...till?.checks,
    },
    { clock, log },
  );
  const endings = [
    clock.every(CLEAN_MS, () => void feedback.clean()),
    clock.every(LOOK_MS, () => {
      till?.lookAtNeeds();
      needs();
    }),
  ];
  till?.start();
  feed.start();
  const cashier = till?.cashier ?? null;
  const finder = createPathFinder({ presence, feedback, cashier });
  const app = createPathfindingApp({
    book,
    presence,
    finder,
    feedback,
    cashier,
    info: () => infoOf(settings, { payee: parts.signer.address, ...head(), time: now() }),
    onInternalError: (error) => log.error({ error: String(error) }, 'a call failed'),
  });

  const health = createServiceHealth({
    name: 'pathfinding',
    rows: needs,
    figures: () => ({
      token_networks: { help: 'Token networks', value: book.networks().length },
      nodes_online: { help: 'Nodes that answer', value: presence.online().length },
      chain_head: { help: 'Newest block', value: Number(feed.head()) },
      chain_confirmed: {
        help: 'Newest block that was handled',
        value: Number(feed.confirmedBlock()),
      },
    }),
  });

  async function answer(request: Request): Promise<Response> {
    const told = await health.answer(request);
    if (told !== null) return told;
    const response = await app.fetch(request);
    health.answered(response.status);
    return response;
  }

  return {
    fetch: answer,
    /** Resolves when the service has caught up with the chain and, if it has to be, is registered. */
    ready: Promise.all([synced.promise, till?.registered]).then(() => {}),
    /** Stops; nothing is read or written after it. */
    async stop(): Promise<void> {
      for (const end of endings) end();
      presence.stop();
      await feed.stop();
      await till?.stop();
      writer.flush();
    },
  };
}

function infoOf(
  settings: PathfindingSettings,
  now: { payee: Address; confirmedBlock: bigint; time: number },
): Record<string, unknown> {
  return {
    price_info: settings.payment?.price ?? 0n,
    network_info: {
      chain_id: settings.chainId,
      token_network_registry_address: settings.tokenNetworkRegistry,
      user_deposit_address: settings.userDeposit,
      service_token_address: settings.serviceToken,
      confirmed_block: { number: now.confirmedBlock },
    },
    version: settings.version,
    contracts_version: settings.contractsVersion,
    operator: 'sluice',
    message: '',
    payment_address: now.payee,
    UTC: new Date(now.time).toISOString().replace('Z', ''),
    matrix_server: '',
  };
}
