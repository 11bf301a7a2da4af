import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDisk, type Disk, type DiskOptions } from '../../src/simulation/disk/disk.ts';
import { createFileDisk } from '../../src/simulation/disk/file-disk.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import type { OutboxRow } from '../../src/store/base/batch.ts';
import type { Store } from '../../src/store/store.ts';
import {
  ALICE,
  BOB,
  batchOf,
  openedStore,
  proofOf,
  STAMP,
  stepOf,
  temporaryFolder,
} from '../support/store.ts';

type Making = Pick<DiskOptions, 'watch'>;
const drawOf = (name: string) => createRandomness(1).of(name);
const kinds: [string, (making?: Making) => Disk][] = [
  ['in memory', (making) => createDisk({ draw: drawOf('disk'), losable: 5, ...making })],
  ['on files', (making) => createFileDisk(temporaryFolder(), making)],
];

const actor = (id: string, state = '{}') => ({ id, kind: 'channel', version: 1, state });
const step = (n: number) => batchOf({ actors: [actor(`channel:${n}`)], journal: [stepOf({})] });
const idsIn = (store: Store) => store.loadActors().map(({ id }) => id);

function caught(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return String(error);
  }
  return 'nothing was thrown';
}

describe.each(kinds)('a simulated disk %s', (_, make) => {
  it('keeps what was committed when a process crashes, and refuses calls of the dead process', () => {
    const disk = make();
    const dead = disk.open(STAMP);
    dead.commit(step(1));
    expect(disk.crash()).toBe(0);
    const uses = [
      () => dead.commit(step(2)),
      () => dead.loadActors(),
      () => dead.highWater(),
      () => dead.journal.bounds(),
      () => dead.feed.bounds(),
      () => dead.close(),
      ...[() => dead.payments({ token: null, partner: null, offset: 0, limit: null })],
      () => dead.webhooks.get('a'),
      () => dead.transactions.all(),
      () => dead.cursor(),
      () => dead.webhooks.set('a', 1),
      () => dead.hasEnded('a'),
      () => dead.acceptFork(),
    ];
    const next = disk.open(STAMP);
    for (const use of uses) expect(caught(use)).toMatch(/^\w*Error: /);
    expect(idsIn(next)).toEqual(['channel:1']);
  });

  it('is for one process at a time, and for one node', () => {
    const disk = make();
    const store = disk.open(STAMP);
    expect(() => disk.open(STAMP)).toThrow('has it open');
    store.close();
    expect(() => disk.open({ ...STAMP, ownAddress: BOB })).toThrow('belongs to');
    expect(() => disk.open(STAMP)).not.toThrow();
  });

  it('loses the last commits that it had only promised to keep', () => {
    const disk = make();
    const store = disk.open(STAMP);
    for (const n of [1, 2, 3]) store.commit(step(n));
    store.commit(batchOf({ proofs: [proofOf({ nonce: 1n })] }));
    expect(disk.crash(2)).toBe(2);
    const next = disk.open(STAMP);
    expect(idsIn(next)).toEqual(['channel:1', 'channel:2']);
    expect(next.highWater().seq).toBe(2);
    next.commit(batchOf({ proofs: [proofOf({ nonce: 1n })] }));
    expect(disk.counts()['lost']).toBe(2);
  });

  it('has messages at their old places again when it loses the commit that they were done', () => {
    const disk = make();
    const store = disk.open(STAMP);
    store.commit(batchOf({ outbox: ['a', 'b', 'c'].map(messageOf) }));
    store.commit(batchOf({ outboxDone: ['a', 'b'] }));
    expect(disk.crash(1)).toBe(1);
    const left = disk.open(STAMP).loadOutbox();
    expect(left.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('refuses every write while it is full, and a store that has failed once for good', () => {
    const disk = make();
    const store = disk.open(STAMP);
    store.commit(step(1));
    disk.faults.full = true;
    expect(() => store.webhooks.set('a', 1)).toThrow('full');
    expect(() => store.commit(step(2))).toThrow('full');
    expect(disk.counts()['full']).toBe(2);
    disk.faults.full = false;
    expect(() => store.commit(step(3))).toThrow('an earlier commit failed');
    store.webhooks.set('a', 1);
    disk.crash();
    expect(idsIn(disk.open(STAMP))).toEqual(['channel:1']);
  });

  it('writes nothing of a batch with a used nonce', () => {
    const disk = make();
    const store = disk.open(STAMP);
    const proofs = [proofOf({ nonce: 4n })];
    store.commit(batchOf({ proofs }));
    expect(() => store.commit({ ...step(1), proofs })).toThrow();
    expect(idsIn(store)).toEqual([]);
    disk.crash();
    const next = disk.open(STAMP);
    expect([idsIn(next), next.journal.bounds()]).toEqual([[], { oldest: 1, newest: 0 }]);
  });

  it('is recognised as an old copy that was put back, until the copy is accepted', () => {
    const disk = make();
    expect(disk.doubt(null)).toBeNull();
    const store = disk.open(STAMP);
    store.commit(step(1));
    const putBack = disk.copy();
    store.commit(step(2));
    const mark = store.highWater();
    expect(putBack).toThrow('has it open');
    expect(disk.doubt(mark)).toBeNull();
    store.close();
    putBack();
    expect(disk.doubt(mark)).toMatchObject({ kind: 'older' });
    const old = disk.open(STAMP);
    expect(idsIn(old)).toEqual(['channel:1']);
    old.acceptCopy();
    expect(old.isRereading()).toBe(true);
    expect(disk.doubt(old.highWater())).toBeNull();
    expect(disk.doubt(mark)).toMatchObject({ kind: 'another' });
    expect(disk.counts()['restored']).toBe(1);
  });

  it('cuts off a row', () => {
    const disk = make();
    expect(disk.open(STAMP).loadActors()).toEqual([]);
    disk.crash();
    expect(disk.corrupt(drawOf('damage'))).toBeNull();
    disk
      .open(STAMP)
      .commit(batchOf({ actors: [actor('a', '{"one":1}'), actor('b', '{"two":2}')] }));
    disk.crash();
    const id = disk.corrupt(drawOf('damage'));
    const rows = disk.open(STAMP).loadActors();
    expect(rows.filter(({ state }) => state.endsWith('}')).map((row) => row.id)).toEqual(
      ['a', 'b'].filter((other) => other !== id),
    );
  });

  it('lets a process die on either side of the moment when a batch is durable', () => {
    for (const [moment, kept] of [
      ['before', []],
      ['after', ['channel:1']],
    ] as const) {
      const disk = make({
        watch(now) {
          if (now === moment) throw new Error('killed');
        },
      });
      const store = disk.open(STAMP);
      expect(() => store.commit(step(1))).toThrow('killed');
      disk.crash();
      expect(idsIn(disk.open(STAMP))).toEqual(kept);
    }
  });
});

describe('a simulated disk in memory', () => {
  it('has the same name in every run', () => {
    const nameOf = () =>
      createDisk({ draw: drawOf('disk') })
        .open(STAMP)
        .highWater().instance;
    expect(nameOf()).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(nameOf()).toBe(nameOf());
  });

  it('shares no row object with its writers and readers', () => {
    const store = createDisk({ draw: drawOf('disk') }).open(STAMP);
    const row = actor('a');
    store.commit(batchOf({ actors: [row] }));
    row.state = 'changed';
    for (const read of store.loadActors()) read.state = 'changed';
    expect(store.loadActors()).toEqual([actor('a')]);
  });

  it('holds after a thousand commits what SQLite holds', () => {
    const stores = [createDisk({ draw: drawOf('disk') }).open(STAMP), openedStore()];
    for (const store of stores) {
      for (let n = 1; n <= 1_000; n++) store.commit(tenRows(n));
    }
    const [model, real] = stores.map((store) => store.loadActors());
    expect(model).toHaveLength(12);
    expect(model).toEqual(real);
  });
});

describe('a simulated disk on files', () => {
  it('loses no more than what is not in the database file yet, wherever its log has come to', () => {
    const disk = createFileDisk(temporaryFolder());
    // Text that cannot be compressed.
    const stateOf = (n: number) => `${n} ${randomBytes(9_000).toString('base64')}`;
    /** After each commit: what the rows say that each one writes, and the row that only some write. */
    const wanted = [{ common: 0, rare: 0 }];
    const lost = new Set<number>();
    // SQLite folds the log into the file after 1,000 pages; 30 rows of this size take 68.
    for (const commits of [3, 13, 14, 15, 16, 17]) {
      const store = disk.open(STAMP);
      for (let left = commits; left > 0; left--) {
        const { common, rare } = wanted.at(-1) ?? { common: 0, rare: 0 };
        const now = { common: common + 1, rare: left > 2 ? rare : common + 1 };
        const ids = Array.from({ length: 30 }, (_, row) => `channel:${row}`);
        const actors = ids.map((id) => actor(id, stateOf(now.common)));
        if (left <= 2) actors.push(actor('rare', stateOf(now.rare)));
        store.commit(batchOf({ actors }));
        wanted.push(now);
      }
      const gone = disk.crash(2);
      wanted.splice(wanted.length - gone, gone);
      lost.add(gone);
      const read = disk.open(STAMP);
      const rows = read.loadActors();
      const statesOf = (isRare: boolean) =>
        new Set(
          rows
            .filter(({ id }) => (id === 'rare') === isRare)
            .map(({ state }) => Number.parseInt(state, 10)),
        );
      const { common, rare } = wanted.at(-1) ?? { common: 0, rare: 0 };
      expect(statesOf(false)).toEqual(new Set([common]));
      expect(statesOf(true)).toEqual(new Set(rare === 0 ? [] : [rare]));
      read.close();
    }
    expect(lost).toContain(2);
    expect(Math.min(...lost)).toBeLessThan(2);
  });
});

/** A message that waits for its acknowledgement. */
function messageOf(key: string): OutboxRow {
  return { key, queue: 'a', recipient: ALICE, messageId: 1n, nonce: 1n, givers: [], body: key };
}

function tenRows(n: number) {
  return batchOf({
    actors: [actor(`channel:${n % 10}`, `{"n":${n}}`), actor('b'), actor('c')],
    outbox: [messageOf(`${n}`)],
    outboxDone: [`${n - 1}`],
    proofs: [proofOf({ nonce: BigInt(n) }), proofOf({ nonce: BigInt(n), side: 'partner' })],
    journal: [stepOf({}), stepOf({}), stepOf({})],
  });
}
