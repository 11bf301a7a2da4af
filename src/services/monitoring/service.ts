/**
 * The monitoring service: takes requests, watches closes, sends balance proofs and claims. Source: protocol section
 * 7.3.
 */

import type { Clock, Log } from '../../basics/environment.ts';
import type { Fault } from '../../basics/fault.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { TransactionSigner } from '../../chain/queue/jobs.ts';
import type { HeadStatus } from '../../chain/watch/watcher.ts';
import type { Transport } from '../../partner/transport.ts';
import { createChainFeed } from '../base/chain-feed.ts';
import type { ServiceDatabase } from '../base/database.ts';
import { sayHello } from '../base/hello.ts';
import type { CertificateWatch } from '../base/links.ts';
import type { RegistrationPlan } from '../base/registration.ts';
import { createServiceTransactions } from '../base/transactions.ts';
import { createMonitoringBook, prepareTakenOn } from './book.ts';
import type { MonitoringContracts } from './contracts.ts';
import { createGuard } from './guard.ts';
import { openInbox } from './inbox.ts';
import type { MonitoringTerms } from './judge.ts';
import { createNeeds } from './needs.ts';

export type MonitoringServiceParts = {
  client: ChainClient;
  account: TransactionSigner;
  database: ServiceDatabase;
  transport: Transport;
  /** Of the files with which the broker is reached; absent: there are none. */
  certificates?: CertificateWatch;
  log: Log;
  recover: MonitoringTerms['recover'];
  clock: Clock;
  fault: Fault;
  /** Called when the service cannot go on. `reason` is a sentence. */
  onFatal(reason: string, error: unknown): void;
};
export type MonitoringSettings = {
  chainId: bigint;
  contracts: MonitoringContracts & { registry: Address; secretRegistry: Address };
  deployBlock: bigint;
  confirmations: bigint;
  /** The shortest settle timeout of the token networks, in blocks. */
  shortestTimeout: bigint;
  /** The lowest accepted reward, in the service token's smallest unit. */
  minReward: bigint;
  pollIntervalMs: number;
  registration: RegistrationPlan;
};

export function createMonitoring(settings: MonitoringSettings, parts: MonitoringServiceParts) {
  const { contracts, confirmations, pollIntervalMs, chainId, minReward, shortestTimeout } =
    settings;
  const { client, account, database, transport, clock, log, fault, onFatal } = parts;
  const { connection, write } = database;
  const book = createMonitoringBook(connection);
  let confirmedBlock = 0n;
  let head: HeadStatus | null = null;
  let isListening = false;
  let greet: (() => void) | null = null;
  const blocks = {
    headBlock: () => head?.headBlock ?? 0n,
    confirmedBlock: () => confirmedBlock,
  };

  const queue = createServiceTransactions({
    connection,
    write,
    client,
    account,
    confirmations,
    pollIntervalMs,
    fault,
    onEnd(key, outcome) {
      needs.ended(key, outcome);
      guard.ended(key, outcome);
    },
    onEnded() {
      needs.look();
      guard.look();
    },
    onFailure: (error) => onFatal('the transaction queue cannot go on', error),
    log,
    now: clock.now,
  });
  const certificates = parts.certificates && { certificates: parts.certificates };
  const needs = createNeeds({
    client,
    account: account.address,
    transport,
    ...certificates,
    plan: settings.registration,
    transactions: queue,
    write,
    head: () => head,
    takenOn: prepareTakenOn(connection),
    onLook: listen,
    clock,
    log,
  });
  const guard = createGuard({
    own: account.address,
    client,
    contracts,
    database,
    book,
    shortestTimeout,
    queue,
    log,
    ...blocks,
    // Not known: then the contract decides.
    isRegistered: () => needs.isRegistered() ?? true,
    now: clock.now,
    onFatal,
  });
  /** Not before the chain is known, because only a limited number of requests for unknown channels is kept. */
  function listen(takesOn: boolean): void {
    if (takesOn && !isListening) {
      if (greet === null) greet = sayHello(transport);
      else greet();
    }
    isListening = takesOn;
  }

  const feed = createChainFeed({
    client,
    database,
    confirmations,
    pollIntervalMs,
    onFatal,
    registry: contracts.registry,
    secretRegistry: contracts.secretRegistry,
    deployBlock: settings.deployBlock,
    tokenNetworks: book.tokenNetworks(),
    store: (batch) => book.noteBatch(batch),
    applied(batch) {
      fault('batch.stored');
      confirmedBlock = batch.toBlock;
      queue.confirmed(batch.toBlock);
      guard.look();
    },
    onHead(status) {
      head = status;
      needs.look();
      guard.look();
    },
  });
  let inbox: ReturnType<typeof openInbox> | null = null;

  return {
    start(): void {
      inbox = openInbox({
        transport,
        database,
        book,
        log,
        fault,
        onFatal,
        now: clock.now,
        takesOn: () => needs.takesOn() ?? true,
        terms: {
          chainId,
          minReward,
          recover: parts.recover,
          monitoringService: contracts.monitoringService,
        },
        confirmedBlock: blocks.confirmedBlock,
        onKept: guard.look,
      });
      confirmedBlock = feed.confirmedBlock();
      queue.confirmed(confirmedBlock);
      queue.start();
      needs.start();
      feed.start();
    },
    /** Stops all parts in order; nothing is written after it. */
    async stop(): Promise<void> {
      inbox?.stop();
      await feed.stop();
      await needs.stop();
      await guard.stop();
      await queue.stop();
    },
    rows: needs.rows,
    status: () => ({
      headBlock: blocks.headBlock(),
      confirmedBlock,
      isReady: head?.status === 'ready',
      isRegistered: needs.isRegistered() ?? false,
      ...book.counts(),
      /** Transactions that are under way, and rewards that are still to be claimed. */
      open: queue.open() + book.closesIn('monitored').length,
    }),
  };
}
