/** Opens what every service needs, from a plain configuration: chain, key, database, messaging. */
import { join } from 'node:path';
import type { Log } from '../../basics/environment.ts';
import type { Fault } from '../../basics/fault.ts';
import { type Admitted, defended } from '../../http/checks/defended.ts';
import { type ApiServer, serve } from '../../http/server.ts';
import { type JoinedBroker, joinBroker } from '../../partner/join.ts';
import type { Transport } from '../../partner/transport.ts';
import {
  openServiceDatabase,
  type ServiceDatabase,
  type ServiceName,
} from '../../services/base/database.ts';
import { recover } from '../../signer/ecdsa.ts';
import type { Signer } from '../../signer/signer.ts';
import { lockKey } from '../../store/durability/lock.ts';
import { refusal, type Started, started } from '../base/refusal.ts';
import { systemClock } from '../base/system.ts';
import { type Certificates, createCertificates } from '../certificates.ts';
import { type CheckedChain, checkChain } from '../check-chain.ts';
import { type Cleanup, holding } from '../cleanup.ts';
import type { KnownContracts } from '../contracts-file.ts';
import { nodeName } from '../database/claim.ts';
import type { NamedFile } from '../database/other-files.ts';
import { listenProblem } from '../node-api.ts';

export type ServiceConfig = {
  version: string;
  rpcUrl: string;
  /** The required chain id; null accepts the endpoint's. */
  networkId: bigint | null;
  contracts: KnownContracts;
  broker: JoinedBroker;
  /** Those with which the broker is reached: it is told when a certificate among them ends. Absent: none. */
  files?: readonly NamedFile[];
  /** `file:…` or `:memory:`; null: a file named by chain, contracts and address in `dataFolder`. */
  database: string | null;
  dataFolder: string;
  /** The folder of the lock files that keep a key from being used twice. */
  stateFolder: string;
  confirmations: bigint;
  pollIntervalMs: number;
};
/** Port 0 takes a free one. */
export type ServiceAddress = { host: string; port: number } & Admitted;
export type ServiceHooks = {
  signer: Signer;
  log: Log;
  /** Named points at which a test may end the process; absent: none. */
  fault?: Fault;
  /** Called at most once, when the service cannot go on; `stop` still has to be called. */
  onFatal(reason: string): void;
};
export type ServiceParts = {
  chain: CheckedChain;
  database: ServiceDatabase;
  transport: Transport;
  /** Of the files with which the broker is reached. */
  certificates: Certificates;
  /** Notes the first reason only, in the log and to the hook. */
  onFatal(reason: string, error: unknown): void;
};
type Request = { name: ServiceName; config: ServiceConfig; hooks: ServiceHooks; held: Cleanup };

/**
 * Opens what every service needs, then the service by `open`, which notes in `held` what has to be ended. A refusal leaves
 * nothing open.
 */
export async function openService<Service>(
  name: ServiceName,
  config: ServiceConfig,
  hooks: ServiceHooks,
  open: (parts: ServiceParts, held: Cleanup) => Promise<Started<Service>>,
): Promise<Started<Service>> {
  return holding(hooks.log, 'a part of the service did not end as it should', async (held) => {
    const parts = await openParts({ name, config, hooks, held });
    return parts.ok ? open(parts.value, held) : parts;
  });
}

/** Callers cannot change or spend anything, so it may be served on a public address. Probes are let in by any name. */
export async function serveService(
  app: Parameters<typeof defended>[0],
  { host, port, ...admitted }: ServiceAddress,
): Promise<Started<ApiServer>> {
  try {
    const served = defended(app, admitted, 'probe');
    return { ok: true, value: await serve({ app: served, host, port, allowPublic: true }) };
  } catch (error) {
    return refusal('api_address', listenProblem(error, host, port));
  }
}

async function openParts({ name, config, hooks, held }: Request): Promise<Started<ServiceParts>> {
  const onFatal = firstFault(hooks);
  const chain = await checkChain({
    ...config,
    onOtherChain: (id) => onFatal(`the endpoint suddenly serves chain ${id}`, null),
  });
  if (!chain.ok) return chain;
  await held.add(chain.value.connection.stop);
  const database = await claimDatabase({ name, config, hooks, held }, chain.value);
  if (!database.ok) return database;
  const transport = joinBroker(config.broker, {
    chainId: chain.value.connection.chainId,
    tokenNetworkRegistry: chain.value.contracts.tokenNetworkRegistryAddress,
    address: hooks.signer.address,
    sign: null,
    recover,
    report: (problem) => hooks.log.warn({}, problem),
  });
  await held.add(transport.close);
  const certificates = createCertificates(config.files ?? [], systemClock);
  const parts = { chain: chain.value, database: database.value, transport, certificates, onFatal };
  return started(parts);
}

async function claimDatabase(
  { name, config, hooks, held }: Request,
  chain: CheckedChain,
): Promise<Started<ServiceDatabase>> {
  const { chainId } = chain.connection;
  const { address } = hooks.signer;
  const tokenNetworkRegistry = chain.contracts.tokenNetworkRegistryAddress;
  // The same lock as a node with this key has: two transaction queues of one account would use the same nonces.
  const key = lockKey({ folder: config.stateFolder, name: `${chainId}-${address}` });
  if (!key.ok) {
    const what = `another process on this machine works with the key ${address} on chain ${chainId}`;
    return refusal('key_in_use', `${what}: stop it, or give this service a key of its own`);
  }
  await held.add(key.release);
  const folder = join(config.dataFolder, nodeName(chainId, tokenNetworkRegistry, address));
  const url = config.database ?? `file:${join(folder, `${name}.db`)}`;
  const stamp = { chainId, tokenNetworkRegistry, ownAddress: address, service: name };
  const opened = openServiceDatabase(url, stamp);
  if (!opened.ok) return refusal('database', opened.message);
  await held.add(opened.database.close);
  return started(opened.database);
}

function firstFault({ log, onFatal }: ServiceHooks): ServiceParts['onFatal'] {
  let isMet = false;
  return (reason, error) => {
    if (isMet) return;
    isMet = true;
    log.error({ reason, ...(error === null ? {} : { error: String(error) }) }, 'the service stops');
    onFatal(reason);
  };
}
