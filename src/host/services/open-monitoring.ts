/** Builds one monitoring service from a plain configuration. */

import { noFault } from '../../basics/fault.ts';
import type { Address } from '../../basics/hex.ts';
import type { ContractAddresses } from '../../node/runtime/parts.ts';
import { createServiceHealth } from '../../services/base/health.ts';
import { planRegistration, type RegistrationChoices } from '../../services/base/registration.ts';
import type { MonitoringContracts } from '../../services/monitoring/contracts.ts';
import { createMonitoring, type MonitoringSettings } from '../../services/monitoring/service.ts';
import { isInTime } from '../../services/monitoring/window.ts';
import { recover } from '../../signer/ecdsa.ts';
import { refusal, type Started, started } from '../base/refusal.ts';
import { systemClock } from '../base/system.ts';
import {
  openService,
  type ServiceAddress,
  type ServiceConfig,
  type ServiceHooks,
  type ServiceParts,
  serveService,
} from './open-service.ts';

export type MonitoringConfig = ServiceConfig &
  RegistrationChoices & {
    /** The lowest reward for which a request is kept, in the service token's smallest unit. */
    minReward: bigint;
    /** Where its health and metrics are served; port 0 takes a free one. Absent or null: nowhere. */
    api?: ServiceAddress | null;
  };
export type OpenMonitoring = {
  address: Address;
  /** The URL of its health and metrics, which takes no other calls; null: not served. */
  url: string | null;
  /** Counts of its rows, and whether it has caught up with the chain. */
  status(): ReturnType<ReturnType<typeof createMonitoring>['status']>;
  /** May be called again. */
  stop(): Promise<void>;
};

/** Starts the service, which continues to sync and to register afterwards. A refusal leaves nothing open. */
export async function openMonitoring(
  config: MonitoringConfig,
  hooks: ServiceHooks,
): Promise<Started<OpenMonitoring>> {
  return openService('monitoring', config, hooks, async (parts, held) => {
    const settings = await settingsOf(config, hooks, parts);
    if (!settings.ok) return settings;
    const { signer, log, fault = noFault } = hooks;
    const { database, transport, certificates, onFatal, chain } = parts;
    const service = createMonitoring(settings.value, {
      account: signer,
      database,
      transport,
      certificates,
      log,
      fault,
      recover,
      onFatal,
      client: chain.connection.client,
      clock: systemClock,
    });
    service.start();
    await held.add(service.stop);
    const { api = null } = config;
    const server = api === null ? null : await serveService(appOf(service), api);
    if (server?.ok === false) return server;
    if (server !== null) await held.add(server.value.close);
    const { address } = signer;
    const url = server?.value.url ?? null;
    return started({ address, url, status: service.status, stop: held.end });
  });
}

function appOf({ status, rows }: ReturnType<typeof createMonitoring>) {
  const health = createServiceHealth({
    name: 'monitoring',
    rows,
    figures() {
      const { headBlock, confirmedBlock, requests, closes, open } = status();
      return {
        requests: { help: 'Requests that are kept', value: requests },
        closes: { help: 'Closed channels that are watched', value: closes },
        open: { help: 'Transactions under way, and rewards still to come', value: open },
        chain_head: { help: 'Newest block', value: Number(headBlock) },
        chain_confirmed: { help: 'Newest block that was handled', value: Number(confirmedBlock) },
      };
    },
  });
  const missing = () => new Response('There is no such endpoint.', { status: 404 });
  return { fetch: async (request: Request) => (await health.answer(request)) ?? missing() };
}

async function settingsOf(
  config: MonitoringConfig,
  { signer }: ServiceHooks,
  { chain }: ServiceParts,
): Promise<Started<MonitoringSettings>> {
  const contracts = contractsOf(chain.contracts);
  if (contracts === null)
    return refusal(
      'wrong_contracts',
      'the contracts file names no monitoring service, user deposit or service registry: nobody could pay',
    );
  const limits = await chain.reads.registryLimits();
  if (!limits.ok)
    return refusal('chain_unavailable', limits.detail ?? 'the registry does not answer');
  const { confirmations, minReward, pollIntervalMs } = config;
  const shortestTimeout = limits.value.minSettleTimeout;
  if (!isInTime(shortestTimeout, confirmations))
    return refusal(
      'invalid_settings',
      `channels may be settled ${shortestTimeout} blocks after their close: with --confirmations ${confirmations} that is seen too late`,
    );
  const registration = await planRegistration({
    client: chain.connection.client,
    registry: contracts.serviceRegistry,
    service: signer.address,
    choices: config,
  });
  if (!registration.ok) return refusal('invalid_settings', registration.message);
  const { secretRegistryAddress: secretRegistry } = chain.contracts;
  const registry = chain.contracts.tokenNetworkRegistryAddress;
  return started({
    confirmations,
    minReward,
    pollIntervalMs,
    shortestTimeout,
    chainId: chain.connection.chainId,
    contracts: { ...contracts, registry, secretRegistry },
    deployBlock: config.contracts.deployBlock,
    registration: registration.value,
  });
}

function contractsOf(given: ContractAddresses): MonitoringContracts | null {
  const {
    userDepositAddress: userDeposit,
    monitoringServiceAddress: monitoringService,
    serviceRegistryAddress: serviceRegistry,
  } = given;
  if (userDeposit === null || monitoringService === null || serviceRegistry === null) return null;
  return { userDeposit, monitoringService, serviceRegistry };
}
