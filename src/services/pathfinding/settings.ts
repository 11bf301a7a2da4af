/** What a path-finding service is made of. */

import type { ChainClient } from '../../chain/client.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Chance, Clock, Log } from '../../protocol/environment.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Signer } from '../../signer/signer.ts';
import type { ServiceDatabase } from '../base/database.ts';
import type { ServiceJob } from '../base/transactions.ts';

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
  /** What a request costs, and how that is redeemed; null: nothing. Units of the service token. */
  payment: PaymentSettings | null;
};

export type PaymentSettings = {
  price: bigint;
  userDeposit: Address;
  oneToN: Address;
  /** Sessions that owe less are not worth the gas. */
  leastClaim: bigint;
  /** To be made first; null: the service is registered. */
  registration: ServiceJob | null;
};

export type PathfindingParts = {
  database: ServiceDatabase;
  client: ChainClient;
  transport: Transport;
  signer: Signer;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  clock: Clock;
  chance: Chance;
  log: Log;
  /** Called when it cannot go on; `stop` is still due. */
  onFatal(reason: string, error: unknown): void;
};
