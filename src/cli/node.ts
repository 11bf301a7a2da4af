/** `sluice node`: runs one node until it is told to stop. */
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { keepOpen } from '../host/keep-open.ts';
import type { NodeConfig, OpenNode } from '../host/node-config.ts';
import { isFenced } from '../host/refusal.ts';
import { killAt } from '../node/runtime/fault.ts';
import type { FatalKind } from '../node/runtime/parts.ts';
import type { Log } from '../protocol/environment.ts';
import { type Fault, noFault } from '../protocol/fault.ts';
import { warning } from '../signer/ecdsa.ts';
import type { Signer } from '../signer/signer.ts';
import { createCallers } from './api-tokens.ts';
import { BROKER_SETTINGS } from './broker-access.ts';
import { ADDRESS, KEYSTORE_PATH, PASSWORD_FILE } from './key.ts';
import { createLog } from './log.ts';
import { MEDIATION_SETTINGS } from './mediation.ts';
import { type Choices, choicesOf, configOf } from './node-config.ts';
import * as settings from './node-settings.ts';
import { type Opened, runProgram } from './program.ts';
import { declare, readerOf, usageError } from './settings.ts';
import { FENCED, standByThenRun } from './standby.ts';
import { print } from './terminal.ts';
import { FATAL, handleUncaught } from './uncaught.ts';

const PROGRESS_MS = 2_000;
const TROUBLE_MS = 60_000;
const FATAL_ADVICE =
  'the node takes no calls any more. What it has signed is on disk: interrupt it, and start it again with the ' +
  'same options and the same database. If it fails in the same way again, keep the database and report it';
const RIVAL_ADVICE =
  'the node stops talking to partners: another process has proven that it holds the key. One key must never ' +
  'run twice: end the process whose database is the older one';

const FENCED_ADVICE =
  'the node stops at once, and signs nothing more: the other one goes on from where this one was. Start this one ' +
  'with --standby, and it follows';
const ADVICE: Record<FatalKind, string> = {
  internal: FATAL_ADVICE,
  replaced: FATAL_ADVICE,
  returned: FATAL_ADVICE,
  rival: RIVAL_ADVICE,
  fenced: FENCED_ADVICE,
};

export const NODE_SETTINGS = [
  settings.ETH_RPC_ENDPOINT,
  settings.CONTRACTS,
  settings.NETWORK_ID,
  KEYSTORE_PATH,
  ADDRESS,
  PASSWORD_FILE,
  settings.DATABASE,
  settings.ACCEPT_DATABASE,
  settings.MIN_FREE_DISK,
  settings.KEEP_HISTORY,
  settings.ACCEPT_CHAIN,
  settings.NATS,
  ...BROKER_SETTINGS,
  settings.REPLICATE,
  settings.REPLICATE_MODE,
  settings.STANDBY,
  settings.TAKEOVER_AFTER,
  settings.API_ADDRESS,
  settings.API_TOKEN_FILE,
  settings.API_CONCURRENCY,
  settings.API_QUEUE_SECONDS,
  settings.CONCURRENT_READS,
  settings.API_HOSTS,
  settings.RPC_CORS_DOMAIN,
  settings.RPC_PASSTHROUGH,
  settings.WEB_UI,
  settings.INSPECTOR,
  settings.NAMES,
  settings.EXPLORER,
  settings.STATELY_INSPECT,
  settings.SETTLE_TIMEOUT,
  settings.REVEAL_TIMEOUT,
  settings.CONFIRMATIONS,
  settings.POLL_INTERVAL,
  settings.ENVIRONMENT_TYPE,
  settings.PATHFINDING_SERVICE_ADDRESS,
  ...MEDIATION_SETTINGS,
  settings.RELEASE_FEED,
  settings.WEBHOOK,
  settings.WEBHOOK_SECRET_FILE,
  settings.LOG_LEVEL,
  settings.LOG_JSON,
];

export function nodeCommand(): Command {
  const command = new Command('node').description('run one node');
  return declare(command, NODE_SETTINGS).action(async () => {
    process.exit(await runNode(choicesOf(readerOf(command)), faultOf(command)));
  });
}

/** Runs on top of the node as soon as that is ready; the returned function ends it. */
export type Service = (opened: OpenNode, parts: { signer: Signer; log: Log }) => () => void;

/** The exit code. */
export async function runNode(choices: Choices, fault: Fault, service?: Service): Promise<number> {
  const log = createLog(choices.log);
  const callers = createCallers(choices.apiTokenFile, log);
  return runProgram({
    log,
    key: choices.key,
    renew: callers.renew,
    configure() {
      const config = configOf(choices);
      if (config.ok) callers.admit(config.value.api.tokens ?? []);
      return config;
    },
    async open({ config: given, signer, end }) {
      warn(given, log);
      const config = { ...given, api: { ...given.api, identify: callers.identify } };
      const begin = (chosen: NodeConfig) =>
        openRunning({ config: chosen, signer, log, fault, end }, service);
      const { isStandby, takeoverAfter } = choices;
      if (!isStandby || config.replica == null) return begin(config);
      const { replica } = config;
      const takeoverAfterMs = takeoverAfter === null ? null : takeoverAfter * 1_000;
      const standing = { config: { ...config, replica }, signer, log, takeoverAfterMs, begin, end };
      return { ok: true, value: standByThenRun(standing) };
    },
  });
}

async function openRunning(opening: Opening, service?: Service): Promise<Opened> {
  const opened = await open(opening);
  if (opened.ok) return { ok: true, value: running(opened.value, opening, service) };
  return isFenced(opened) ? { ...opened, code: FENCED } : opened;
}

function running(node: OpenNode, parts: { signer: Signer; log: Log }, service?: Service) {
  handleUncaught(node.fail);
  let endService = () => {};
  let isEnding = false;
  void announce(node, parts.log).then(() => {
    if (service === undefined || isEnding) return;
    endService = service(node, parts);
  });
  return {
    stop: () => node.stop(),
    async atEnd(code: number, interrupted: Promise<void>) {
      isEnding = true;
      endService();
      if (code === FATAL) await Promise.race([node.safeMode(), interrupted]);
    },
  };
}

type Opening = {
  config: NodeConfig;
  signer: Signer;
  log: Log;
  fault: Fault;
  end: (code: number) => void;
};

function open({ config, signer, log, fault, end }: Opening) {
  return keepOpen(config, {
    signer,
    log,
    fault,
    // For tests: a process whose books are wrong ends at once.
    checkBooks: process.env['SLUICE_CHECK_BOOKS'] !== undefined,
    // Ends only after the answer to the caller was sent.
    onShutdown: () => void setImmediate(() => end(0)),
    onFatal(reason, kind) {
      log.error({ reason }, ADVICE[kind]);
      end(kind === 'fenced' ? FENCED : FATAL);
    },
  });
}

/** Prints one line on standard output as soon as the node takes calls; until then logs how far it is. */
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

/** For crash tests: the process kills itself at the point that the environment variable names. */
export function faultOf(command: Command): Fault {
  const given = process.env['SLUICE_CRASH_AT'];
  if (given === undefined) return noFault;
  return killAt(given) ?? usageError(command, 'SLUICE_CRASH_AT must be POINT:NUMBER');
}
