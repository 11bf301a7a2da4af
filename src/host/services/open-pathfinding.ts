/** Builds a path-finding service from a plain configuration. */

import type { Address } from '../../basics/hex.ts';
import { userDepositAbi } from '../../chain/abi.ts';
import { classify } from '../../chain/errors.ts';
import { planRegistration, type RegistrationChoices } from '../../services/base/registration.ts';
import { startPathfindingService } from '../../services/pathfinding/service.ts';
import type { PathfindingSettings, PaymentSettings } from '../../services/pathfinding/settings.ts';
import { recover } from '../../signer/ecdsa.ts';
import { refusal, type Started, started } from '../base/refusal.ts';
import { createSystemChance, systemClock } from '../base/system.ts';
import type { CheckedChain } from '../check-chain.ts';
import type { Cleanup } from '../cleanup.ts';
import {
  openService,
  type ServiceAddress,
  type ServiceConfig,
  type ServiceHooks,
  type ServiceParts,
  serveService,
} from './open-service.ts';

/** Without a price it is not registered. */
export type PathfindingConfig = ServiceConfig &
  RegistrationChoices & {
    api: ServiceAddress;
    /** The price of a request, in the service token's smallest unit; 0: requests are free. */
    price: bigint;
    /** IOU sessions that owe less than this are not redeemed. */
    leastClaim: bigint;
  };
export type OpenPathfinding = {
  address: Address;
  /** Without a path, e.g. `http://127.0.0.1:6001`. */
  url: string;
  /** May be called again. */
  stop(): Promise<void>;
};

/** Resolves when the service has caught up with the chain and takes calls. A refusal leaves nothing open. */
export async function openPathfinding(
  config: PathfindingConfig,
  hooks: ServiceHooks,
): Promise<Started<OpenPathfinding>> {
  return openService('pathfinding', config, hooks, (parts, held) =>
    open(parts, config, hooks, held),
  );
}

async function open(
  { chain, database, transport, certificates, onFatal }: ServiceParts,
  config: PathfindingConfig,
  { signer, log }: ServiceHooks,
  held: Cleanup,
): Promise<Started<OpenPathfinding>> {
  const settings = await askedOf(config, chain, signer.address);
  if (!settings.ok) return settings;
  const { client } = chain.connection;
  let giveUp = (_reason: string) => {};
  const failed = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  const service = startPathfindingService(settings.value, {
    database,
    client,
    transport,
    certificates,
    signer,
    recover,
    log,
    clock: systemClock,
    chance: createSystemChance(),
    onFatal(reason, error) {
      giveUp(reason);
      onFatal(reason, error);
    },
  });
  await held.add(service.stop);
  // The service may fail before it is ready: then `ready` would never resolve.
  const fault = await Promise.race([failed, service.ready.then(() => null)]);
  if (fault !== null) return refusal('chain_unavailable', fault);
  // Nodes of other machines call it under an address of this one.
  const server = await serveService(service, config.api);
  if (!server.ok) return server;
  await held.add(server.value.close);
  const { url } = server.value;
  return started({ address: signer.address, url, stop: held.end });
}

/** The service's settings, including what is read from the contracts. */
async function askedOf(
  config: PathfindingConfig,
  chain: CheckedChain,
  own: Address,
): Promise<Started<PathfindingSettings>> {
  try {
    const payment = await paymentOf(config, chain, own);
    if (!payment.ok) return payment;
    return started(await settingsOf(config, chain, payment.value));
  } catch (error) {
    const what = `the contracts for services do not answer (${classify(error)})`;
    return refusal('wrong_contracts', `${what}: check --contracts and --eth-rpc-endpoint`);
  }
}

async function settingsOf(
  { version, contracts: { deployBlock }, confirmations, pollIntervalMs }: PathfindingConfig,
  { connection, contracts }: CheckedChain,
  payment: PaymentSettings | null,
): Promise<PathfindingSettings> {
  const { userDepositAddress: userDeposit } = contracts;
  const tokenOf = (address: Address) =>
    connection.client.readContract({ address, abi: userDepositAbi, functionName: 'token' });
  return {
    version,
    deployBlock,
    confirmations,
    pollIntervalMs,
    payment,
    userDeposit,
    contractsVersion: contracts.contractsVersion,
    chainId: connection.chainId,
    tokenNetworkRegistry: contracts.tokenNetworkRegistryAddress,
    secretRegistry: contracts.secretRegistryAddress,
    serviceToken: userDeposit === null ? null : await tokenOf(userDeposit),
  };
}

/** Null: the service is free. */
async function paymentOf(
  { price, leastClaim, ...choices }: PathfindingConfig,
  { connection: { client }, contracts }: CheckedChain,
  service: Address,
): Promise<Started<PaymentSettings | null>> {
  if (price === 0n) return started(null);
  const { oneToNAddress: oneToN, userDepositAddress: userDeposit } = contracts;
  const { serviceRegistryAddress: registry } = contracts;
  if (oneToN === null || userDeposit === null || registry === null)
    return refusal(
      'invalid_settings',
      '--price needs one_to_n_address, user_deposit_address and service_registry_address in --contracts',
    );
  // IOUs for a service that is not registered could never be redeemed.
  const planned = await planRegistration({ client, registry, service, choices });
  if (!planned.ok) return refusal('invalid_settings', planned.message);
  const { value: registration } = planned;
  return started({ price, leastClaim, oneToN, userDeposit, registration });
}
