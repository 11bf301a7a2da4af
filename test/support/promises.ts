/** A transaction queue on the simulated chain, and jobs that were promised or not. */
import { afterEach, beforeEach, expect } from 'vitest';
import { registerSecretCalls } from '../../src/chain/queue/calls.ts';
import type { Job, JobOutcome } from '../../src/chain/queue/jobs.ts';
import { createTransactions, type TransactionOptions } from '../../src/chain/queue/transactions.ts';
import type { Transaction } from '../../src/simulation/chain/transaction.ts';
import { anvilCall, memoryStorage } from './chain.ts';
import { secretOf } from './makers.ts';
import { startVirtualNetwork, type VirtualNetwork } from './network.ts';

export const TIP = 10n ** 7n;
/** The gas that one takes. */
export const REGISTRATION = 60_000n;
/** In virtual milliseconds: long enough for the queue to send what it wants to. */
const BETWEEN_BLOCKS = 150;

/** A process of bob with this storage, and what became of its jobs. */
export function beginQueue(
  network: VirtualNetwork,
  {
    client = network.chain.client,
    storage = memoryStorage(),
    confirmations = 5n,
  }: Partial<TransactionOptions> = {},
) {
  const outcomes = new Map<string, JobOutcome>();
  const failures: unknown[] = [];
  /** The jobs that something kept from going on. */
  const troubles = new Set<string | null>();
  const queue = createTransactions({
    client,
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

/** The same as what protects a channel: such jobs do not wait for a place among registrations. */
export const asUpdate = (job: Job): Job => ({
  ...job,
  calls: job.calls.map((call) => ({ ...call, kind: 'updateProof' })),
});

/** Each test of a file has a network of its own, on a chain that makes blocks only when it is told to. */
export function useStillChain() {
  let network: VirtualNetwork;
  const sent: Transaction[] = [];
  beforeEach(async () => {
    network = startVirtualNetwork({});
    sent.length = 0;
    network.simulated.onSubmit((transaction) => void sent.push(transaction));
    await anvilCall(network.chain, 'evm_setAutomine', false);
  });
  afterEach(() => network.stop());

  return {
    network: () => network,
    /** What was sent to the chain. */
    sent,
    head: () => network.simulated.head(),
    setBalance: (wei: bigint) =>
      anvilCall(
        network.chain,
        'anvil_setBalance',
        network.addressOf('bob'),
        `0x${wei.toString(16)}`,
      ),
    /** The pool lets go of all that waits in it. */
    emptyPool() {
      const { pool } = network.simulated;
      for (const one of pool.waiting()) pool.drop(one);
    },
    /** One block after the other. What the queue does about each may be nothing, so virtual time passes after it. */
    async mine(blocks: number, pauseMs = BETWEEN_BLOCKS): Promise<void> {
      for (let n = 0; n < blocks; n++) {
        await anvilCall(network.chain, 'anvil_mine', '0x1');
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
  };
}

/** As `useStillChain`, and each test has a queue of bob that runs and has to end without a failure. */
export function useQueue() {
  const chain = useStillChain();
  const { network, head } = chain;
  let storage: TransactionOptions['storage'];
  let queue: ReturnType<typeof beginQueue>;
  beforeEach(() => {
    network().simulated.setWeather({ usualTip: TIP });
    storage = memoryStorage();
    queue = beginQueue(network(), { storage });
    queue.start();
  });
  afterEach(async () => {
    expect(queue.failures).toEqual([]);
    await queue.stop();
  });
  /** Others take this part of each block, and pay for it whatever it costs if it is all. */
  const fill = (gas: bigint, tip = 0n) => network().simulated.setWeather({ others: { gas, tip } });

  return {
    ...chain,
    /** What a unit of gas costs. */
    price: () => head().baseFee + TIP,
    /** Others pay for full blocks: gas gets dearer by an eighth with each. */
    rise: () => fill(head().gasLimit, 10n ** 12n),
    /** Blocks are half full: the price stays. */
    stay: () => fill(head().gasLimit / 2n),
    /** Blocks are empty but for what the queue sends. */
    fall: () => fill(0n),
    /** A registration that is due in so many blocks. */
    submit(key: string, number: number, blocks: bigint, more: Partial<Job> = {}): void {
      const deadlineBlock = head().number + blocks;
      const job = { deadlineBlock, mayShare: true, ...more };
      queue.submit(registration(network(), key, number, job));
    },
    isMined: (key: string) => queue.outcomes.get(key)?.ok === true,
    /** The block in which a job was mined; null: none, as far as is known. */
    minedBlock(key: string): bigint | null {
      const outcome = queue.outcomes.get(key);
      return outcome?.ok === true ? outcome.minedBlock : null;
    },
    reserved: () => queue.reserved(),
    give: (job: Job) => queue.submit(job),
    /** As that of the chain; a job that came to nothing is forgotten as soon as its end is on disk. */
    async mine(blocks: number): Promise<void> {
      for (let n = 0; n < blocks; n++) {
        await chain.mine(1);
        for (const [key, { ok }] of queue.outcomes) if (!ok) queue.forget(key);
      }
    },
    /** The process ends. */
    stop: () => queue.stop(),
    /** Another process takes over, which has read what became of jobs; it does nothing before `start`. */
    async replace(): Promise<void> {
      await queue.stop();
      const { outcomes } = queue;
      queue = beginQueue(network(), { storage });
      for (const [key, outcome] of outcomes) queue.outcomes.set(key, outcome);
    },
    start: () => queue.start(),
  };
}
