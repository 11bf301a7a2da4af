/** The engine of a node without store, chain and partners: what it writes and what leaves it. */
import { createActors } from '../../src/node/runtime/actors.ts';
import { createOutbox } from '../../src/node/runtime/outbox.ts';
import { createEngine, type EngineOptions } from '../../src/node/runtime/turn.ts';
import { noFault } from '../../src/protocol/fault.ts';
import type { Batch, JournalRow } from '../../src/store/batch.ts';
import { sync } from './channel-makers.ts';
import { OWN } from './makers.ts';

/** It changes nothing: the channel is not there. */
export const ignored = { to: 'node', event: sync() };

/** A disk that takes batches at once, and has them when `arrive` is called. */
export function slowDisk() {
  let waiting: (() => void)[] = [];
  const arrive = (most = Number.POSITIVE_INFINITY) => {
    for (const done of waiting.splice(0, most)) done();
  };
  return {
    whenDurable: (done: () => void) => void waiting.push(done),
    sync: () => arrive(),
    arrive,
    lose() {
      waiting = [];
    },
  };
}
const AT_ONCE = { whenDurable: (done: () => void) => done(), sync() {} };

/** A new node that lags behind the chain, and what it writes and answers. */
export function engine(disk: Pick<EngineOptions['store'], 'whenDurable' | 'sync'> = AT_ONCE) {
  const batches: Batch[] = [];
  const store = { ...disk, commit: (batch: Batch) => void batches.push(batch) };
  const clock = { now: 7 };
  const answers: string[] = [];
  const settings = { confirmations: 1n, defaultRevealTimeout: 50n, minRevealTimeout: 1n };
  const actors = createActors({
    node: { chainId: 1n, own: OWN, ...settings },
    rows: [],
    onEffect: (from, effect) => turns.collect(from, effect),
  });
  const turns = createEngine({
    actors,
    outbox: createOutbox({ rows: [], drawId: () => 1n, now: () => 0 }),
    store: { ...store, hasEnded: () => false, isSecrethashUsed: () => false },
    onDurable() {},
    resolve: (name) => name,
    perform: (afterwards) => void answers.push(...afterwards.map(({ type }) => type)),
    judged: ({ event }) => event,
    nowBlock: () => 5n,
    now: () => clock.now,
    journalLimit: 1_000,
    onChanged() {},
    onSpawned() {},
    onEnded() {},
    onFatal: (error) => {
      throw error;
    },
    fault: noFault,
  });
  const rows = (): JournalRow[] => batches.flatMap(({ journal }) => journal);
  return { ...turns, batches, answers, rows, clock };
}

/** One whose spawn is on disk. */
export function onDisk(disk = AT_ONCE) {
  const node = engine(disk);
  node.turn([ignored]);
  node.flush();
  node.batches.length = 0;
  return node;
}
