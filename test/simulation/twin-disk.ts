/**
 * A disk in memory beside one on files with the node's own store. Everything that a node asks of its store is asked of
 * both, and after each commit both are read: what differs is told, and the run goes on with what is in memory.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Disk, DiskFaults } from '../../src/simulation/disk/disk.ts';
import type { Batch } from '../../src/store/base/batch.ts';
import type { Store } from '../../src/store/store.ts';
import { answerOf } from '../support/store-steps.ts';

/** `what`: the function that was called, or what was read after a commit. */
export type OnDifference = (what: string, memory: unknown, files: unknown) => void;
type Compare = (what: string, memory: unknown, files: unknown) => void;

/** When something is on the disk is up to the run, and each store draws a name for itself. */
const ONLY_IN_MEMORY = new Set<string | symbol>(['whenDurable', 'whenAcknowledged', 'checkpoint']);
const UNLIKE = new Set<string | symbol>(['highWater', 'close', 'loss', 'rescue']);

/** `compared`: called for each commit that both have. */
export function createTwinDisk(
  memory: Disk,
  files: Disk,
  onDifference: OnDifference,
  compared: () => void,
): Disk {
  const compare: Compare = (what, a, b) => {
    if (!isDeepStrictEqual(a, b)) onDifference(what, a, b);
  };
  let begun = 0;
  const faults: DiskFaults = {
    get full() {
      return memory.faults.full;
    },
    set full(isFull) {
      memory.faults.full = isFull;
      files.faults.full = isFull;
    },
  };

  return {
    ...memory,
    open(stamp) {
      const [a, b] = [memory.open(stamp), files.open(stamp)];
      begun = memory.writes();
      compareAll(a, b, compare);
      return {
        ...twin(a, b, compare),
        commit(batch) {
          const [mine, other] = [answerOf(() => a.commit(batch)), answerOf(() => b.commit(batch))];
          compare('commit', mine, other);
          if (mine === 'thrown') throw new Error('disk: the commit failed');
          compareAll(a, b, compare);
          compareTouched(a, b, batch, compare);
          compared();
        },
      };
    },
    crash(lost = 0) {
      // What the opening of a file writes counts, too, so no more than what the process wrote itself.
      const most = Math.min(lost, memory.writes() - begun);
      const gone = memory.crash(most);
      compare('crash', gone, files.crash(most));
      return gone;
    },
    copy() {
      const restores = [memory.copy(), files.copy()];
      return () => {
        for (const restore of restores) restore();
      };
    },
    faults,
  };
}

/** Asks both, and answers as `a` does. */
function twin<T extends object>(a: T, b: T, compare: Compare): T {
  return new Proxy(a, {
    get(_, name) {
      const [mine, other]: unknown[] = [Reflect.get(a, name), Reflect.get(b, name)];
      if (typeof mine === 'function' && typeof other === 'function')
        return ONLY_IN_MEMORY.has(name) ? mine : asking(name, mine, other, compare);
      const areParts = [mine, other].every((one) => typeof one === 'object' && one !== null);
      return areParts ? twin(Object(mine), Object(other), compare) : mine;
    },
    // So that a spread copies what `get` answers.
    getOwnPropertyDescriptor: (_, name) => ({
      ...Reflect.getOwnPropertyDescriptor(a, name),
      configurable: true,
    }),
  });
}

type Asked = (...args: unknown[]) => unknown;
function asking(name: string | symbol, mine: object, other: object, compare: Compare): Asked {
  const call = (of: object, args: unknown[]): unknown =>
    typeof of === 'function' ? listed(Reflect.apply(of, undefined, args)) : undefined;
  return (...args) => {
    const theirs = answerOf(() => call(other, args));
    let own: unknown = 'thrown';
    try {
      own = call(mine, args);
      return own;
    } finally {
      if (!UNLIKE.has(name)) compare(String(name), own, theirs);
    }
  };
}

/** What is read in pages, at once. */
function listed(value: unknown): unknown {
  const isRead = typeof value === 'object' && value !== null && 'next' in value;
  return isRead && Symbol.iterator in value ? [...Object(value)] : value;
}

function compareAll(a: Store, b: Store, compare: Compare): void {
  const readings = [a, b].map((store) => ({
    actors: store.loadActors(),
    outbox: store.loadOutbox(),
    jobs: store.loadJobs(),
    cursor: store.cursor(),
    trail: store.trail(),
    fork: store.fork(),
    step: store.highWater().seq,
    forced: store.forced().toSorted((one, next) => (one.account < next.account ? -1 : 1)),
    alerts: store.alerts(),
    calls: store.callsUnderWay(),
    channels: store.channelIds(),
    feed: newest(store.feed),
    journal: newest(store.journal),
    redeemableFrom: store.redeemableFrom(),
    transactions: store.transactions.all().map(({ nonce }) => nonce),
  }));
  const [mine, other] = readings;
  for (const what of Object.keys(mine ?? {}))
    compare(what, Object(mine)[what], Object(other)[what]);
}

/** One commit adds no more in a small world; older rows were compared before. */
const MOST_ADDED = 8;

function newest<T>(rows: { bounds(): { newest: number }; after(seq: number, most: number): T }) {
  const bounds = rows.bounds();
  return [bounds, rows.after(Math.max(0, bounds.newest - MOST_ADDED), MOST_ADDED)];
}

function compareTouched(a: Store, b: Store, batch: Batch, compare: Compare): void {
  const { proofs, logs, ended, payments, registered, redemptions } = batch;
  const both = (what: string, read: (store: Store) => unknown) => compare(what, read(a), read(b));
  for (const { channel, side, nonce } of proofs)
    both('steps', (store) => [
      store.latestProofs(channel),
      store.stepsBefore(channel, side, nonce + 1n, 3),
      answerOf(() => store.locksAt(channel, side, nonce)),
    ]);
  for (const { channel } of logs) both('logs', (store) => [...store.logs(channel, 0n)].flat());
  for (const id of ended) both('ended', (store) => store.hasEnded(id));
  for (const { secrethash } of [...payments, ...registered, ...redemptions])
    both('secrethash', (store) => [
      store.isSecrethashUsed(secrethash),
      store.registeredSecret(secrethash),
      store.findRedemption(secrethash),
    ]);
  for (const { token } of payments)
    both('payments', (store) =>
      [...store.payments({ token, partner: null, offset: 0, limit: 20 })].flat(),
    );
}
