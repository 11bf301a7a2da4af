/** What a node has on disk, read beside the running process: both ends of its channels, and what is left to do. */
import * as v from 'valibot';
import type { ActorRow } from '../../src/store/base/batch.ts';
import { decode } from '../../src/store/base/codec.ts';
import { connect } from '../../src/store/base/connection.ts';
import type { Store } from '../../src/store/store.ts';
import { createLive } from '../../src/store/tables/live.ts';
import { withCopy } from './database-copy.ts';

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
const count = v.object({ count: v.number() });
const cursor = v.optional(v.object({ value: v.string() }), { value: '0' });

/** `file`: the path of the database. */
export function readLedger(file: string): Ledger {
  return withCopy(file, (path) => {
    const connection = connect(path);
    const { client } = connection;
    const live = createLive(connection);
    const countOf = (table: string) =>
      v.parse(count, client.prepare(`select count(*) as count from ${table}`).get()).count;
    const ledger = {
      ...inActors(live.loadActors()),
      outbox: live.loadOutbox().length,
      jobs: countOf('jobs'),
      transactions: countOf('transactions'),
      block: BigInt(
        v.parse(cursor, client.prepare("select value from meta where key = 'cursorBlock'").get())
          .value,
      ),
    };
    client.close();
    return ledger;
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

function inActors(actors: readonly ActorRow[]) {
  return {
    channels: actors.filter(({ kind }) => kind === 'channel').map(channelIn),
    payments: actors
      .filter(({ kind }) => ['initiator', 'mediator', 'target'].includes(kind))
      .map(({ id }) => id),
  };
}

function channelIn({ id, state }: ActorRow): StoredChannel {
  return { id, ...v.parse(channelState, decode(state)) };
}
