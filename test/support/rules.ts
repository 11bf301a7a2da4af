/** What the rules of a simulation are given in their tests: what an honest node writes, and a channel as the chain has it. */
import type { RecordProof } from '../../machines/effects.ts';
import { type Address, type Hash, toHex, ZERO_HASH } from '../../src/basics/hex.ts';
import { encodeLock, NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import type { LockChange } from '../../src/protocol/messages/changes.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import { type Log, type Receipt, seal } from '../../src/simulation/chain/blocks.ts';
import type { ChannelFacts } from '../../src/simulation/chain/contracts/token-network.ts';
import type { Transaction } from '../../src/simulation/chain/transaction.ts';
import type { Honest, Oracle } from '../../src/simulation/invariants/oracle.ts';
import { Violation } from '../../src/simulation/invariants/violation.ts';
import { type Batch, emptyBatch } from '../../src/store/base/batch.ts';
import { CHANNEL, EXPIRATION, hashOf, NETWORK, OWN, PARTNER, TOKEN } from './makers.ts';

export const WHO = 'node-0';
export const honest: Honest = { name: WHO, address: OWN, revealTimeout: 10n, isFit: true };

/** The invariant that this breaks; null: none. */
export function broken(work: () => void): number | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Violation) return error.invariant;
    throw error;
  }
}
export const batch = (parts: Partial<Batch>): Batch => ({ ...emptyBatch(), ...parts });
export const commit = (rule: Oracle, parts: Partial<Batch>) =>
  broken(() => rule.commit?.(WHO, batch(parts)));

/** A block in which nothing happens. */
export const blockOf = (number: bigint, parentHash: Hash = ZERO_HASH) =>
  seal({
    number,
    parentHash,
    timestamp: number,
    baseFee: 1n,
    gasLimit: 1n,
    gasUsed: 0n,
    changes: [],
    mined: [],
    fork: 0,
  });

/** A channel on chain in which both have withdrawn, and both have sent locks. */
export function at(state: ChannelFacts['state']): ChannelFacts {
  const side = { withdrawn: 10n, isCloser: false, balanceHash: ZERO_HASH, nonce: 0n };
  const rest = { ...side, locksroot: ZERO_HASH, locked: 7n };
  return {
    state,
    settle: 40n,
    sides: [
      { ...rest, address: OWN, deposit: 100n },
      { ...rest, address: PARTNER, deposit: 50n },
    ],
  };
}

type Step = Partial<RecordProof> & { amount?: bigint; secrethash?: Hash };

/** The first signed step of a side, which adds a lock. */
export function locked({ amount = 5n, secrethash = hashOf(1), ...parts }: Step = {}): RecordProof {
  const lock = toHex(encodeLock({ amount, secrethash, expiration: EXPIRATION }));
  return {
    type: 'record.proof',
    channel: CHANNEL,
    side: 'own',
    nonce: 1n,
    transferredAmount: 0n,
    lockedAmount: amount,
    locksroot: NO_LOCKS_ROOT,
    balanceHash: ZERO_HASH,
    changes: [{ kind: 'add', lock, secrethash }],
    additionalHash: null,
    signature: null,
    ...parts,
  };
}

/** An Update of the partner with these locks. */
export function updateOf(changes: readonly LockChange[]): Update {
  const place = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };
  const numbers = { nonce: 1n, transferredAmount: 0n, lockedAmount: 5n, locksroot: ZERO_HASH };
  return { type: 'Update', messageId: 1n, ...place, ...numbers, changes };
}

/** A lock of the partner for this payment. */
export function lockTo(target: Address, secrethash: Hash, paymentId = 1n): LockChange {
  const lock = { amount: 5n, expiration: EXPIRATION, secrethash };
  const facts = { paymentId, token: TOKEN, metadata: '{}', lock };
  return { type: 'lock', recipient: OWN, target, initiator: PARTNER, ...facts };
}

/** The step after this one of a side, in which what it had locked is paid. */
export const paid = (proof: RecordProof): RecordProof => ({
  ...proof,
  nonce: proof.nonce + 1n,
  changes: proof.changes.map((change) => ({ ...change, kind: 'pay' })),
});

export function transaction(more: Partial<Transaction> = {}): Transaction {
  return {
    from: OWN,
    to: NETWORK,
    data: '0x',
    value: 0n,
    hash: ZERO_HASH,
    nonce: 0,
    gas: 100_000n,
    maxFeePerGas: 1_000n,
    maxPriorityFeePerGas: 0n,
    chainId: 1,
    signature: { r: '0x', s: '0x', yParity: 0 },
    arrivedBlock: 1n,
    order: 0,
    isSetup: false,
    ...more,
  };
}

export function receipt(gas: bigint, of: Partial<Transaction>, logs: readonly Log[] = []): Receipt {
  const output = { output: '0x', reason: null, gasNeeded: gas, logs: [] } as const;
  const run = { isSuccess: true, gasUsed: gas, ...output };
  const place = { effectiveGasPrice: 1n, index: 0, cumulativeGasUsed: gas };
  return { transaction: transaction(of), run, logs, ...place };
}
