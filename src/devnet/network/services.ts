/** The services of a devnet: path-finding and monitoring, in this process or each in one of its own. */
import type { Address } from '../../basics/hex.ts';
import type { Started } from '../../host/base/refusal.ts';
import { freePort } from '../../host/port.ts';
import { openMonitoring } from '../../host/services/open-monitoring.ts';
import { openPathfinding } from '../../host/services/open-pathfinding.ts';
import type { ServiceConfig, ServiceHooks } from '../../host/services/open-service.ts';
import { createAccount, type DevnetAccount } from './accounts.ts';
import { commonConfig, databaseOf, MONITORING_REWARD } from './nodes.ts';
import { spawnOne } from './processes.ts';
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

/** `url` has no path. When the system chooses the nodes' ports, it chooses this one, too. */
export async function startPathfinding(
  surroundings: Surroundings,
  account: DevnetAccount,
): Promise<DevnetService & { url: string }> {
  const { apiPort, program } = surroundings.options;
  const port = apiPort === 0 ? 0 : await freePort(USUAL_PORT);
  const { address } = account.signer;
  if (program !== null) {
    const options = { '--api-address': `127.0.0.1:${port}` };
    const given = { account, command: 'pathfinding', options, program } as const;
    const { word: url, database, pid } = await spawnOne(surroundings, given);
    return { address, url, database, pid };
  }
  const terms = { price: 0n, leastClaim: 1n, ...NOT_REGISTERING };
  const api = { host: '127.0.0.1', port };
  const { url } = await openHere(surroundings, account, (config, hooks) =>
    openPathfinding({ ...config, ...terms, api }, hooks),
  );
  return { address, url, database: databaseOf(surroundings.data, account.name), pid: process.pid };
}

export async function startMonitoring(
  surroundings: Surroundings,
  account: DevnetAccount,
): Promise<DevnetService> {
  const { program } = surroundings.options;
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
type Open<Service> = (config: ServiceConfig, hooks: ServiceHooks) => Promise<Started<Service>>;

async function openHere<Service extends Opened>(
  surroundings: Surroundings,
  { name, signer }: DevnetAccount,
  open: Open<Service>,
): Promise<Service> {
  const { broker, logOf, keep, onTrouble } = surroundings;
  const config = { ...commonConfig(surroundings, name), broker };
  const onFatal = (reason: string) => onTrouble(`${name} cannot go on: ${reason}`);
  const opened = await open(config, { signer, log: logOf(name), onFatal });
  if (!opened.ok) throw new Error(`${name} does not start: ${opened.message}`);
  await keep(opened.value.stop);
  return opened.value;
}
