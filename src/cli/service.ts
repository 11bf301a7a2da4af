/** What the commands of all services share: their options, and how the services are run. */
import type { ServiceConfig, ServiceHooks } from '../host/open-service.ts';
import type { Refusal } from '../host/refusal.ts';
import { MAX_UINT256 } from '../protocol/amount.ts';
import type { Fault } from '../protocol/fault.ts';
import { BROKER_SETTINGS, brokerAccess, brokerFilesOf } from './broker-access.ts';
import { dataFolder, stateFolder } from './folders.ts';
import { ADDRESS, type Found, KEYSTORE_PATH, keyChoiceOf, PASSWORD_FILE } from './key.ts';
import { createLog } from './log.ts';
import { contractsIn } from './node-config.ts';
import * as settings from './node-settings.ts';
import { runProgram } from './program.ts';
import { flag, optional, type Read, required } from './settings.ts';
import { print } from './terminal.ts';
import { FATAL } from './uncaught.ts';
import { bigNumber, natsUrl } from './values.ts';
import { version } from './version.ts';

const NATS = required('--nats <url>', 'message broker that the nodes are on', natsUrl);

export const SERVICE_SETTINGS = [
  settings.ETH_RPC_ENDPOINT,
  settings.CONTRACTS,
  settings.NETWORK_ID,
  KEYSTORE_PATH,
  ADDRESS,
  PASSWORD_FILE,
  settings.DATABASE,
  NATS,
  ...BROKER_SETTINGS,
  settings.CONFIRMATIONS,
  settings.POLL_INTERVAL,
  settings.LOG_LEVEL,
  settings.LOG_JSON,
];

export const REGISTER = flag('--register', 'register in the service registry when this key is not');
export const ACCEPT_PRICE = optional(
  '--accept-price <units>',
  'most that --register may deposit, in units of the service token (default: nothing)',
  bigNumber(0n, MAX_UINT256),
);

/** `url`: where the service takes calls; null when it takes none. */
type OpenService = { url: string | null; stop(): Promise<void> };
type Start = (
  config: ServiceConfig,
  hooks: ServiceHooks,
) => Promise<{ ok: true; value: OpenService } | Refusal>;

/** Runs the service until it is told to stop; answers the exit code. */
export async function runService(read: Read, start: Start, fault?: Fault): Promise<number> {
  const choices = choicesOf(read);
  const log = createLog(choices.log);
  const points = fault === undefined ? {} : { fault };
  return runProgram({
    log,
    key: choices.key,
    configure: () => configOf(choices),
    async open({ config, signer, end }) {
      const opened = await start(config, { signer, log, onFatal: () => end(FATAL), ...points });
      if (opened.ok) print(`ready: ${opened.value.url ?? signer.address}`);
      return opened;
    },
  });
}

type Choices = ReturnType<typeof choicesOf>;

/** Reads all options before anything is done, so that usage errors are reported first. */
function choicesOf(read: Read) {
  return {
    rpcUrl: read(settings.ETH_RPC_ENDPOINT),
    contractsFile: read(settings.CONTRACTS),
    networkId: read(settings.NETWORK_ID),
    key: keyChoiceOf(read),
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
