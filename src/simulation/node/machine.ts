import type { ChainClient } from '../../chain/client.ts';
import { createReads } from '../../chain/reads.ts';
import type { NodeParts } from '../../node/runtime/parts.ts';
import { type RunningNode, startNode } from '../../node/start.ts';
import type { Batch } from '../../store/base/batch.ts';
import { encode } from '../../store/base/codec.ts';
import type { Store } from '../../store/store.ts';
import type { Asker } from '../services/gateway.ts';
import { Death } from '../world/death.ts';
import { comparing } from './comparing.ts';
import { charged } from './costs.ts';
import { guarded } from './guarded-transport.ts';
import { createLateDisk } from './late-disk.ts';
import type { Claimed, MachineOptions } from './machine-options.ts';
import { createProcess, type Process } from './process.ts';
import { createProcessor } from './processor.ts';

export type Machine = ReturnType<typeof createMachine>;
type Errand = (store: Store, client: ChainClient) => Promise<void>;

export function createMachine(options: MachineOptions) {
  const { name, signer, scheduler, trace, disk, watcher, core } = options;
  let run = 0;
  let node: RunningNode | null = null;
  /** Aborted when a process that has not begun its node is to end; null: no process waits. */
  let waiting: AbortController | null = null;
  /** Work on the disk of the next process, before its node begins; null: there is none. */
  let errand: Errand | null = null;
  let armed: { point: string; left: number } | null = null;
  let cancels: (() => void)[] = [];
  /** How long each write to the disk takes, in milliseconds. */
  let writeMs = 0;
  /** How long the process goes on before the disk has a batch, in milliseconds. */
  let lateMs = 0;
  let late: ReturnType<typeof createLateDisk> | null = null;
  /** How far the machine's clock is ahead, in milliseconds. */
  let aheadMs = 0;
  const processor = createProcessor(scheduler, core !== null);
  const { awake } = processor;

  function kill(why: string, lostWrites = 0) {
    if (node === null && waiting === null) return;
    trace.note(name, `dies: ${why}`);
    options.cutOff(`${name}/${run}`);
    run += 1;
    const lost = options.power === null ? 0 : (late?.die(options.power) ?? 0);
    if (lost > 0) trace.note(name, `loses ${lost} writes that its disk did not have`);
    forget();
    disk.crash(lostWrites + lost);
    watcher.onDeath();
  }

  function forget() {
    node = null;
    waiting = null;
    armed = null;
    late = null;
    processor.end();
    for (const cancel of cancels) cancel();
    cancels = [];
  }

  /**
   * Kills the process here when it was armed to die. Code that runs on reaches neither the disk, nor the network,
   * nor the chain.
   */
  function pass(point: string) {
    watcher.onPoint(point);
    if (armed === null || armed.point !== point) return;
    armed.left -= 1;
    if (armed.left === 0) kill(point);
  }

  function start() {
    if (node !== null || waiting !== null) throw new Error(`simulation: ${name} runs already`);
    run += 1;
    trace.note(name, 'starts');
    const stop = new AbortController();
    const process = processOf(run, stop.signal);
    if (options.claim === undefined && errand === null) return begin(process, opened());
    waiting = stop;
    void waitFor(process, options.claim ?? (async () => opened()));
  }

  const opened = () => claimedOf(disk.open());

  /** Begins the node as soon as it may; the process ends if that is never. */
  async function waitFor(process: Process, claim: NonNullable<MachineOptions['claim']>) {
    const claimed = await claim(process);
    if (!process.isAlive()) return;
    if (claimed === null) return end();
    const work = errand;
    errand = null;
    await work?.(claimed.store, options.connect(options.request));
    if (!process.isAlive()) return;
    waiting = null;
    begin(process, claimed);
  }

  function begin(process: Process, claimed: Claimed | null) {
    if (claimed === null) return end();
    const asker: Asker = {
      id: `${name}.${process.run}`,
      hear: (work) => processor.soon(() => process.isAlive() && work()),
    };
    const free = comparing(partsOf(process, claimed), () => node, watcher);
    const parts = core === null ? free : charged(free, (ms) => processor.take(ms / core));
    node = startNode(options.settingsFor(asker), parts, () => {});
  }

  /** The process ends without a death: what waits on its disk stays as it is. */
  function end() {
    options.cutOff(`${name}/${run}`);
    run += 1;
    forget();
  }

  function processOf(mine: number, stop: AbortSignal): Process {
    const isAlive = () => run === mine;
    return createProcess({
      run: mine,
      isAlive,
      scheduler,
      processor,
      stop,
      aheadMs: () => aheadMs,
      tickMs: options.tickMs,
      onTimer: (cancel) => void cancels.push(cancel),
      pass(point) {
        if (isAlive()) pass(point);
      },
      fence(why) {
        if (!isAlive()) return;
        trace.note(name, `is fenced: ${why}`);
        end();
        disk.crash(0);
      },
    });
  }

  function partsOf(process: Process, { store, replica }: Claimed): NodeParts {
    const { isAlive, heard } = process;
    const mustLive = () => {
      if (!isAlive()) throw new Death(name);
    };
    const client = options.connect((request) => heard(() => options.request(request)));
    const readBatch = options.readerOf(client);
    return {
      signer,
      client,
      ...options.crypto,
      ...(store.fork() === null ? {} : { safeMode: { reason: 'the chain was replaced' } }),
      reads: createReads({ client, registry: options.registry }),
      readBatch: (cursor, request) => heard(() => readBatch(cursor, request)),
      ...(options.broadcasts === undefined ? {} : { broadcasts: options.broadcasts }),
      ...(options.routes === undefined ? {} : { routes: options.routes }),
      store: options.power === null ? watched(store, mustLive) : lateDisk(store, mustLive),
      ...(replica === undefined ? {} : { replica }),
      transport: guarded(options.join(signer.address, `${name}/${process.run}`), {
        isAlive,
        processor,
        heard,
        // An error that nothing catches ends the process.
        onUncaught: (error) => watcher.onFatal('nobody caught an error', error, 'internal'),
      }),
      chance: { bytes: options.draw.bytes },
      log: { info() {}, warn: (_, text) => isAlive() && trace.note(name, text), error() {} },
      fault: process.pass,
      onBound: (bound) => isAlive() && watcher.onBound?.(bound),
      clock: process.clock,
      onFatal(reason, error, kind) {
        if (isAlive() && !(error instanceof Death)) watcher.onFatal(reason, error, kind);
      },
    };
  }

  /** Shuts the node down in order, as its operator would. */
  async function stop() {
    waiting?.abort();
    const running = node;
    if (running === null) return;
    try {
      await running.stop();
    } catch (error) {
      // The error does not matter if the process was killed meanwhile.
      if (node === running) throw error;
    }
    if (node !== running) return;
    run += 1;
    forget();
  }

  /** The disk has the batch. */
  function had(batch: Batch) {
    // With a replica, it is that which makes a batch durable.
    if (options.claim === undefined) watcher.onCommit(batch);
    trace.note(name, summaryOf(batch), encode(batch));
    // With a slow disk, the effects of the batch wait until it is written.
    processor.take(writeMs);
  }

  function watched(store: Store, mustLive: () => void): Store {
    return {
      ...store,
      commit(batch) {
        mustLive();
        store.commit(batch);
        had(batch);
      },
    };
  }

  function lateDisk(store: Store, expectAlive: () => void): Store {
    const { writes } = disk;
    const parts = { lateMs: () => lateMs, scheduler, awake, expectAlive, writes, onDurable: had };
    late = createLateDisk(store, parts);
    return late.store;
  }

  return {
    name,
    address: signer.address,
    start,
    /**
     * Kills the process at once; `lostWrites`: so many of its last writes are not on the disk, which claimed to be
     * durable.
     */
    kill,
    /** The running node, or null. */
    node: () => node,
    /** Calls the node from outside: it comes to the call when it has time for it. */
    call: (work: () => void) => (core === null ? work() : awake(work)),
    /** Whether a process runs, also one that has not begun its node. */
    isUp: () => node !== null || waiting !== null,
    /** Arms the process to die when it passes this point for the n-th time from now on. */
    dieAt(point: string, nth: number) {
      armed = { point, left: nth };
    },
    spare() {
      armed = null;
    },
    stop,
    /** Shuts the node down and starts it again; the new process does this work on its disk before its node begins. */
    async reopen(work: Errand) {
      await stop();
      if (node !== null || waiting !== null) return;
      errand = work;
      start();
    },
    /** Pauses the process, as on a machine that sleeps: it gets later what arrives meanwhile. */
    pause: processor.pause,
    resume: processor.resume,
    /** Sets the machine's clock ahead by so many milliseconds; below zero: behind. */
    setClock(ms: number) {
      aheadMs = ms;
    },
    /** Adds listeners to the feed and the journal that throw; the returned function removes them. */
    listenBadly(): () => void {
      const fail = () => {
        throw new Error('a listener fails');
      };
      const ends = [node?.feed.onNew(fail), node?.inspection.journal.onNew(fail)];
      return () => {
        for (const end of ends) end?.();
      };
    },
    /** From now on each write takes so many milliseconds, during which the process waits; 0: none. */
    slowDown(ms: number) {
      writeMs = ms;
    },
    /** From now on the disk has each batch only so many milliseconds after it was written; 0: at once. */
    beLate(ms: number) {
      lateMs = ms;
    },
  };
}

const claimedOf = (store: Store | null): Claimed | null => (store === null ? null : { store });

/** A commit in numbers, for people. */
function summaryOf(batch: Batch): string {
  const { actors, retired, outbox, outboxDone, jobs, proofs, payments } = batch;
  const counts = [actors, retired, outbox, outboxDone, jobs, proofs, payments];
  return `commits ${counts.map(({ length }) => length).join(' ')} at ${batch.cursor?.block ?? '-'}`;
}
