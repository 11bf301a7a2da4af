/** What only a paid service needs: its registration, its IOUs and their redemption. */

import type { Clock, Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import { milestone } from '../../basics/milestone.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { Signer } from '../../signer/signer.ts';
import type { ServiceDatabase } from '../base/database.ts';
import { createGasCheck } from '../base/gas.ts';
import { isRegistrationKey } from '../base/registration.ts';
import { createStanding } from '../base/standing.ts';
import { createServiceTransactions } from '../base/transactions.ts';
import { createCashier } from './cashier.ts';
import { createIouClaims } from './claims.ts';
import type { ChainHead } from './deposits.ts';
import { prepareIouRows } from './iou-rows.ts';
import type { PaymentSettings } from './settings.ts';

export type TillParts = {
  database: ServiceDatabase;
  client: ChainClient;
  signer: Signer;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  clock: Clock;
  log: Log;
  chainId: bigint;
  confirmations: bigint;
  pollIntervalMs: number;
  /** Runs `work` as one durable transaction, at once. */
  write: (work: () => void) => void;
  head: () => ChainHead;
  /** Whether the service has caught up with the chain. */
  isReady: () => boolean;
  onFatal(reason: string, error: unknown): void;
};

/** Confirmed blocks between two looks at the sessions. */
const LOOK_EVERY = 10n;

export function createTill(payment: PaymentSettings, parts: TillParts) {
  const { database, client, signer, recover, write, head, clock, log, onFatal } = parts;
  const { price, oneToN, userDeposit, leastClaim, registration: plan } = payment;
  const { connection } = database;
  const rows = prepareIouRows(connection);
  const receiver = signer.address;
  const registered = milestone();
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
      standing.ended(key, outcome);
      if (!outcome.ok && isRegistrationKey(key) && !registered.isReached())
        onFatal(`the service could not be registered: ${outcome.detail}`, null);
    },
    onEnded: () => standing.look(),
    onFailure: (error) => onFatal('the transaction queue stands still', error),
    log,
    now: clock.now,
  });
  const standing = createStanding({
    ...{ client, plan, transactions, write, clock, log },
    service: receiver,
    confirmedBlock: () => (parts.isReady() ? head().confirmedBlock : null),
    keeps: 'IOUs can be redeemed.',
    onLook(takesOn) {
      if (takesOn || plan.job === null) registered.reach();
    },
  });
  const gas = createGasCheck({
    client,
    account: receiver,
    work: () => claims.owed(),
    calls: ['claimIou'],
    isRenewed: plan.renewUpTo !== null,
    keeps: 'IOUs can be redeemed.',
    clock,
  });
  const claims = createIouClaims({
    client,
    rows,
    write,
    transactions,
    receiver,
    oneToN,
    userDeposit,
    leastClaim,
    // Not known: then the contract decides.
    isRegistered: () => standing.isRegistered() ?? true,
    isEnding: standing.isEnding,
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
      now: clock.now,
      takesOn: standing.takesOn,
      terms: { receiver, chainId: parts.chainId, oneToN, price },
    }),
    checks: { ...standing.checks, gas: gas.check },
    /** Resolves when it is known that the service is registered. */
    registered: registered.promise,
    start(): void {
      transactions.start();
      standing.start();
    },
    /** To be called often: looks at what the service needs. */
    lookAtNeeds(): void {
      standing.look();
      gas.look();
    },
    /** Called when another block is confirmed and its logs are on disk. */
    confirmed(block: bigint): void {
      transactions.confirmed(block);
      void look(block);
    },
    async stop(): Promise<void> {
      await Promise.all([standing.stop(), gas.stop()]);
      await transactions.stop();
    },
  };
}
