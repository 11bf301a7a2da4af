/** Runs one node until it is told to stop. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../basics/environment.ts';
import type { Fault } from '../../basics/fault.ts';
import { isFenced } from '../../host/base/refusal.ts';
import { keepOpen } from '../../host/keep-open.ts';
import type { NodeConfig, OpenNode } from '../../host/node-config.ts';
import { standBy } from '../../host/stand-by.ts';
import type { FatalKind } from '../../node/runtime/parts.ts';
import { warning } from '../../signer/ecdsa.ts';
import type { Signer } from '../../signer/signer.ts';
import { createCallers } from '../options/api-tokens.ts';
import { configOf } from '../options/node-config.ts';
import type { NodeOptions } from '../options/node-options.ts';
import { watchedFiles } from '../options/watched-files.ts';
import { found } from '../process/found.ts';
import { createLog } from '../process/log.ts';
import { session } from '../process/session.ts';
import { announce } from '../process/terminal.ts';
import { FATAL, handleUncaught } from '../process/uncaught.ts';
import { FENCED, standByThenRun } from '../standby.ts';
import { type OpenedProgram, runProgram } from './program.ts';

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
const RESCUED_ADVICE = 'the node ends: start it again with the same options and the same database';
const MISPLACED_ADVICE =
  'the node takes no calls any more, and guards its channels from where the database lies now, until it is ended';
const ADVICE: Record<FatalKind, string> = {
  internal: FATAL_ADVICE,
  replaced: FATAL_ADVICE,
  returned: FATAL_ADVICE,
  renewing: FATAL_ADVICE,
  rival: RIVAL_ADVICE,
  fenced: FENCED_ADVICE,
  relieved: FENCED_ADVICE,
  rescued: RESCUED_ADVICE,
  misplaced: MISPLACED_ADVICE,
};

/** sysexits.h calls it EX_TEMPFAIL: the next start works. */
const RESCUED = 75;

function codeOf(kind: FatalKind): number {
  if (kind === 'rescued') return RESCUED;
  return kind === 'fenced' || kind === 'relieved' ? FENCED : FATAL;
}

/** Runs on top of the node as soon as that is ready; the returned function ends it. */
export type Service = (opened: OpenNode, parts: { signer: Signer; log: Log }) => () => void;

/** The exit code. */
export async function runNode(
  options: NodeOptions,
  fault: Fault,
  service?: Service,
): Promise<number> {
  const { key, log: logOptions, ...others } = options;
  const log = createLog(logOptions);
  const callers = createCallers(options.apiTokenFile, log);
  return runProgram({
    log,
    key,
    renew: callers.renew,
    configure() {
      const config = configOf(others);
      if (config.ok) callers.admit(config.value.api.tokens ?? []);
      return config;
    },
    async open({ config: given, signer, end }) {
      warn(given, log);
      const files = await watchedFiles(options, signer.address);
      const config = { ...given, files, api: { ...given.api, identify: callers.identify } };
      const begin = (chosen: NodeConfig) =>
        openRunning({ config: chosen, signer, log, fault, end }, service);
      const { isStandby, takeoverAfterMs } = options.standby;
      if (!isStandby || config.replica == null) return begin(config);
      const { replica } = config;
      return found(
        standByThenRun({
          ...{ stream: replica.stream, log, end },
          follow: (waiting) =>
            standBy({
              ...{ config: { ...config, replica }, hooks: { signer, log } },
              ...{ takeoverAfterMs, ...waiting },
            }),
          begin: (taking) => begin({ ...config, replica: { ...replica, ...taking } }),
        }),
      );
    },
  });
}

async function openRunning(opening: Opening, service?: Service): Promise<OpenedProgram> {
  const opened = await open(opening);
  if (opened.ok) return found(running(opened.value, opening, service));
  return isFenced(opened) ? { ...opened, code: FENCED } : opened;
}

function running(node: OpenNode, parts: { signer: Signer; log: Log }, service?: Service) {
  handleUncaught(node.fail);
  let endService = () => {};
  let isEnding = false;
  void announceReady(node, parts.log).then(() => {
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
    checkBooks: session().environment['SLUICE_CHECK_BOOKS'] !== undefined,
    // Ends only after the answer to the caller was sent.
    onShutdown: () => void setImmediate(() => end(0)),
    onFatal(reason, kind) {
      log[kind === 'relieved' ? 'warn' : 'error']({ reason }, ADVICE[kind]);
      end(codeOf(kind));
    },
  });
}

/** Prints one line on standard output as soon as the node takes calls and is found; until then logs how far it is. */
async function announceReady(node: OpenNode, log: Log): Promise<void> {
  let reported = performance.now();
  for (;;) {
    const status = node.status();
    if (status.status === 'ready' && node.node.isListening()) break;
    const pauseMs = status.status === 'syncing' ? PROGRESS_MS : TROUBLE_MS;
    if (performance.now() - reported >= pauseMs) {
      reported = performance.now();
      if (status.status === 'syncing') log.info({ ...status }, 'catching up with the chain');
      else if (status.status !== 'ready') log.warn({ ...status }, 'no calls are taken');
    }
    await delay(50);
  }
  announce(`ready: ${node.address} ${node.apiUrl}`);
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
