import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RecordProof } from '../../machines/effects.ts';
import type { Hash } from '../../src/basics/hex.ts';
import { balanceHash } from '../../src/protocol/channel/balance-proof.ts';
import { type Batch, emptyBatch } from '../../src/store/base/batch.ts';
import type { JournalRow } from '../../src/store/base/journal-block.ts';
import { openStore, type StoreOptions } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

export const ALICE = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
export const BOB = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512';
export const TOKEN = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
export const REGISTRY = '0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9';
export const STAMP = {
  chainId: 31_337n,
  tokenNetworkRegistry: REGISTRY,
  ownAddress: ALICE,
} as const;

export const hash = (value: number | bigint): Hash => `0x${value.toString(16).padStart(64, '0')}`;

export function batchOf({ channels = [], ...parts }: Partial<Batch>): Batch {
  const carriers = carriersOf(parts.payments ?? []);
  return { ...emptyBatch(), ...parts, channels: [...channels, ...carriers] };
}

/** The channels of the payments: a node has each before anything is paid over it. */
export function carriersOf(payments: Batch['payments']): Batch['channels'] {
  return payments.flatMap(({ channel: id }) =>
    id === null ? [] : [{ id, token: TOKEN, partner: ALICE, openBlock: 1n }],
  );
}

export function proofOf(parts: Partial<RecordProof>): RecordProof {
  const { transferredAmount = 0n, lockedAmount = 0n, locksroot = hash(0) } = parts;
  const amounts = { transferredAmount, lockedAmount, locksroot };
  return {
    type: 'record.proof',
    channel: 'channel:1',
    side: 'own',
    nonce: 1n,
    ...amounts,
    // A negative amount has no hash.
    balanceHash: transferredAmount < 0n || lockedAmount < 0n ? hash(0) : balanceHash(amounts),
    changes: [],
    additionalHash: null,
    signature: null,
    ...parts,
  };
}

/** A step of the node's actor. */
export function stepOf(parts: Partial<JournalRow>): JournalRow {
  return {
    kind: 'event',
    actor: 'node',
    cause: 'outside',
    causedBy: null,
    event: '{}',
    state: 'on',
    version: 1,
    block: 5n,
    time: 7,
    ...parts,
  };
}

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An open store, in memory unless told otherwise, that is closed with the test. */
export function openedStore(options: Partial<StoreOptions> = {}): Store {
  const opened = openStore({ url: ':memory:', stamp: STAMP, ...options });
  if (!opened.ok) throw new Error(opened.message);
  onTestFinished(() => opened.store.close());
  return opened.store;
}
