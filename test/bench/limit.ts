/** What the machine can do at most: signatures and forced writes, measured in the same run. */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { personalHash } from '../../src/protocol/hash.ts';
import { recover, sign } from '../../src/signer/ecdsa.ts';

/** Signatures made, and checked, for one direct payment alone: of its lock and its unlock. Payments at a time share them. */
export const SIGNATURES = 2;
/** The same when each of the seven messages is signed, as between nodes that do not seal what they send. */
export const OF_ALL_MESSAGES = 7;
const SLICE_MICROSECONDS = 300_000;

/** Microseconds of CPU time for one run of `work`. */
function cpuMicroseconds(work: (turn: number) => void): number {
  const before = process.cpuUsage();
  for (let turn = 0; ; turn++) {
    work(turn);
    const { user, system } = process.cpuUsage(before);
    if (user + system >= SLICE_MICROSECONDS) return (user + system) / (turn + 1);
  }
}

/** Forced writes of 4 KiB per second to a file in the folder of temporary files. */
function forcedWrites(): number {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const file = openSync(join(folder, 'page'), 'w');
  const page = new Uint8Array(4096);
  const begin = performance.now();
  let writes = 0;
  while (performance.now() - begin < 500) {
    page.fill(writes);
    writeSync(file, page, 0, page.length, 0);
    fsyncSync(file);
    writes++;
  }
  const rate = (writes * 1000) / (performance.now() - begin);
  closeSync(file);
  rmSync(folder, { recursive: true });
  return rate;
}

export type Limit = {
  sign: number;
  recover: number;
  fsync: number;
  payments: number;
  allSigned: number;
};

/** What `work` answers, and the limit meanwhile, taken before and after it: a shared machine is not as fast each minute. */
export async function besideLimit<T>(work: () => Promise<T>): Promise<{ run: T; limit: Limit }> {
  const before = machineLimit();
  const run = await work();
  const after = machineLimit();
  const mean = (of: keyof Limit) => (before[of] + after[of]) / 2;
  const rates = { sign: mean('sign'), recover: mean('recover'), fsync: mean('fsync') };
  return { run, limit: { ...rates, payments: mean('payments'), allSigned: mean('allSigned') } };
}

/**
 * Rates per second. `payments` is what all cores could sign and check if nothing else had to be done; `allSigned` the
 * same if every message carried a signature.
 */
function machineLimit(): Limit {
  const key = new Uint8Array(32).fill(3);
  const digests = Array.from({ length: 64 }, (_, n) => personalHash(new Uint8Array(200).fill(n)));
  const pairs = digests.map((digest) => ({ digest, signature: sign(digest, key) }));
  const pair = (turn: number) => {
    const found = pairs[turn % pairs.length];
    if (found === undefined) throw new Error('there are pairs');
    return found;
  };
  const signing = cpuMicroseconds((turn) => sign(pair(turn).digest, key));
  const recovering = cpuMicroseconds((turn) => {
    const { digest, signature } = pair(turn);
    recover(digest, signature);
  });
  const payments = (signatures: number) =>
    (availableParallelism() * 1e6) / (signatures * (signing + recovering));
  return {
    sign: 1e6 / signing,
    recover: 1e6 / recovering,
    fsync: forcedWrites(),
    payments: payments(SIGNATURES),
    allSigned: payments(OF_ALL_MESSAGES),
  };
}
