/** A real store in the hands of a simulated process, which can die or find its disk full. */
import type { Store } from '../../store/open.ts';
import type { DiskOptions } from './disk.ts';

type Hooks = {
  watch: NonNullable<DiskOptions['watch']>;
  /** Throws when nothing can be written. */
  refuse(): void;
  /** A transaction is durable. */
  wrote(): void;
  closed(): void;
};

/** `kill`: from here on the store throws, whoever uses it. */
export type Watched = { store: Store; kill(): void };

type Use<A extends unknown[], R> = (...args: A) => R;

export function watchStore(store: Store, hooks: Hooks): Watched {
  let isDead = false;
  let hasFailed = false;

  /** All other reads ask the database, which will be closed. */
  const read =
    <A extends unknown[], R>(use: Use<A, R>): Use<A, R> =>
    (...args) => {
      if (isDead) throw new Error('disk: the process of this store has ended');
      return use(...args);
    };
  const write = <A extends unknown[], R>(use: Use<A, R>): Use<A, R> =>
    read((...args) => {
      hooks.refuse();
      const answer = use(...args);
      hooks.wrote();
      return answer;
    });
  const commit = write(store.commit);

  return {
    kill() {
      isDead = true;
    },
    store: {
      ...store,
      commit: read((batch) => {
        if (hasFailed) throw new Error('disk: an earlier commit failed, open the disk again');
        hasFailed = true;
        hooks.watch('before', batch);
        commit(batch);
        hooks.watch('after', batch);
        hasFailed = false;
      }),
      ...watchedMarks(store, write),
      transactions: {
        ...store.transactions,
        save: write(store.transactions.save),
        replace: write(store.transactions.replace),
        drop: write(store.transactions.drop),
      },
      iouSessions: { ...store.iouSessions, set: write(store.iouSessions.set) },
      webhooks: { ...store.webhooks, set: write(store.webhooks.set) },
      feed: { ...store.feed, bounds: read(store.feed.bounds) },
      journal: { ...store.journal, bounds: read(store.journal.bounds) },
      highWater: read(store.highWater),
      close: read(() => {
        store.close();
        hooks.closed();
      }),
    },
  };
}

type Marks =
  | ('acceptFork' | 'acceptCopy' | 'endRereading')
  | ('noteSecretsRead' | 'dropChannel' | 'takeNotifications');

function watchedMarks(
  store: Store,
  write: <A extends unknown[], R>(use: Use<A, R>) => Use<A, R>,
): Pick<Store, Marks> {
  return {
    acceptFork: write(store.acceptFork),
    acceptCopy: write(store.acceptCopy),
    endRereading: write(store.endRereading),
    noteSecretsRead: write(store.noteSecretsRead),
    dropChannel: write(store.dropChannel),
    takeNotifications: write(store.takeNotifications),
  };
}
