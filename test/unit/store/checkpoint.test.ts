import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { batchOf, openedStore, proofOf, temporaryFolder } from '../../support/store.ts';

describe('a checkpoint', () => {
  it('brings what was written into the file, while the store goes on', async () => {
    const file = join(temporaryFolder(), 'node.db');
    const store = openedStore({ url: `file:${file}` });
    await store.checkpoint();
    const before = statSync(file).size;
    const proofs = Array.from({ length: 300 }, (_, n) => proofOf({ nonce: BigInt(n) }));
    store.commit(batchOf({ proofs }));
    expect(statSync(file).size).toBe(before);
    const done = store.checkpoint();
    store.commit(batchOf({ proofs: [proofOf({ nonce: 1_000n })] }));
    await done;
    expect(statSync(file).size).toBeGreaterThan(before);
    expect(store.latestProofs('channel:1').own?.nonce).toBe(1_000n);
  });

  it('is nothing for a database in memory, and for a store that is closed', async () => {
    const store = openedStore();
    await store.checkpoint();
    store.close();
    await expect(store.checkpoint()).resolves.toBeUndefined();
  });

  it('may be under way when the store is closed', async () => {
    const file = join(temporaryFolder(), 'node.db');
    const store = openedStore({ url: `file:${file}` });
    const proofs = Array.from({ length: 300 }, (_, n) => proofOf({ nonce: BigInt(n) }));
    store.commit(batchOf({ proofs }));
    const done = store.checkpoint();
    store.close();
    await done;
    expect(openedStore({ url: `file:${file}` }).latestProofs('channel:1').own?.nonce).toBe(299n);
  });
});
