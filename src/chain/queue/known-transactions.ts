/** The pending transactions of an account, found by their job and by the secrets that they register. */
import type { Secret } from '../../basics/hex.ts';
import type { PendingTransaction } from './pending-transaction.ts';

const isAlive = ({ mined, isTaken }: PendingTransaction) => mined === null && !isTaken;

export function createKnownTransactions(some: readonly PendingTransaction[]) {
  const all = new Set<PendingTransaction>();
  const byJob = new Map<string, PendingTransaction[]>();
  const bySecret = new Map<Secret, PendingTransaction[]>();

  function add(pending: PendingTransaction): void {
    all.add(pending);
    put(byJob, pending.row.job, pending);
    for (const secret of pending.secrets) put(bySecret, secret, pending);
  }
  for (const pending of some) add(pending);

  const ofJob = (job: string): readonly PendingTransaction[] => byJob.get(job) ?? [];

  function hasYielded({ row: { nonce, maxFeePerGas } }: PendingTransaction): boolean {
    for (const one of all)
      if (isAlive(one) && one.row.nonce === nonce && one.row.maxFeePerGas > maxFeePerGas)
        return true;
    return false;
  }

  const isWaiting = (pending: PendingTransaction) => isAlive(pending) && !hasYielded(pending);

  /** What is waited for: the one that is mined, else that which may be, else that which cannot be any more. */
  function best(some: readonly PendingTransaction[]): PendingTransaction | undefined {
    return (
      some.find(({ mined }) => mined?.isSuccess === true) ??
      some.findLast(isWaiting) ??
      some.findLast((pending) => !isAlive(pending))
    );
  }

  return {
    /** In the order in which they were added. */
    all: (): PendingTransaction[] => [...all],
    /**
     * Its nonce was given to another, which offers more, so it is not sent any more, and nobody waits for it: what does is sent
     * with another nonce. It may be mined all the same: which of the two is known when the nonce is used.
     */
    hasYielded,
    /** Whether it is sent until it is mined. */
    isWaiting,
    /** Whether one with this nonce is mined. */
    isMined: (nonce: number): boolean =>
      [...all].some(({ row, mined }) => row.nonce === nonce && mined !== null),
    add,
    remove(pending: PendingTransaction): void {
      all.delete(pending);
      take(byJob, pending.row.job, pending);
      for (const secret of pending.secrets) take(bySecret, secret, pending);
    },
    ofJob,
    of: (job: string, step: number) => best(ofJob(job).filter(({ row }) => row.step === step)),
    /** The transaction that registers the secret. */
    registering: (secret: Secret) => best(bySecret.get(secret) ?? []),
  };
}

function put<K>(groups: Map<K, PendingTransaction[]>, key: K, pending: PendingTransaction): void {
  const known = groups.get(key);
  if (known === undefined) groups.set(key, [pending]);
  else known.push(pending);
}

function take<K>(groups: Map<K, PendingTransaction[]>, key: K, pending: PendingTransaction): void {
  const left = groups.get(key)?.filter((one) => one !== pending) ?? [];
  if (left.length === 0) groups.delete(key);
  else groups.set(key, left);
}
