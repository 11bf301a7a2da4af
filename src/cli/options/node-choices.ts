/** What the options of `sluice node` say, each read and checked by itself. */
import { brokerFilesOf } from './broker-access.ts';
import { keyChoiceOf } from './key-choice.ts';
import { mediationChoicesOf } from './mediation.ts';
import * as settings from './node-settings.ts';
import type { Read } from './settings.ts';

export type Choices = ReturnType<typeof choicesOf>;

/** Reads all options before anything is done, so that usage errors are reported first. */
export function choicesOf(read: Read) {
  return {
    rpcUrl: read(settings.ETH_RPC_ENDPOINT),
    contractsFile: read(settings.CONTRACTS),
    networkId: read(settings.NETWORK_ID),
    key: keyChoiceOf(read),
    database: read(settings.DATABASE),
    minFreeBytes: read(settings.MIN_FREE_DISK) * 1_000_000,
    keepHistoryMs: read(settings.KEEP_HISTORY),
    acceptedDatabase: read(settings.ACCEPT_DATABASE),
    acceptedChain: read(settings.ACCEPT_CHAIN),
    nats: read(settings.NATS),
    brokerFiles: brokerFilesOf(read),
    stream: read(settings.REPLICATE),
    leaveStream: read(settings.LEAVE_STREAM),
    replicaMode: read(settings.REPLICATE_MODE),
    isStandby: read(settings.STANDBY),
    takeoverAfter: read(settings.TAKEOVER_AFTER),
    apiAddress: read(settings.API_ADDRESS),
    apiTokenFile: read(settings.API_TOKEN_FILE),
    apiConcurrency: read(settings.API_CONCURRENCY),
    apiQueueSeconds: read(settings.API_QUEUE_SECONDS),
    concurrentReads: read(settings.CONCURRENT_READS),
    allowedHosts: read(settings.API_HOSTS) ?? [],
    origins: read(settings.RPC_CORS_DOMAIN) ?? [],
    rpcMethods: read(settings.RPC_PASSTHROUGH),
    webUi: read(settings.WEB_UI),
    hasInspector: read(settings.INSPECTOR),
    namesFile: read(settings.NAMES),
    explorer: read(settings.EXPLORER),
    statelyPort: read(settings.STATELY_INSPECT),
    defaultSettleTimeout: read(settings.SETTLE_TIMEOUT),
    defaultRevealTimeout: read(settings.REVEAL_TIMEOUT),
    confirmations: read(settings.CONFIRMATIONS),
    pollIntervalMs: read(settings.POLL_INTERVAL),
    isProduction: read(settings.ENVIRONMENT_TYPE) === 'production',
    pathfindingServiceAddress: read(settings.PATHFINDING_SERVICE_ADDRESS),
    ...mediationChoicesOf(read),
    releaseFeed: read(settings.RELEASE_FEED),
    webhookUrls: read(settings.WEBHOOK) ?? [],
    webhookSecretFile: read(settings.WEBHOOK_SECRET_FILE),
    log: { level: read(settings.LOG_LEVEL), isJson: read(settings.LOG_JSON) },
  };
}
