/** A transaction queue on the simulated chain, and jobs that were promised or not. */
import { registerSecretCalls } from '../../src/chain/queue/calls.ts';
import type { Job, Outcome } from '../../src/chain/queue/jobs.ts';
import { createTransactions, type TransactionOptions } from '../../src/chain/queue/transactions.ts';
import { memoryStorage } from './chain.ts';
import { secretOf } from './makers.ts';
import type { VirtualNetwork } from './network.ts';

/** A process of bob with this storage, and what became of its jobs. */
export function beginQueue(
  network: VirtualNetwork,
  { storage = memoryStorage(), confirmations = 5n }: Partial<TransactionOptions> = {},
) {
  const outcomes = new Map<string, Outcome>();
  const failures: unknown[] = [];
  /** The jobs that something kept from going on. */
  const troubles = new Set<string | null>();
  const queue = createTransactions({
    client: network.chain.client,
    account: network.signerOf('bob'),
    storage,
    confirmations,
    onEnded: (key, outcome) => void outcomes.set(key, outcome),
    onFailure: (error) => void failures.push(error),
    onTrouble: ({ job }) => void troubles.add(job),
    pollIntervalMs: 20,
  });
  return { ...queue, outcomes, failures, troubles };
}

/** Registers the secret of this number; it was promised, unless `more` says otherwise. */
export const registration = (
  { contracts }: VirtualNetwork,
  key: string,
  number: number,
  more: Partial<Job> = {},
): Job => ({
  key,
  calls: registerSecretCalls(
    { type: 'tx.registerSecret', from: key, key, deadlineBlock: null, secret: secretOf(number) },
    { secretRegistry: contracts.secretRegistryAddress },
  ),
  deadlineBlock: null,
  isPatient: true,
  leaves: () => 0n,
  isPromised: () => true,
  ...more,
});
