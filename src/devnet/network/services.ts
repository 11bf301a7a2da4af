/** The services of a devnet: path-finding and monitoring, in this process or each in one of its own. */
import { join } from 'node:path';
import type { Address } from '../../basics/hex.ts';
import type { StartRefusal } from '../../host/base/refusal.ts';
import { contractsFileText, parseContracts } from '../../host/contracts-file.ts';
import { freePort } from '../../host/port.ts';
import { openMonitoring } from '../../host/services/open-monitoring.ts';
import { openPathfinding } from '../../host/services/open-pathfinding.ts';
import type { ServiceConfig, ServiceHooks } from '../../host/services/open-service.ts';
import { CONFIRMATIONS } from '../chain/confirmations.ts';
import { createAccount, type DevnetAccount } from './accounts.ts';
import { databaseOf, MONITORING_REWARD, POLL_INTERVAL_MS } from './nodes.ts';
import { type Program, spawnOne } from './processes.ts';
import type { Surroundings } from './surroundings.ts';

export type ServiceAccounts = Record<'pathfinding' | 'monitoring' | 'echo', DevnetAccount>;
export type DevnetService = { address: Address; database: string; pid: number };

/** The first port from 6000 on that `fetch` may call; 6000 itself belongs to X11. */
const USUAL_PORT = 6_001;

/** The devnet has registered them. */
const NOT_REGISTERING = { register: false, registerUntilStopped: false, acceptedPrice: null };

export function createServiceAccounts(): ServiceAccounts {
  const [pathfinding, monitoring] = [createAccount('pathfinding'), createAccount('monitoring')];
  return { pathfinding, monitoring, echo: createAccount('echo') };
}

type Request = {
  surroundings: Surroundings;
  account: DevnetAccount;
  /** How to start it as a process; null: it runs in this process. */
  program: Program | null;
};

/** `url` has no path. When the system chooses the nodes' ports, it chooses this one, too. */
export async function startPathfinding(
  { surroundings, account, program }: Request,
  { apiPort }: { apiPort: number },
): Promise<DevnetService & { url: string }> {
  const port = apiPort === 0 ? 0 : await freePort(USUAL_PORT);
  const { address } = account.signer;
  if (program !== null) {
    const options = { '--api-address': `127.0.0.1:${port}` };
    const command = 'pathfinding';
    const { word: url, ...at } = await spawnOne(surroundings, {
      account,
      command,
      options,
      program,
    });
    return { address, url, database: at.database, pid: at.pid };
  }
  const terms = { price: 0n, leastClaim: 1n, ...NOT_REGISTERING };
  const api = { host: '127.0.0.1', port };
  const { url } = await openHere(surroundings, account, (config, hooks) =>
    openPathfinding({ ...config, ...terms, api }, hooks),
  );
  return { address, url, database: databaseOf(surroundings.data, account.name), pid: process.pid };
}

export async function startMonitoring({
  surroundings,
  account,
  program,
}: Request): Promise<DevnetService> {
  const { address } = account.signer;
  if (program !== null) {
    const options = { '--min-reward': String(MONITORING_REWARD) };
    const command = 'monitoring';
    const { database, pid } = await spawnOne(surroundings, { account, command, options, program });
    return { address, database, pid };
  }
  const terms = { minReward: MONITORING_REWARD, ...NOT_REGISTERING };
  await openHere(surroundings, account, (config, hooks) =>
    openMonitoring({ ...config, ...terms }, hooks),
  );
  return { address, database: databaseOf(surroundings.data, account.name), pid: process.pid };
}

type Opened = { stop(): Promise<void> };
type Open<Service> = (
  config: ServiceConfig,
  hooks: ServiceHooks,
) => Promise<{ ok: true; value: Service } | StartRefusal>;

async function openHere<Service extends Opened>(
  { chain, version, broker, data, logOf, keep, onTrouble }: Surroundings,
  { name, signer }: DevnetAccount,
  open: Open<Service>,
): Promise<Service> {
  const contracts = parseContracts(contractsFileText(chain.contracts));
  if (!contracts.ok) throw new Error(contracts.message);
  const config: ServiceConfig = {
    version,
    broker,
    contracts: contracts.value,
    rpcUrl: chain.rpc,
    networkId: chain.chainId,
    database: databaseOf(data, name),
    dataFolder: data,
    stateFolder: join(data, 'locks'),
    confirmations: CONFIRMATIONS,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
  const onFatal = (reason: string) => onTrouble(`${name} cannot go on: ${reason}`);
  const opened = await open(config, { signer, log: logOf(name), onFatal });
  if (!opened.ok) throw new Error(`${name} does not start: ${opened.message}`);
  await keep(opened.value.stop);
  return opened.value;
}
