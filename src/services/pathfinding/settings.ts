/** The settings and parts that a path-finding service is built from. */

import type { Chance, Clock, Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Signer } from '../../signer/signer.ts';
import type { ServiceDatabase } from '../base/database.ts';
import type { CertificateWatch } from '../base/links.ts';
import type { RegistrationPlan } from '../base/registration.ts';

export type PathfindingSettings = {
  version: string;
  contractsVersion: string;
  chainId: bigint;
  tokenNetworkRegistry: Address;
  secretRegistry: Address;
  userDeposit: Address | null;
  serviceToken: Address | null;
  deployBlock: bigint;
  confirmations: bigint;
  pollIntervalMs: number;
  /** What a request costs, and how IOUs are redeemed; null: requests are free. In the service token's smallest unit. */
  payment: PaymentSettings | null;
};

export type PaymentSettings = {
  price: bigint;
  userDeposit: Address;
  oneToN: Address;
  /** Sessions that owe less are not worth the gas. */
  leastClaim: bigint;
  registration: RegistrationPlan;
};

export type PathfindingParts = {
  database: ServiceDatabase;
  client: ChainClient;
  transport: Transport;
  /** Of the files with which the broker is reached; absent: there are none. */
  certificates?: CertificateWatch;
  signer: Signer;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  clock: Clock;
  chance: Chance;
  log: Log;
  /** Called when the service cannot go on; `stop` still has to be called. */
  onFatal(reason: string, error: unknown): void;
};
