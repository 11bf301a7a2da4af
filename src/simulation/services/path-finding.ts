/** Path-finding services in a simulated world: the real program, called over the world's HTTP. */

import type { Address } from '../../basics/hex.ts';
import { startPathfindingService } from '../../services/pathfinding/service.ts';
import type { Lie } from '../scenario/schema/schema.ts';
import type { Gateway } from './gateway.ts';
import { lying } from './lies.ts';
import { clockOf, createOffice, fund, registrationOf, type Surroundings } from './office.ts';

type Options = {
  around: Surroundings;
  gateway: Gateway;
  count: number;
  /** The way in which the service lies; null: it is honest. */
  lies: Lie | null;
  everybody: readonly Address[];
};

/** The price of a request, in the smallest unit of the service token. */
const PRICE = 10n ** 15n;
const LEAST_CLAIM = 10n ** 16n;

export const pathFindingHost = (index: number) => `path-finding-${index}`;

export function createPathFinding({ around, gateway, count, lies, everybody }: Options) {
  const { chain, scheduler, confirmations, crypto } = around;
  const offices = Array.from({ length: count }, (_, n) => createOffice('pathfinding', n, around));
  let ready = 0;

  async function open(index: number, office: (typeof offices)[number]) {
    const { signer, client, database, draw, log, onFatal } = office;
    const { contracts, deployBlock, serviceToken } = chain;
    const registration = await registrationOf(office, around);
    const { userDepositAddress: userDeposit, oneToNAddress: oneToN } = contracts;
    const service = startPathfindingService(
      {
        version: '0.0.0',
        contractsVersion: contracts.contractsVersion,
        deployBlock,
        chainId: BigInt(chain.chainId),
        confirmations,
        userDeposit,
        serviceToken,
        tokenNetworkRegistry: contracts.tokenNetworkRegistryAddress,
        secretRegistry: contracts.secretRegistryAddress,
        pollIntervalMs: around.blockMs,
        payment: { price: PRICE, userDeposit, oneToN, leastClaim: LEAST_CLAIM, registration },
      },
      {
        database,
        client,
        signer,
        recover: crypto.recover,
        log,
        onFatal,
        transport: office.join(),
        clock: clockOf(around),
        chance: { bytes: draw.bytes },
      },
    );
    const server = async (request: Request) => service.fetch(request);
    const facts = { scheduler, draw: around.randomness.of(`${office.name}/lies`), everybody };
    gateway.serve(pathFindingHost(index), lies === null ? server : lying(lies, server, facts));
    await service.ready;
    ready += 1;
  }

  return {
    setUp() {
      for (const office of offices) fund(office, around);
    },
    start() {
      for (const [index, office] of offices.entries())
        open(index, office).catch((error: unknown) => office.onFatal('it does not start', error));
    },
    isReady: () => ready === count,
    end() {
      for (const { database } of offices) database.close();
    },
  };
}
