/** `sluice node`: one node, until it is told to stop. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { type KnownContracts, parseContracts } from '../host/contracts-file.ts';
import { keepOpen } from '../host/keep-open.ts';
import { type NamedAddress, parseNames } from '../host/names-file.ts';
import type { NodeConfig, OpenNode } from '../host/node-config.ts';
import { READ_ONLY_METHODS, type RpcOptions } from '../http/rpc.ts';
import type { WebUiOptions } from '../http/web-ui.ts';
import { killAt } from '../node/runtime/fault.ts';
import { createBus } from '../partner/bus.ts';
import type { Log } from '../protocol/environment.ts';
import { type Fault, noFault } from '../protocol/fault.ts';
import { warning } from '../signer/ecdsa.ts';
import type { Signer } from '../signer/signer.ts';
import { createCallers, tokensIn } from './api-tokens.ts';
import { BROKER_SETTINGS, brokerAccess, brokerFilesOf } from './broker-access.ts';
import { contentOf, privateContentOf } from './files.ts';
import { dataFolder, stateFolder } from './folders.ts';
import { ADDRESS, type Found, KEYSTORE_PATH, PASSWORD_FILE, unlock } from './key.ts';
import { createLog } from './log.ts';
import { feesOf, MEDIATION_SETTINGS, mediationChoicesOf, routingModeIn } from './mediation.ts';
import * as settings from './node-settings.ts';
import { declare, type Read, readerOf, usageError } from './settings.ts';
import { deferred, onStopSignal, print, refuse } from './terminal.ts';
import { FATAL, handleUncaught } from './uncaught.ts';
import { version } from './version.ts';

const INTERRUPTED = 130;
const FAREWELL_MS = 10_000;
const PROGRESS_MS = 2_000;
const TROUBLE_MS = 60_000;
const FATAL_ADVICE =
  'the node takes no calls any more. What it has signed is on disk: interrupt it, and start it again with the ' +
  'same options and the same database. If it fails in the same way again, keep the database and report it';
const RIVAL_ADVICE =
  'the node stops talking to partners: another process has proven that it holds the key. One key must never ' +
  'run twice: end the process whose database is the older one';

export const NODE_SETTINGS = [
  ...[settings.ETH_RPC_ENDPOINT, settings.CONTRACTS, settings.NETWORK_ID],
  ...[KEYSTORE_PATH, ADDRESS, PASSWORD_FILE, settings.DATABASE, settings.ACCEPT_DATABASE],
  settings.MIN_FREE_DISK,
  settings.ACCEPT_CHAIN,
  ...[settings.NATS, ...BROKER_SETTINGS],
  ...[settings.API_ADDRESS, settings.API_TOKEN_FILE, settings.API_CONCURRENCY],
  settings.CONCURRENT_READS,
  settings.API_HOSTS,
  ...[settings.RPC_CORS_DOMAIN, settings.RPC_PASSTHROUGH, settings.WEB_UI],
  ...[settings.INSPECTOR, settings.NAMES, settings.EXPLORER, settings.STATELY_INSPECT],
  ...[settings.SETTLE_TIMEOUT, settings.REVEAL_TIMEOUT, settings.CONFIRMATIONS],
  ...[settings.POLL_INTERVAL, settings.ENVIRONMENT_TYPE, settings.PATHFINDING_SERVICE_ADDRESS],
  ...MEDIATION_SETTINGS,
  ...[settings.RELEASE_FEED, settings.WEBHOOK, settings.WEBHOOK_SECRET_FILE],
  ...[settings.LOG_LEVEL, settings.LOG_JSON],
];

export function nodeCommand(): Command {
  const command = new Command('node').description('run one node');
  return declare(command, NODE_SETTINGS).action(async () => {
    process.exit(await runNode(choicesOf(readerOf(command)), faultOf(command)));
  });
}

/** What runs on top of the node from the moment when it is ready; the answer ends it. */
export type Service = (opened: OpenNode, parts: { signer: Signer; log: Log }) => () => void;

/** The exit code. */
export async function runNode(choices: Choices, fault: Fault, service?: Service): Promise<number> {
  const log = createLog(choices.log);
  const ending = deferred<number>();
  const callers = createCallers(choices.apiTokenFile, log);
  const interrupted = deferred<void>();
  let isOpen = false;
  onStopSignal({
    stop() {
      // Before the node is open there is nothing to put in order.
      if (!isOpen) process.exit(INTERRUPTED);
      ending.resolve(0);
      interrupted.resolve();
    },
    force: () => process.exit(INTERRUPTED),
    renew: callers.renew,
  });
  const config = configOf(choices);
  if (!config.ok) return refuse(config.message);
  callers.admit(config.value.api.tokens ?? []);
  log.info({}, 'opening the key');
  const signer = await unlock(choices.key);
  if (!signer.ok) return refuse(signer.message);
  warn(config.value, log);
  const { identify } = callers;
  const api = { ...config.value.api, identify };
  const known = { ...config.value, api };
  const opened = await open({ config: known, signer: signer.value, log, fault, ending });
  isOpen = true;
  if (!opened.ok) return refuse(opened.message);
  handleUncaught(opened.value.fail);
  let endService = () => {};
  let isEnding = false;
  void announce(opened.value, log).then(() => {
    if (service === undefined || isEnding) return;
    endService = service(opened.value, { signer: signer.value, log });
  });
  const code = await ending.promise;
  isEnding = true;
  endService();
  if (code === FATAL) await Promise.race([opened.value.guard(), interrupted.promise]);
  log.info({}, 'stopping');
  await Promise.race([opened.value.stop(), delay(FAREWELL_MS)]);
  signer.value.wipe();
  return code;
}

type Opening = {
  config: NodeConfig;
  signer: Signer;
  log: Log;
  fault: Fault;
  ending: { resolve: (code: number) => void };
};

function open({ config, signer, log, fault, ending }: Opening) {
  return keepOpen(config, {
    ...{ signer, log, fault },
    // For tests: a process whose books are wrong ends at once.
    checkBooks: process.env['SLUICE_CHECK_BOOKS'] !== undefined,
    // Once the answer to the caller is on its way.
    onShutdown: () => void setImmediate(() => ending.resolve(0)),
    onFatal(reason, kind) {
      log.error({ reason }, kind === 'rival' ? RIVAL_ADVICE : FATAL_ADVICE);
      ending.resolve(FATAL);
    },
  });
}

/** One line on standard output as soon as the node takes calls; until then, how far it is. */
async function announce(node: OpenNode, log: Log): Promise<void> {
  let reported = performance.now();
  for (let status = node.status(); status.status !== 'ready'; status = node.status()) {
    const pauseMs = status.status === 'syncing' ? PROGRESS_MS : TROUBLE_MS;
    if (performance.now() - reported >= pauseMs) {
      reported = performance.now();
      if (status.status === 'syncing') log.info({ ...status }, 'catching up with the chain');
      else log.warn({ ...status }, 'no calls are taken');
    }
    await delay(50);
  }
  print(`ready: ${node.address} ${node.apiUrl}`);
}

function warn({ broker }: NodeConfig, log: Log): void {
  const slow = warning();
  if (slow !== null) log.warn({}, slow);
  if ('bus' in broker)
    log.warn(
      {},
      'without --nats, only nodes of this very process can be reached: none can be paid',
    );
}

export type Choices = ReturnType<typeof choicesOf>;

/** Everything that was chosen, read before anything is done: a usage error comes first. */
export function choicesOf(read: Read) {
  return {
    rpcUrl: read(settings.ETH_RPC_ENDPOINT),
    contractsFile: read(settings.CONTRACTS),
    networkId: read(settings.NETWORK_ID),
    key: {
      keystorePath: read(KEYSTORE_PATH),
      address: read(ADDRESS),
      passwordFile: read(PASSWORD_FILE),
    },
    database: read(settings.DATABASE),
    minFreeBytes: read(settings.MIN_FREE_DISK) * 1_000_000,
    acceptedDatabase: read(settings.ACCEPT_DATABASE),
    acceptedChain: read(settings.ACCEPT_CHAIN),
    nats: read(settings.NATS),
    brokerFiles: brokerFilesOf(read),
    apiAddress: read(settings.API_ADDRESS),
    apiTokenFile: read(settings.API_TOKEN_FILE),
    apiConcurrency: read(settings.API_CONCURRENCY),
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

function configOf(choices: Choices): Found<NodeConfig> {
  const contracts = contractsIn(choices.contractsFile);
  if (!contracts.ok) return contracts;
  const tokens = tokensIn(choices.apiTokenFile);
  if (!tokens.ok) return tokens;
  const webUi = webUiIn(choices);
  if (!webUi.ok) return webUi;
  const names = namesIn(choices.namesFile);
  if (!names.ok) return names;
  const webhooks = webhooksIn(choices);
  if (!webhooks.ok) return webhooks;
  const routingMode = routingModeIn(choices);
  if (!routingMode.ok) return routingMode;
  const { nats, brokerFiles } = choices;
  const access = brokerAccess(nats, brokerFiles);
  if (!access.ok) return access;
  const { apiAddress, apiConcurrency, concurrentReads, allowedHosts, origins } = choices;
  const { statelyPort } = choices;
  const isStately = statelyPort !== null;
  if (isStately && !choices.hasInspector)
    return {
      ok: false,
      message: '--stately-inspect reads the inspector: leave --no-inspector out',
    };
  // Its clients can send no token, and whoever wants one wants it for everybody.
  if (isStately && choices.apiTokenFile !== null)
    return { ok: false, message: '--stately-inspect cannot be used with --api-token-file' };
  return {
    ok: true,
    value: {
      ...choices,
      version: version(),
      contracts: contracts.value,
      names: names.value,
      webhooks: webhooks.value,
      routingMode: routingMode.value,
      fees: feesOf(choices),
      broker: nats === null ? { bus: createBus() } : { nats, ...access.value },
      dataFolder: dataFolder(),
      stateFolder: stateFolder(),
      api: {
        ...apiAddress,
        ...{ concurrency: apiConcurrency, concurrentReads, tokens: tokens.value },
        ...{ allowedHosts, origins },
        rpc: rpcIn(choices),
        webUi: webUi.value,
      },
    },
  };
}

export function contractsIn(file: string): Found<KnownContracts> {
  const content = contentOf(file, '--contracts');
  if (!content.ok) return content;
  const parsed = parseContracts(content.value);
  return parsed.ok
    ? parsed
    : { ok: false, message: `${file} is not a file of contracts: ${parsed.message}` };
}

function namesIn(file: string | null): Found<NamedAddress[]> {
  if (file === null) return { ok: true, value: [] };
  const content = contentOf(file, '--names');
  if (!content.ok) return content;
  const parsed = parseNames(content.value);
  return parsed.ok
    ? parsed
    : { ok: false, message: `${file} is not a file for --names: ${parsed.message}` };
}

export function webhooksIn({
  webhookUrls: urls,
  webhookSecretFile: file,
}: Pick<Choices, 'webhookUrls' | 'webhookSecretFile'>): Found<NodeConfig['webhooks']> {
  if (urls.length === 0) return { ok: true, value: null };
  if (file === null)
    return {
      ok: false,
      message:
        '--webhook needs --webhook-secret-file: without a signature, nobody could tell who calls',
    };
  const content = privateContentOf(file, '--webhook-secret-file');
  if (!content.ok) return content;
  const secret = content.value.trim();
  return /^[\x21-\x7e]{16,}$/.test(secret)
    ? { ok: true, value: { urls, secret } }
    : {
        ok: false,
        message: `${file} must hold a secret of at least 16 printable characters, e.g. from "openssl rand -hex 32"`,
      };
}

function rpcIn({ rpcUrl: url, rpcMethods }: Choices): RpcOptions | null {
  return rpcMethods === null ? null : { url, methods: [...READ_ONLY_METHODS, ...rpcMethods] };
}

export function webUiIn(choices: Choices): Found<WebUiOptions | null> {
  const { webUi: folder, isProduction, defaultSettleTimeout, defaultRevealTimeout } = choices;
  const { pathfindingServiceAddress, rpcUrl } = choices;
  if (folder === null) return { ok: true, value: null };
  if (statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.isFile() !== true)
    return { ok: false, message: `the folder of --web-ui has no index.html: ${folder}` };
  return {
    ok: true,
    value: {
      folder,
      // The policy is public; the rest of an address may hold a password or the key of an account.
      connections: [pathfindingServiceAddress, rpcUrl]
        .filter((url) => url !== null)
        .map((url) => new URL(url).origin),
      settleTimeout: defaultSettleTimeout,
      revealTimeout: defaultRevealTimeout,
      environmentType: isProduction ? 'production' : 'development',
    },
  };
}

/** For tests of what survives a crash: the process kills itself where the variable says. */
export function faultOf(command: Command): Fault {
  const given = process.env['SLUICE_CRASH_AT'];
  if (given === undefined) return noFault;
  return killAt(given) ?? usageError(command, 'SLUICE_CRASH_AT must be POINT:NUMBER');
}
