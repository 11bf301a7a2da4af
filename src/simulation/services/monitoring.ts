/**
 * Monitoring services in a simulated world: the real program. Lazy ones are only counted: nodes hope for them, but
 * they do nothing.
 */
import { createMonitoring } from '../../services/monitoring/service.ts';
import { clockOf, createOffice, fund, registrationOf, type Surroundings } from './office.ts';

type Options = {
  around: Surroundings;
  count: number;
  /** How many of them never act. */
  lazy: number;
  /** The least reward for which they act, in the smallest unit of the service token. */
  reward: bigint;
  /** The token network's least settle timeout, in blocks. */
  shortestTimeout: bigint;
};

export function createMonitors({ around, count, lazy, reward, shortestTimeout }: Options) {
  const { chain, confirmations, crypto } = around;
  const busy = Math.max(0, count - lazy);
  const offices = Array.from({ length: busy }, (_, n) => createOffice('monitoring', n, around));
  const services: ReturnType<typeof createMonitoring>[] = [];

  async function open(office: (typeof offices)[number]) {
    const { signer, client, database, log, onFatal } = office;
    const { contracts, deployBlock } = chain;
    const registration = await registrationOf(office, around);
    const service = createMonitoring(
      {
        chainId: BigInt(chain.chainId),
        deployBlock,
        confirmations,
        shortestTimeout,
        contracts: {
          userDeposit: contracts.userDepositAddress,
          monitoringService: contracts.monitoringServiceAddress,
          serviceRegistry: contracts.serviceRegistryAddress,
          registry: contracts.tokenNetworkRegistryAddress,
          secretRegistry: contracts.secretRegistryAddress,
        },
        minReward: reward,
        pollIntervalMs: around.blockMs,
        registration,
      },
      {
        client,
        account: signer,
        database,
        transport: office.join(),
        log,
        onFatal,
        recover: crypto.recover,
        clock: clockOf(around),
        fault() {},
      },
    );
    service.start();
    services.push(service);
  }

  return {
    setUp() {
      for (const office of offices) fund(office, around);
    },
    start() {
      for (const office of offices)
        open(office).catch((error: unknown) => office.onFatal('it does not start', error));
    },
    /** Whether all have caught up with the chain, and are registered. */
    isReady: () =>
      services.length === busy &&
      services.every((service) => service.status().isReady && service.status().open === 0),
    end() {
      for (const { database } of offices) database.close();
    },
  };
}
