/** What the commands of all services share: their options, and a life from the key to the last signal. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceConfig, ServiceHooks } from '../host/open-service.ts';
import type { Refusal } from '../host/refusal.ts';
import { MAX_UINT256 } from '../protocol/amount.ts';
import type { Fault } from '../protocol/fault.ts';
import { BROKER_SETTINGS, brokerAccess, brokerFilesOf } from './broker-access.ts';
import { dataFolder, stateFolder } from './folders.ts';
import { ADDRESS, type Found, KEYSTORE_PATH, PASSWORD_FILE, unlock } from './key.ts';
import { createLog } from './log.ts';
import { contractsIn } from './node.ts';
import * as settings from './node-settings.ts';
import { flag, optional, type Read, required } from './settings.ts';
import { deferred, onStopSignal, print, refuse } from './terminal.ts';
import { FATAL } from './uncaught.ts';
import { bigNumber, natsUrl } from './values.ts';
import { version } from './version.ts';

const INTERRUPTED = 130;
const FAREWELL_MS = 10_000;

const NATS = required('--nats <url>', 'message broker that the nodes are on', natsUrl);

export const SERVICE_SETTINGS = [
  ...[settings.ETH_RPC_ENDPOINT, settings.CONTRACTS, settings.NETWORK_ID],
  ...[KEYSTORE_PATH, ADDRESS, PASSWORD_FILE, settings.DATABASE, NATS],
  ...BROKER_SETTINGS,
  ...[settings.CONFIRMATIONS, settings.POLL_INTERVAL, settings.LOG_LEVEL, settings.LOG_JSON],
];

export const REGISTER = flag('--register', 'register in the service registry when this key is not');
export const ACCEPT_PRICE = optional(
  '--accept-price <units>',
  'most that --register may deposit, in units of the service token (default: nothing)',
  bigNumber(0n, MAX_UINT256),
);

/** `url`: where it takes calls; null when it takes none. */
type OpenService = { url: string | null; stop(): Promise<void> };
type Start = (
  config: ServiceConfig,
  hooks: ServiceHooks,
) => Promise<{ ok: true; value: OpenService } | Refusal>;

/** Runs the service until it is told to stop; the exit code. */
export async function runService(read: Read, start: Start, fault?: Fault): Promise<number> {
  const choices = choicesOf(read);
  const log = createLog(choices.log);
  const ending = deferred<number>();
  let isOpen = false;
  onStopSignal({
    stop: () => (isOpen ? ending.resolve(0) : process.exit(INTERRUPTED)),
    force: () => process.exit(INTERRUPTED),
  });
  const config = configOf(choices);
  if (!config.ok) return refuse(config.message);
  log.info({}, 'opening the key');
  const signer = await unlock(choices.key);
  if (!signer.ok) return refuse(signer.message);
  const onFatal = () => ending.resolve(FATAL);
  const points = fault === undefined ? {} : { fault };
  const opened = await start(config.value, { signer: signer.value, log, onFatal, ...points });
  isOpen = true;
  if (!opened.ok) return refuse(opened.message);
  const { url, stop } = opened.value;
  print(`ready: ${url ?? signer.value.address}`);
  const code = await ending.promise;
  log.info({}, 'stopping');
  await Promise.race([stop(), delay(FAREWELL_MS)]);
  signer.value.wipe();
  return code;
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
    nats: read(NATS),
    brokerFiles: brokerFilesOf(read),
    confirmations: read(settings.CONFIRMATIONS),
    pollIntervalMs: read(settings.POLL_INTERVAL),
    log: { level: read(settings.LOG_LEVEL), isJson: read(settings.LOG_JSON) },
  };
}

function configOf({ contractsFile, nats, brokerFiles, ...choices }: Choices): Found<ServiceConfig> {
  const contracts = contractsIn(contractsFile);
  if (!contracts.ok) return contracts;
  const access = brokerAccess(nats, brokerFiles);
  if (!access.ok) return access;
  return {
    ok: true,
    value: {
      ...choices,
      version: version(),
      contracts: contracts.value,
      broker: { nats, ...access.value },
      dataFolder: dataFolder(),
      stateFolder: stateFolder(),
    },
  };
}
