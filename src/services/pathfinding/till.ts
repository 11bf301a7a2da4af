/** What only a paid service needs: its registration, its IOUs and their redemption. */

import type { Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { Signer } from '../../signer/signer.ts';
import type { ServiceDatabase } from '../base/database.ts';
import { createServiceTransactions } from '../base/transactions.ts';
import { createCashier } from './cashier.ts';
import { createClaims } from './claims.ts';
import { prepareIouRows } from './iou-rows.ts';
import type { PaymentSettings } from './settings.ts';

export type TillParts = {
  database: ServiceDatabase;
  client: ChainClient;
  signer: Signer;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  clock: { now(): number };
  log: Log;
  chainId: bigint;
  confirmations: bigint;
  pollIntervalMs: number;
  /** Runs `work` as one durable transaction, at once. */
  write: (work: () => void) => void;
  head: () => { nowBlock: bigint; confirmedBlock: bigint };
  onFatal(reason: string, error: unknown): void;
};

/** Confirmed blocks between two looks at the sessions. */
const LOOK_EVERY = 10n;

export function createTill(payment: PaymentSettings, parts: TillParts) {
  const { database, client, signer, recover, write, head, log, onFatal } = parts;
  const { price, oneToN, userDeposit, leastClaim, registration } = payment;
  const { connection } = database;
  const rows = prepareIouRows(connection);
  const receiver = signer.address;
  let noteRegistered = () => {};
  const registered = new Promise<void>((resolve) => {
    noteRegistered = resolve;
  });
  if (registration === null) noteRegistered();
  /** The confirmed block at which the sessions are looked at again. */
  let lookBlock = 0n;
  let isLooking = false;

  const transactions = createServiceTransactions({
    connection,
    write,
    client,
    account: signer,
    confirmations: parts.confirmations,
    pollIntervalMs: parts.pollIntervalMs,
    onEnd(key, outcome) {
      if (!outcome.ok) log.warn({ key, detail: outcome.detail }, 'a transaction did not succeed');
      lookBlock = 0n;
      if (key !== registration?.key) return;
      if (outcome.ok) noteRegistered();
      else onFatal(`the service could not be registered: ${outcome.detail}`, null);
    },
    onFailure: (error) => onFatal('the transaction queue stands still', error),
    log,
    now: parts.clock.now,
  });
  const claims = createClaims({
    client,
    rows,
    write,
    transactions,
    receiver,
    oneToN,
    userDeposit,
    leastClaim,
  });

  async function look(nowBlock: bigint): Promise<void> {
    if (isLooking || nowBlock < lookBlock) return;
    isLooking = true;
    lookBlock = nowBlock + LOOK_EVERY;
    try {
      await claims.look(nowBlock);
    } catch (error) {
      lookBlock = 0n;
      log.warn({ error: String(error) }, 'the IOUs could not be looked at: trying again');
    }
    isLooking = false;
  }

  return {
    cashier: createCashier({
      client,
      rows,
      write,
      recover,
      userDeposit,
      head,
      now: parts.clock.now,
      terms: { receiver, chainId: parts.chainId, oneToN, price },
    }),
    registered,
    start(): void {
      if (registration !== null) write(() => transactions.add(registration));
      transactions.start();
    },
    /** Called when another block is confirmed and its logs are on disk. */
    confirmed(block: bigint): void {
      transactions.confirmed(block);
      void look(block);
    },
    stop: () => transactions.stop(),
  };
}
