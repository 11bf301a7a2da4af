/** How long the end of a channel holds the loop: everything that it left deleted at once, and in slices. */
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { RecordProof } from '../../machines/effects.ts';
import { toHex } from '../../src/basics/hex.ts';
import { systemClock } from '../../src/host/base/system.ts';
import { createSweeper } from '../../src/node/runtime/knowledge/sweeper.ts';
import { balanceHash } from '../../src/protocol/channel/balance-proof.ts';
import { encodeLock, locksroot, NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import { emptyBatch } from '../../src/store/base/batch.ts';
import { connect } from '../../src/store/base/connection.ts';
import { openStore, type StoreOptions } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Measured, round } from './report.ts';

const PER_COMMIT = 500;
const CHANNEL = 'channel:0x5FbDB2315678afecb367f032d93F642f64180aa3:1';
const hash = (value: number) => `0x${value.toString(16).padStart(64, '1')}` as const;
const signature = `0x${'ab'.repeat(65)}` as const;

/** The n-th step of a side, as payments make them: one adds a lock, the next removes it. */
function step(n: number, side: 'own' | 'partner'): RecordProof {
  const isAdd = n % 2 === 0;
  const lock = { amount: 10n ** 15n, expiration: 21_000_000n, secrethash: hash(n - (n % 2)) };
  const amounts = {
    transferredAmount: 10n ** 15n * BigInt(Math.ceil(n / 2)),
    lockedAmount: isAdd ? lock.amount : 0n,
    locksroot: isAdd ? locksroot([lock]) : NO_LOCKS_ROOT,
  };
  const { secrethash } = lock;
  const isPartners = side === 'partner';
  return {
    type: 'record.proof',
    channel: CHANNEL,
    side,
    nonce: BigInt(n + 1),
    ...amounts,
    balanceHash: balanceHash(amounts),
    changes: [{ kind: isAdd ? 'add' : 'pay', lock: toHex(encodeLock(lock)), secrethash }],
    additionalHash: isPartners ? hash(n) : null,
    signature: isPartners ? signature : null,
  };
}

function open(path: string): Store {
  const ADDRESS = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
  const stamp: StoreOptions['stamp'] = {
    chainId: 1n,
    tokenNetworkRegistry: ADDRESS,
    ownAddress: ADDRESS,
  };
  const opened = openStore({ url: `file:${path}`, stamp });
  if (!opened.ok) throw new Error(opened.message);
  return opened.store;
}

/** Half of the steps are of each side, as of a channel that is paid over in both directions. */
function fill(path: string, proofs: number): void {
  const store = open(path);
  for (let first = 0; first < proofs / 2; first += PER_COMMIT) {
    const numbers = Array.from({ length: PER_COMMIT }, (_, n) => first + n);
    const steps = numbers.flatMap((n) => [step(n, 'own'), step(n, 'partner')]);
    store.commit({ ...emptyBatch(), proofs: steps });
  }
  store.commit({ ...emptyBatch(), gone: [CHANNEL] });
  store.close();
}

/** Milliseconds that one statement takes for all of it. */
function atOnce(path: string): number {
  const { client, db } = connect(path);
  client.pragma('synchronous = NORMAL');
  const begin = performance.now();
  db.run(sql`DELETE FROM steps WHERE ledger = (SELECT ledger FROM departures)`);
  const spent = performance.now() - begin;
  client.close();
  return spent;
}

/** Every slice's milliseconds, and the seconds until nothing is left. */
async function inSlices(path: string): Promise<{ slices: number[]; seconds: number }> {
  const store = open(path);
  const slices: number[] = [];
  const begin = performance.now();
  await new Promise<void>((resolve) => {
    const sweeper = createSweeper({
      store: {
        sweep(rows) {
          const before = performance.now();
          const isMore = store.sweep(rows);
          slices.push(performance.now() - before);
          if (!isMore) setImmediate(resolve);
          return isMore;
        },
        checkpoint: store.checkpoint,
      },
      clock: systemClock,
      log: { info() {}, warn: (fields) => console.error(fields), error() {} },
      isMoney: () => true,
      keepMs: null,
      isClockRight: () => true,
      engine: { isBroken: () => false },
      fault() {},
    });
    sweeper.begin();
  });
  store.close();
  return { slices, seconds: (performance.now() - begin) / 1_000 };
}

/** `proofs`: how many the channel leaves. */
export async function departed(folder: string, proofs: number): Promise<Measured[]> {
  const [path, copy] = [join(folder, 'departed.db'), join(folder, 'departed-copy.db')];
  fill(path, proofs);
  copyFileSync(path, copy);
  const { size } = statSync(path);
  const once = atOnce(copy);
  const { slices, seconds } = await inSlices(path);
  const sorted = slices.toSorted((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  const name = `end of a channel with ${proofs} proofs`;
  return [
    { metric: 'a balance proof in the file', value: round(size / proofs), unit: 'bytes' },
    { metric: `${name}: at once, the loop held`, value: round(once), unit: 'ms' },
    { metric: `${name}: longest slice`, value: at(1), unit: 'ms', reference: round(once) },
    { metric: `${name}: slice, 99 of 100`, value: at(0.99), unit: 'ms' },
    { metric: `${name}: slice, median`, value: at(0.5), unit: 'ms' },
    { metric: `${name}: slices`, value: slices.length, unit: '' },
    { metric: `${name}: until it is gone`, value: round(seconds), unit: 's' },
  ];
}
