/** What a node has on disk, read beside the running process: both ends of its channels, and what is left to do. */
import * as v from 'valibot';
import { decode } from '../../src/store/base/codec.ts';
import type { Store } from '../../src/store/store.ts';
import { readingCopy } from './database-copy.ts';

export type StoredChannel = v.InferOutput<typeof channelState> & { id: string };
export type Ledger = {
  channels: StoredChannel[];
  /** Payments that have not ended, by the ids of their actors. */
  payments: string[];
  /** Partner messages that are not acknowledged, transaction jobs whose end is not confirmed. */
  outbox: number;
  jobs: number;
  /** Signed transactions of open jobs. */
  transactions: number;
  /** The newest block that is applied. */
  block: bigint;
};

const uint = v.bigint();
const end = v.object({
  deposit: uint,
  withdrawn: uint,
  withdraws: v.array(v.object({ totalWithdraw: uint, expiration: uint })),
  transferred: uint,
  locked: uint,
  locks: v.array(v.object({ amount: uint, expiration: uint, secrethash: v.string() })),
  nonce: uint,
});
const channelState = v.object({
  value: v.unknown(),
  context: v.object({ ownEnd: end, partnerEnd: end }),
});
const row = v.object({ id: v.string(), kind: v.string(), state: v.string() });
const rows = v.array(row);
type Row = v.InferOutput<typeof row>;
const count = v.object({ count: v.number() });
const cursor = v.optional(v.object({ value: v.string() }), { value: '0' });

/** `file`: the path of the database. */
export function readLedger(file: string): Ledger {
  return readingCopy(file, (client) => {
    const actors = v.parse(rows, client.prepare('select * from actors').all());
    const countOf = (table: string) =>
      v.parse(count, client.prepare(`select count(*) as count from ${table}`).get()).count;
    return {
      ...inActors(actors),
      outbox: countOf('outbox'),
      jobs: countOf('jobs'),
      transactions: countOf('transactions'),
      block: BigInt(
        v.parse(cursor, client.prepare("select value from meta where key = 'cursorBlock'").get())
          .value,
      ),
    };
  });
}

/** The same of a store that is open in this process. */
export function ledgerOf(store: Store): Ledger {
  return {
    ...inActors(store.loadActors()),
    outbox: store.loadOutbox().length,
    jobs: store.loadJobs().length,
    transactions: store.transactions.all().length,
    block: store.cursor()?.block ?? 0n,
  };
}

/** Whether nothing is on its way: no payment, no message, no transaction. */
export function isAtRest({ payments, outbox, jobs }: Ledger): boolean {
  return payments.length + outbox + jobs === 0;
}

function inActors(actors: readonly Row[]) {
  return {
    channels: actors.filter(({ kind }) => kind === 'channel').map(channelIn),
    payments: actors
      .filter(({ kind }) => ['initiator', 'mediator', 'target'].includes(kind))
      .map(({ id }) => id),
  };
}

function channelIn({ id, state }: Row): StoredChannel {
  return { id, ...v.parse(channelState, decode(state)) };
}
