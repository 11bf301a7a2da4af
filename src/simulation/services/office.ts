/** What every simulated service has: a key, money, a database, its own chain client, and a connection to the broker. */

import type { Clock, Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { Transport } from '../../partner/transport.ts';
import {
  openServiceDatabase,
  type ServiceDatabase,
  type ServiceName,
} from '../../services/base/database.ts';
import { planRegistration, type RegistrationPlan } from '../../services/base/registration.ts';
import type { Signer } from '../../signer/signer.ts';
import { connectEndpoint } from '../chain/client.ts';
import { createEndpoint } from '../chain/endpoint.ts';
import type { SimulatedChain } from '../chain/genesis.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { SimulatedKeys } from '../signer/fast-crypto.ts';
import type { Draw, Randomness } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Trace } from '../world/trace.ts';

/** The parts of a simulated world that services use. */
export type Surroundings = {
  chain: SimulatedChain;
  rpc: Rpc;
  scheduler: Scheduler;
  randomness: Randomness;
  trace: Trace;
  crypto: SimulatedKeys;
  confirmations: bigint;
  blockMs: number;
  /** The shortest period of timers, in milliseconds. */
  tickMs: number;
  connect(address: Address, processId: string): Transport;
};
export type Office = {
  name: string;
  signer: Signer;
  client: ChainClient;
  database: ServiceDatabase;
  draw: Draw;
  log: Log;
  join(): Transport;
  onFatal(reason: string, error: unknown): void;
};

/** Number of the first service's key, after those of nodes and purses. */
const FIRST_SERVICE = 200_000;
const MONEY = 10n ** 24n;
/** Each node's deposit for services, in the smallest unit of the service token. */
export const USER_DEPOSIT = 10n ** 21n;

export function createOffice(kind: ServiceName, index: number, around: Surroundings): Office {
  const { chain, rpc, scheduler, randomness, trace } = around;
  const name = `${kind}-${index}`;
  const signer = around.crypto.signerOf(
    FIRST_SERVICE + (kind === 'monitoring' ? 1_000 : 0) + index,
  );
  const draw = randomness.of(`${name}/chance`);
  const endpoint = createEndpoint({
    chain,
    rpc,
    scheduler,
    draw: randomness.of(`${name}/endpoint`),
  });
  const { tokenNetworkRegistryAddress: tokenNetworkRegistry } = chain.contracts;
  const chainId = BigInt(chain.chainId);
  const stamp = { chainId, tokenNetworkRegistry, ownAddress: signer.address, service: kind };
  const opened = openServiceDatabase(':memory:', stamp);
  if (!opened.ok) throw new Error(`simulation: ${opened.message}`);
  return {
    name,
    signer,
    draw,
    database: opened.database,
    client: connectEndpoint(endpoint, chain.chainId),
    log: {
      info() {},
      warn: (_, text) => trace.note(name, text),
      error: (_, text) => trace.note(name, text),
    },
    join: () => around.connect(signer.address, name),
    onFatal: (reason, error) => trace.note(name, `cannot go on: ${reason}: ${String(error)}`),
  };
}

/** Virtual time, with no timers that run more often than those of the world. */
export const clockOf = ({ scheduler, tickMs }: Surroundings): Clock => ({
  now: scheduler.now,
  elapsed: scheduler.now,
  every: (ms, work) => scheduler.every(Math.max(ms, tickMs), work),
});

/** Gives the service money for gas and for its registration, in the next block. */
export function fund({ signer }: Office, { chain }: Surroundings) {
  chain.give(signer.address, MONEY);
  chain.mint(chain.serviceToken, signer.address, MONEY);
}

/** How the service registers, once. */
export async function registrationOf(
  { client, signer }: Office,
  { chain }: Surroundings,
): Promise<RegistrationPlan> {
  const { serviceRegistryAddress: registry } = chain.contracts;
  const planned = await planRegistration({
    client,
    registry,
    service: signer.address,
    choices: { register: true, registerUntilStopped: false, acceptedPrice: MONEY },
  });
  if (!planned.ok) throw new Error(`simulation: ${planned.message}`);
  return planned.value;
}
