/**
 * The tabs on disk, and in the replica if they have one. Changes of one round of the event loop share a commit, and whoever
 * waits for one hears of it when both have it. The file belongs to one process: two of them would take one counter twice.
 */
import { eq, isNull, lt, sql } from 'drizzle-orm';
import type { Address, Hash } from '../basics/hex.ts';
import { openServiceDatabase, type ServiceDatabase } from '../services/base/database.ts';
import { bound, boundQuestion, boundUpsert } from '../store/base/bound.ts';
import { unhex } from '../store/base/columns.ts';
import { withoutWaiting } from '../store/base/connection.ts';
import { createDurability } from '../store/durability/durability.ts';
import type { Replica } from '../store/durability/replication.ts';
import { tabs } from './schema.ts';
import type { Tab } from './tab.ts';

export type Book = ReturnType<typeof createBook>;
export type OpenedBook = { ok: true; book: Book } | { ok: false; message: string };

/** A copy of the tabs elsewhere, with which another process can go on. */
export type BookReplica = {
  replica: Replica;
  /** Whether it cannot be reached: what is begun now would wait until it can. */
  isAway(): boolean;
  /** Aborted when another process has taken the tabs: here nothing is written, and nobody is told anything any more. */
  taken: AbortSignal;
};
type Seller = { chainId: bigint; payTo: Address };

/** How long the id of a tab is kept that is over: for longer than anybody redeems the payment that opened it. */
const KEPT_MS = 10 * 86_400_000;
/** In how many milliseconds that is written for which nobody waits. */
const SOON_MS = 20;

/** To whom the database of this seller's tabs belongs. */
export const tabsStamp = ({ chainId, payTo }: Seller) =>
  ({ chainId, ownAddress: payTo, service: 'tabs' }) as const;

/** `file`: a path. `payTo`: the seller. The message of a refusal is for the operator. */
export function openBook(
  file: string,
  seller: Seller,
  replica: BookReplica | null = null,
): OpenedBook {
  const url = `file:${file}`;
  const opened = openServiceDatabase(url, tabsStamp(seller), replica?.replica);
  if (!opened.ok) return opened;
  const { meta, close } = opened.database;
  if (replica === null && (meta.get('replica') ?? '') !== '') {
    close();
    const message = `the tabs in ${file} are replicated, and another process may have gone on with them: they are opened by "sluice paywall --replicate"`;
    return { ok: false, message };
  }
  return { ok: true, book: createBook(opened.database, replica) };
}

type Waiting = { done(): void; fail(error: unknown): void };

function createBook(
  { connection, path, meta, write, close }: ServiceDatabase,
  copy: BookReplica | null,
) {
  withoutWaiting(connection);
  // What has to come back from a replica is later than the disk: nobody stands still for that.
  const durability = createDurability(`${path}-wal`, undefined, () => copy === null);
  const { put, isKnown, forget, load } = prepareTabs(connection);
  let changed = new Map<Hash, Tab>();
  let waiting: Waiting[] = [];
  /** Who waits for commits that are written and not yet on the disk, or in the replica. */
  const underWay = new Set<Waiting[]>();
  let isScheduled = false;
  let soon: NodeJS.Timeout | null = null;
  let failure: { error: unknown } | null = null;

  function fail(error: unknown): void {
    failure ??= { error };
    const all = [...underWay, waiting.splice(0)].flat();
    underWay.clear();
    for (const one of all) one.fail(error);
  }

  function tell(told: Waiting[]): void {
    if (!underWay.delete(told)) return;
    for (const one of told) one.done();
    if (waiting.length > 0) schedule();
  }

  /** A replica takes one commit after the other: what comes meanwhile shares the next one. */
  function schedule(): void {
    if (isScheduled || (copy !== null && underWay.size > 0)) return;
    isScheduled = true;
    setImmediate(commit);
  }

  function commit(): void {
    isScheduled = false;
    if (soon !== null) clearTimeout(soon);
    soon = null;
    // The other of the two that begin it has done that.
    if (changed.size === 0 && waiting.length === 0) return;
    const rows = [...changed.values()];
    const told = waiting;
    changed = new Map();
    waiting = [];
    underWay.add(told);
    try {
      if (failure !== null) throw failure.error;
      if (rows.length > 0) {
        write(() => rows.forEach(put));
        durability.noteWritten();
      }
      const done = () => tell(told);
      durability.whenDurable(
        () => (copy === null ? done() : copy.replica.whenAcknowledged(done)),
        fail,
      );
    } catch (error) {
      // What is in memory is no longer what is on disk: nothing is taken any more.
      fail(error);
    }
  }

  copy?.taken.addEventListener('abort', () => fail(copy.taken.reason));

  return {
    /** Of this file: what it says to the node is not said for another one. */
    instance: meta.get('instance') ?? '',
    /** The tabs whose buyers have not had their rest. */
    load,
    /** Whether there is or was a tab of this payment. */
    isKnown: (id: Hash): boolean => changed.has(id) || isKnown({ id }),
    /** Goes into the next commit, soon or with the next that somebody waits for. */
    note(tab: Tab): void {
      changed.set(tab.id, tab);
      // Without a further call it would be written never, and lost with the process.
      if (failure === null) soon ??= setTimeout(commit, SOON_MS).unref();
    },
    /**
     * Resolves when all that was noted is on the disk, and in the replica. Rejects when the disk fails, or the replica is
     * another process's: then nothing more is written.
     */
    written: (): Promise<void> =>
      new Promise((done, fail) => {
        waiting.push({ done, fail });
        schedule();
      }),
    /** Whether nothing can be begun now: what is written could not be relied on. */
    isBroken: (): boolean => failure !== null || copy?.isAway() === true,
    /** Deletes what nobody can come with any more. `now`: milliseconds since 1970. */
    forget: (now: number): void => write(() => void forget({ before: now - KEPT_MS })),
    close(): void {
      if (soon !== null) clearTimeout(soon);
      if (changed.size > 0 && failure === null) write(() => [...changed.values()].forEach(put));
      durability.close();
      close();
    },
  };
}

function prepareTabs(connection: ServiceDatabase['connection']) {
  const { db } = connection;
  const upsert = boundUpsert(
    connection,
    tabs,
    ['id'],
    [
      ...(['key', 'payer', 'token', 'received', 'lumps', 'charged', 'begin', 'used'] as const),
      ...(['usedAt', 'rest', 'attempt', 'since', 'overAt'] as const),
    ],
  );
  const found = db
    .select({ id: tabs.id })
    .from(tabs)
    .where(eq(tabs.id, unhex('id', tabs.id)));
  return {
    put({ window: { begin, used }, ending, ...tab }: Tab): void {
      const { rest, attempt, since, overAt } = ending ?? OPEN;
      upsert({ ...tab, begin, used, rest, attempt, since, overAt });
    },
    isKnown: boundQuestion(connection, found),
    forget: bound(connection, db.delete(tabs).where(lt(tabs.overAt, sql.placeholder('before')))),
    load: (): Tab[] => db.select().from(tabs).where(isNull(tabs.overAt)).all().map(tabOf),
  };
}

const OPEN = { rest: null, attempt: null, since: null, overAt: null };

function tabOf({
  begin,
  used,
  rest,
  attempt,
  since,
  overAt,
  ...tab
}: typeof tabs.$inferSelect): Tab {
  const ending = rest === null ? null : { rest, attempt: attempt ?? 1, since: since ?? 0, overAt };
  return { ...tab, window: { begin, used }, ending };
}
