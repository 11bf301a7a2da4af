/** What a node has on disk, read beside the running process: both ends of its channels, and what is left to do. */
import Libsql from 'libsql';
import * as v from 'valibot';
import { decode } from '../../src/store/codec.ts';

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
const rows = v.array(v.object({ id: v.string(), kind: v.string(), state: v.string() }));
const count = v.object({ count: v.number() });
const cursor = v.optional(v.object({ value: v.string() }), { value: '0' });

/** `file`: the path of the database. */
export function readLedger(file: string): Ledger {
  const client = new Libsql(file, { readonly: true });
  try {
    const actors = v.parse(rows, client.prepare('select * from actors').all());
    const countOf = (table: string) =>
      v.parse(count, client.prepare(`select count(*) as count from ${table}`).get()).count;
    return {
      channels: actors.filter(({ kind }) => kind === 'channel').map(channelIn),
      payments: actors
        .filter(({ kind }) => ['initiator', 'mediator', 'target'].includes(kind))
        .map(({ id }) => id),
      outbox: countOf('outbox'),
      jobs: countOf('jobs'),
      transactions: countOf('transactions'),
      block: BigInt(
        v.parse(cursor, client.prepare("select value from meta where key = 'cursorBlock'").get())
          .value,
      ),
    };
  } finally {
    client.close();
  }
}

/** Whether nothing is on its way: no payment, no message, no transaction. */
export function isAtRest({ payments, outbox, jobs }: Ledger): boolean {
  return payments.length + outbox + jobs === 0;
}

function channelIn({ id, state }: v.InferOutput<typeof rows>[number]): StoredChannel {
  return { id, ...v.parse(channelState, decode(state)) };
}
