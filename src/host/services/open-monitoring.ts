/** Builds one monitoring service from a plain configuration. */

import { noFault } from '../../basics/fault.ts';
import type { Address } from '../../basics/hex.ts';
import { type Admitted, defended } from '../../http/checks/defended.ts';
import { type ApiServer, serve } from '../../http/server.ts';
import type { ContractAddresses } from '../../node/runtime/parts.ts';
import { createHealth } from '../../services/base/health.ts';
import { planRegistration, type RegistrationChoices } from '../../services/base/registration.ts';
import type { MonitoringContracts } from '../../services/monitoring/contracts.ts';
import { createMonitoring, type MonitoringSettings } from '../../services/monitoring/service.ts';
import { isInTime } from '../../services/monitoring/window.ts';
import { recover } from '../../signer/ecdsa.ts';
import { refusal, type StartRefusal } from '../base/refusal.ts';
import { systemClock } from '../base/system.ts';
import { createCleanup } from '../cleanup.ts';
import { listenProblem } from '../node-api.ts';
import {
  openParts,
  type ServiceConfig,
  type ServiceHooks,
  type ServiceParts,
} from './open-service.ts';

export type MonitoringConfig = ServiceConfig &
  RegistrationChoices & {
    /** The lowest reward for which a request is kept, in the service token's smallest unit. */
    minReward: bigint;
    /** Where its health and metrics are served; port 0 takes a free one. Absent or null: nowhere. */
    api?: MonitoringAddress | null;
  };
type MonitoringAddress = { host: string; port: number } & Admitted;
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
): Promise<{ ok: true; value: OpenMonitoring } | StartRefusal> {
  const held = createCleanup((error) => {
    hooks.log.error({ error: String(error) }, 'a part of the service did not end as it should');
  });
  try {
    const opened = await openParts({ name: 'monitoring', config, hooks, held });
    if (!opened.ok) return await endedWith(held, opened);
    const settings = await settingsOf(config, hooks, opened.value);
    if (!settings.ok) return await endedWith(held, settings);
    const { signer, log, fault = noFault } = hooks;
    const { database, transport, certificates, onFatal, chain } = opened.value;
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
    const { status } = service;
    const server = await listen(service, config.api ?? null);
    if (!server.ok) return await endedWith(held, server);
    if (server.value !== null) await held.add(server.value.close);
    const url = server.value?.url ?? null;
    return { ok: true, value: { address: signer.address, url, status, stop: held.end } };
  } catch (error) {
    await held.end();
    throw error;
  }
}

async function listen(
  { status, rows }: ReturnType<typeof createMonitoring>,
  api: MonitoringAddress | null,
): Promise<{ ok: true; value: ApiServer | null } | StartRefusal> {
  if (api === null) return { ok: true, value: null };
  const health = createHealth({
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
  const fetch = async (request: Request) => (await health.answer(request)) ?? missing();
  const { host, port, ...admitted } = api;
  const app = defended({ fetch }, admitted, 'probe');
  try {
    // Callers cannot change anything, so it may be served on a public address.
    return { ok: true, value: await serve({ app, host, port, allowPublic: true }) };
  } catch (error) {
    return refusal('api_address', listenProblem(error, host, port));
  }
}

async function endedWith(
  held: { end(): Promise<void> },
  refused: StartRefusal,
): Promise<StartRefusal> {
  await held.end();
  return refused;
}

async function settingsOf(
  config: MonitoringConfig,
  { signer }: ServiceHooks,
  { chain }: ServiceParts,
): Promise<{ ok: true; value: MonitoringSettings } | StartRefusal> {
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
  return {
    ok: true,
    value: {
      confirmations,
      minReward,
      pollIntervalMs,
      shortestTimeout,
      chainId: chain.connection.chainId,
      contracts: { ...contracts, registry, secretRegistry },
      deployBlock: config.contracts.deployBlock,
      registration: registration.value,
    },
  };
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
