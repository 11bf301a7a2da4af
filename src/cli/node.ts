/** `sluice node`: one node, until it is told to stop. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { type KnownContracts, parseContracts } from '../devnet/contracts-file.ts';
import { type NodeConfig, type OpenNode, openNode } from '../devnet/open-node.ts';
import { type Fault, killAt, noFault } from '../node/fault.ts';
import type { Log } from '../node/parts.ts';
import { createBus } from '../partner/bus.ts';
import { warning } from '../signer/ecdsa.ts';
import type { Signer } from '../signer/signer.ts';
import { dataFolder, stateFolder } from './folders.ts';
import { ADDRESS, type Found, KEYSTORE_PATH, PASSWORD_FILE, unlock } from './key.ts';
import { createLog } from './log.ts';
import * as settings from './node-settings.ts';
import { declare, type Read, readerOf, usageError } from './settings.ts';
import { deferred, onStopSignal, print, refuse } from './terminal.ts';
import { version } from './version.ts';

/** sysexits.h calls it EX_SOFTWARE. */
export const FATAL = 70;
const INTERRUPTED = 130;
const FAREWELL_MS = 10_000;
const PROGRESS_MS = 2_000;

const SETTINGS = [
  ...[settings.ETH_RPC_ENDPOINT, settings.CONTRACTS, settings.NETWORK_ID],
  ...[KEYSTORE_PATH, ADDRESS, PASSWORD_FILE, settings.DATABASE, settings.NATS],
  ...[settings.API_ADDRESS, settings.API_TOKEN_FILE, settings.API_CONCURRENCY],
  ...[settings.SETTLE_TIMEOUT, settings.REVEAL_TIMEOUT, settings.CONFIRMATIONS],
  ...[settings.POLL_INTERVAL, settings.ENVIRONMENT_TYPE, settings.PATHFINDING_SERVICE_ADDRESS],
  ...[settings.LOG_LEVEL, settings.LOG_JSON],
];

export function nodeCommand(): Command {
  const command = new Command('node').description('run one node');
  return declare(command, SETTINGS).action(async () => {
    process.exit(await runNode(choicesOf(readerOf(command)), faultOf(command)));
  });
}

/** The exit code. */
async function runNode(choices: Choices, fault: Fault): Promise<number> {
  const log = createLog(choices.log);
  const ending = deferred<number>();
  let isOpen = false;
  onStopSignal({
    // Before the node is open there is nothing to put in order.
    stop: () => (isOpen ? ending.resolve(0) : process.exit(INTERRUPTED)),
    force: () => process.exit(INTERRUPTED),
  });
  const config = configOf(choices);
  if (!config.ok) return refuse(config.message);
  log.info({}, 'opening the key');
  const signer = await unlock(choices.key);
  if (!signer.ok) return refuse(signer.message);
  warn(config.value, log);
  const opened = await open({ config: config.value, signer: signer.value, log, fault, ending });
  isOpen = true;
  if (!opened.ok) return refuse(opened.message);
  void announce(opened.value, log);
  const code = await ending.promise;
  if (code === FATAL) await opened.value.guard();
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
  return openNode(config, {
    ...{ signer, log, fault },
    // Once the answer to the caller is on its way.
    onShutdown: () => void setImmediate(() => ending.resolve(0)),
    onFatal(reason) {
      log.error(
        { reason },
        'the node stops. What it has signed is on disk: start it again with the same options and the ' +
          'same database. If it stops in the same way again, keep the database and report it',
      );
      ending.resolve(FATAL);
    },
  });
}

/** One line on standard output as soon as the node takes calls; until then, how far it is. */
async function announce(node: OpenNode, log: Log): Promise<void> {
  let reported = performance.now();
  for (let status = node.status(); status.status !== 'ready'; status = node.status()) {
    if (performance.now() - reported >= PROGRESS_MS) {
      reported = performance.now();
      log.info({ ...status }, 'catching up with the chain');
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

type Choices = ReturnType<typeof choicesOf>;

/** Everything that was chosen, read before anything is done: a usage error comes first. */
function choicesOf(read: Read) {
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
    nats: read(settings.NATS),
    apiAddress: read(settings.API_ADDRESS),
    apiTokenFile: read(settings.API_TOKEN_FILE),
    apiConcurrency: read(settings.API_CONCURRENCY),
    defaultSettleTimeout: read(settings.SETTLE_TIMEOUT),
    defaultRevealTimeout: read(settings.REVEAL_TIMEOUT),
    confirmations: read(settings.CONFIRMATIONS),
    pollIntervalMs: read(settings.POLL_INTERVAL),
    isProduction: read(settings.ENVIRONMENT_TYPE) === 'production',
    pathfindingServiceAddress: read(settings.PATHFINDING_SERVICE_ADDRESS),
    log: { level: read(settings.LOG_LEVEL), isJson: read(settings.LOG_JSON) },
  };
}

function configOf(choices: Choices): Found<NodeConfig> {
  const contracts = contractsIn(choices.contractsFile);
  if (!contracts.ok) return contracts;
  const token = tokenIn(choices.apiTokenFile);
  if (!token.ok) return token;
  const { nats, apiAddress, apiConcurrency } = choices;
  return {
    ok: true,
    value: {
      ...choices,
      version: version(),
      contracts: contracts.value,
      broker: nats === null ? { bus: createBus() } : { nats },
      dataFolder: dataFolder(),
      stateFolder: stateFolder(),
      api: { ...apiAddress, concurrency: apiConcurrency, token: token.value },
    },
  };
}

function contractsIn(file: string): Found<KnownContracts> {
  const content = contentOf(file, '--contracts');
  if (!content.ok) return content;
  const parsed = parseContracts(content.value);
  return parsed.ok
    ? parsed
    : { ok: false, message: `${file} is not a file of contracts: ${parsed.message}` };
}

function tokenIn(file: string | null): Found<string | null> {
  if (file === null) return { ok: true, value: null };
  const content = contentOf(file, '--api-token-file');
  if (!content.ok) return content;
  const token = content.value.trim();
  if (/^[\x21-\x7e]{16,}$/.test(token)) return { ok: true, value: token };
  return {
    ok: false,
    message: `${file} must hold a token of at least 16 characters without blanks, e.g. from "openssl rand -hex 32"`,
  };
}

function contentOf(file: string, option: string): Found<string> {
  try {
    return { ok: true, value: readFileSync(file, 'utf8') };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `the file of ${option} cannot be read: ${reason}` };
  }
}

/** For tests of what survives a crash: the process kills itself where the variable says. */
function faultOf(command: Command): Fault {
  const given = process.env['SLUICE_CRASH_AT'];
  if (given === undefined) return noFault;
  return killAt(given) ?? usageError(command, 'SLUICE_CRASH_AT must be POINT:NUMBER');
}
