/** The engine of a node without store, chain and partners: what it writes and what leaves it. */

import { noFault } from '../../src/basics/fault.ts';
import { createActors } from '../../src/node/runtime/actors/actors.ts';
import type { Afterwards } from '../../src/node/runtime/commits/open-batch.ts';
import { createEngine, type EngineOptions } from '../../src/node/runtime/commits/turn.ts';
import { createHappenings } from '../../src/node/runtime/happenings.ts';
import { createOutbox } from '../../src/node/runtime/outbox/outbox.ts';
import type { Batch } from '../../src/store/base/batch.ts';
import type { JournalRow } from '../../src/store/base/journal-block.ts';
import { sync } from './channel-makers.ts';
import { OWN } from './makers.ts';

/** It changes nothing: the channel is not there. */
export const ignored = { to: 'node', event: sync() };

/** A disk that takes batches at once, and has them when `arrive` is called. */
export function slowDisk() {
  const waiting: (() => void)[] = [];
  const arrive = (most = Number.POSITIVE_INFINITY) => {
    for (const done of waiting.splice(0, most)) done();
  };
  return {
    whenDurable: (done: () => void) => void waiting.push(done),
    sync: () => arrive(),
    arrive,
  };
}
const AT_ONCE = { whenDurable: (done: () => void) => done(), sync() {} };

type Parts = {
  /** Writes a batch, or fails to. */
  commit?: (batch: Batch) => void;
  /** When it has what was written; absent: at once. */
  disk?: Pick<EngineOptions['store'], 'whenDurable' | 'sync'>;
  /** Called when a batch is performed, before anything is answered. */
  onPerform?: () => void;
  /** Called with what ends the node; without it, such an end is thrown. */
  onFatal?: (error: unknown) => void;
  /** Whom a name stands for; absent: each for itself. */
  resolve?: EngineOptions['resolve'];
  /** How locks are judged; absent: all are given. */
  judged?: EngineOptions['judged'];
};

/** A new node that lags behind the chain, and what it writes and answers. */
export function engine({
  commit,
  disk = AT_ONCE,
  onPerform,
  onFatal,
  resolve = (name) => name,
  judged = ({ event }) => event,
}: Parts = {}) {
  const batches: Batch[] = [];
  const clock = { now: 7, block: 5n };
  const answers: string[] = [];
  let drawn = 0n;
  /** All that was done after commits, and the actors that these had written. */
  const performed: Afterwards[] = [];
  const rewritten: string[] = [];
  /** What the rest of the node was told of its actors and batches, in order. */
  const told: string[] = [];
  const settings = { confirmations: 1n, defaultRevealTimeout: 50n, minRevealTimeout: 1n };
  const actors = createActors({
    node: { chainId: 1n, own: OWN, ...settings },
    rows: [],
    onEffect: (from, effect) => turns.collect(from, effect),
  });
  const happenings = createHappenings();
  happenings.on('written', (afterwards, changed) => {
    onPerform?.();
    performed.push(...afterwards);
    rewritten.push(...changed);
    answers.push(...afterwards.map(({ type }) => type));
  });
  happenings.on('changed', (id, { context }) => {
    told.push(`changed: ${id} wakes at ${context.wakeBlock}`);
  });
  happenings.on('spawned', ({ id }) => void told.push(`spawned: ${id}`));
  happenings.on('ended', (id) => void told.push(`ended: ${id}`));
  const turns = createEngine({
    actors,
    outbox: createOutbox({ rows: [], drawId: () => ++drawn, elapsed: () => 0 }),
    store: {
      ...disk,
      commit(batch) {
        commit?.(batch);
        batches.push(batch);
      },
      async checkpoint() {},
      hasEnded: () => false,
      isSecrethashUsed: () => false,
    },
    onDurable: ({ actors }) => void told.push(`on disk: ${actors.map(({ id }) => id).join()}`),
    resolve,
    tell: happenings.tell,
    judged,
    takesLock: () => true,
    noteMediated: () => [],
    changedPrices: () => [],
    chargeLate: () => [{ account: 'late secrets', fullBlock: 1n }],
    charge: (account) => [{ account, fullBlock: 1n }],
    onReply() {},
    nowBlock: () => clock.block,
    now: () => clock.now,
    elapsed: () => clock.now,
    journalLimit: 1_000,
    onFatal(error) {
      if (onFatal === undefined) throw error;
      onFatal(error);
    },
    fault: noFault,
  });
  const rows = (): JournalRow[] => batches.flatMap(({ journal }) => journal);
  const { stateOf } = actors;
  return { ...turns, stateOf, batches, answers, performed, rewritten, told, rows, clock };
}

/** One whose spawn is on disk. */
export function onDisk(parts: Parts = {}) {
  const node = engine(parts);
  node.turn([ignored]);
  node.flush();
  for (const before of [node.batches, node.told, node.rewritten]) before.length = 0;
  return node;
}
