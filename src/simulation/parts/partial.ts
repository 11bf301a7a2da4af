/** What one part of a run knows in the end, and how the first part makes one result of all. */
import { type Hash, toHex } from '../../basics/hex.ts';
import { sha256 } from '../../protocol/hash.ts';
import type { PaymentRecord } from '../report/payment-records.ts';
import type { RunResult } from '../report/results/result.ts';
import type { Run } from '../run/build.ts';
import type { RawTally } from '../run/figures/tally.ts';

export type Partial = {
  index: number;
  tally: RawTally;
  /** The hash of the newest block: all copies of the chain are to be the same. */
  head: Hash;
  result: Pick<RunResult, 'trace' | 'steps' | 'verdict' | 'violation' | 'invariants'>;
  payments: readonly PaymentRecord[];
};

/** To be called before the result of this part is made, which counts for all of them then. */
export function addUp(run: Run, others: readonly Partial[]): void {
  const own = run.world.chain.head().hash;
  for (const { index, tally, head, result } of others) {
    if (head !== own && result.verdict !== 'stopped' && result.violation === null)
      throw new Error('simulation: the parts of a run have different chains');
    run.tally.add(tally, (node) => run.partOf[node] === index);
  }
  run.isCounted = () => true;
}

/** The result of the first part with what the others have found. */
export function withOthers(first: RunResult, others: readonly Partial[]): RunResult {
  if (others.length === 0) return first;
  const all = [first, ...others.map(({ result }) => result)];
  const violation = all.find((one) => one.violation !== null)?.violation ?? null;
  const isStopped = violation === null && all.some(({ verdict }) => verdict === 'stopped');
  // What was expected of the whole run the first has judged.
  const hasFailed = first.verdict === 'failed' || violation !== null;
  return {
    ...first,
    trace: toHex(sha256(Buffer.from(all.map(({ trace }) => trace).join(' ')))),
    steps: all.reduce((sum, { steps }) => sum + steps, 0),
    violation,
    verdict: isStopped ? 'stopped' : hasFailed ? 'failed' : 'passed',
    invariants: checksOf(all.flatMap(({ invariants }) => invariants)),
  };
}

/** How often each invariant was checked in all parts: one of them may have no node that is checked. */
function checksOf(some: RunResult['invariants']): RunResult['invariants'] {
  const sums = new Map<number, RunResult['invariants'][number]>();
  for (const one of some) {
    const checks = (sums.get(one.number)?.checks ?? 0) + one.checks;
    sums.set(one.number, { ...one, checks });
  }
  return [...sums.values()].sort((a, b) => a.number - b.number);
}
