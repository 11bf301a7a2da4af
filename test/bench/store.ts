/** Rows per second of the store's commit, by group size and durability, beside the disk's own limit. */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Batch, emptyBatch } from '../../src/store/base/batch.ts';
import { encode } from '../../src/store/base/codec.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { departed } from './departed.ts';
import { type Measured, report, round } from './report.ts';

const SLICE_MS = 1_500;
const ADDRESS = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const hash = (value: number) => `0x${value.toString(16).padStart(64, '0')}` as const;
const signature = `0x${'ab'.repeat(65)}` as const;

const EMPTY = emptyBatch();

/** A channel's snapshot of about 1.5 KiB; different each time, since SQLite skips an equal write. */
function snapshot(turn: number): string {
  const side = { nonce: BigInt(turn), transferred: 10n ** 18n, locksroot: hash(turn), signature };
  const locks = [1, 2, 3].map((n) => ({ amount: 5n, expiration: 1_000n, secrethash: hash(n) }));
  const own = { ...side, locks, balanceHash: hash(turn + 1), additionalHash: hash(turn + 2) };
  return encode({ value: { open: {} }, context: { own, partner: own, token: ADDRESS } });
}

function actors(turn: number, rows: number): Batch {
  const one = (n: number) => {
    const state = snapshot(turn * rows + n);
    return { id: `channel:${ADDRESS}:${n}`, kind: 'channel', version: 1, state };
  };
  return { ...EMPTY, actors: Array.from({ length: rows }, (_, n) => one(n)) };
}

/** What payments write: per five rows an actor, a proof, an outbox row and its end, a journal row. */
function mixed(turn: number, rows: number): Batch {
  const batch = { ...actors(turn, Math.ceil(rows / 5)) };
  const numbers = batch.actors.map((_, n) => turn * rows + n);
  const key = (n: number) => `${ADDRESS}:${n}`;
  batch.outbox = numbers.map((n) => ({
    key: key(n),
    queue: `channel:${ADDRESS}:1`,
    recipient: ADDRESS,
    messageId: BigInt(n),
    givers: [],
    nonce: BigInt(n),
    body: encode({ messageId: BigInt(n), locksroot: hash(n), signature, secrethash: hash(n) }),
  }));
  batch.outboxDone = numbers.map((n) => key(n - rows));
  batch.proofs = numbers.map((n) => ({
    type: 'record.proof',
    channel: `channel:${ADDRESS}:1`,
    side: 'own',
    nonce: BigInt(n),
    transferredAmount: 10n ** 18n,
    lockedAmount: 5n,
    locksroot: hash(n),
    balanceHash: hash(n),
    changes: [],
    additionalHash: hash(n),
    signature,
  }));
  batch.journal = numbers.map((n) => ({
    kind: 'event',
    actor: `channel:${ADDRESS}:${n % 10}`,
    cause: 'outside',
    causedBy: null,
    event: encode({ type: 'msg.update', secrethash: hash(n), amount: BigInt(n) }),
    state: 'open',
    version: 1,
    block: 1_000n,
    time: turn,
  }));
  return batch;
}

/** What one side writes at the ends of payments: rows of the history and of the feed. */
function payments(turn: number, rows: number): Batch {
  const facts = {
    token: ADDRESS,
    tokenNetwork: ADDRESS,
    target: ADDRESS,
    amount: 10n ** 18n,
  } as const;
  const one = (n: number) => ({
    ...({
      ...facts,
      type: 'record.paymentSent',
      attempts: 1,
      channel: `channel:${ADDRESS}:${n % 10}`,
    } as const),
    paymentId: BigInt(n),
    secrethash: hash(n),
  });
  return { ...EMPTY, payments: Array.from({ length: rows }, (_, n) => one(turn * rows + n)) };
}

function perSecond(work: (turn: number) => void): number {
  const start = process.hrtime.bigint();
  let turns = 0;
  let spent = 0;
  while (spent < SLICE_MS) {
    work(turns++);
    spent = Number(process.hrtime.bigint() - start) / 1e6;
  }
  return (turns / spent) * 1_000;
}

function open(folder: string, name: string): Store {
  const stamp = { chainId: 1n, tokenNetworkRegistry: ADDRESS, ownAddress: ADDRESS } as const;
  const opened = openStore({ url: `file:${join(folder, `${name}.db`)}`, stamp });
  if (!opened.ok) throw new Error(opened.message);
  return opened.store;
}

function fsyncRate(folder: string): number {
  const file = openSync(join(folder, 'raw'), 'w');
  const page = Buffer.alloc(4_096);
  const rate = perSecond((turn) => {
    page.writeUInt32LE(turn);
    writeSync(file, page, 0, page.length, 0);
    fsyncSync(file);
  });
  closeSync(file);
  return round(rate);
}

/** Commits that each wait for the disk, and commits that do not. */
const WAITS = { 'waiting for the disk': true, written: false };

function commitRates(folder: string, fsyncs: number): Measured[] {
  const results: Measured[] = [];
  for (const [kind, make] of Object.entries({ actors, payments, mixed })) {
    for (const [way, isWaiting] of Object.entries(WAITS)) {
      for (const rows of kind === 'mixed' ? [100] : [1, 10, 100]) {
        const store = open(folder, `${kind}-${rows}-${isWaiting}`);
        const rate = perSecond((turn) => {
          store.commit(make(turn, rows));
          if (isWaiting) store.sync();
        });
        store.close();
        const metric = `commit of ${rows} ${kind} rows, ${way}`;
        const commits = { metric, value: round(rate), unit: 'commits/s' };
        results.push(isWaiting ? { ...commits, reference: fsyncs } : commits);
        results.push({ metric, value: round(rate * rows), unit: 'rows/s' });
      }
    }
  }
  return results;
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
try {
  const fsyncs = fsyncRate(folder);
  const raw = { metric: 'overwrite of 4 KiB and fsync', value: fsyncs, unit: 'writes/s' };
  const flag = process.argv.indexOf('--proofs');
  const proofs = flag < 0 ? 1_000_000 : Number(process.argv[flag + 1]);
  const rates = process.argv.includes('--departed') ? [] : commitRates(folder, fsyncs);
  report('store', [raw, ...rates, ...(await departed(folder, proofs))]);
} finally {
  rmSync(folder, { recursive: true });
}
