/**
 * One turn, one commit, then effects: the rule that keeps people's money.
 *
 * An event enters, actors talk until they are quiet, the turn joins the open batch; the batch is written
 * in one transaction; only then does anything leave the process. Turns share commits: a batch is flushed
 * when the inputs at hand are taken in, or when it is large.
 */

import type {
  Effect,
  Reply,
  ReportRoute,
  Resend,
  Send,
  SendOnce,
  Spawn,
  Tx,
} from '../../../machines/effects.ts';
import type { ActorEvent } from '../../../machines/events.ts';
import type { Fault } from '../../protocol/fault.ts';
import type { Hash } from '../../protocol/hex.ts';
import type { Batch } from '../../store/batch.ts';
import { encode } from '../../store/codec.ts';
import type { Actors } from './actors.ts';
import { createBatchSize } from './batch-size.ts';
import { type Cause, createJournalKeeper, OUTSIDE } from './journal-keeper.ts';
import { createLifecycle } from './lifecycle.ts';
import { type Afterwards, isForDisk, openBatch } from './open-batch.ts';
import type { Outbox } from './outbox.ts';
import { isSecretUsed, type Known, withOpen } from './secrethashes.ts';

export type Delivery = { to: string; event: ActorEvent };
export type Engine = ReturnType<typeof createEngine>;

/** Rows that wait for a commit which nothing else demands. */
const MOST_WAITING = 200;

export type EngineOptions = {
  actors: Actors;
  outbox: Outbox;
  commit(batch: Batch): void;
  /** What the disk knows of ended payments; the engine adds what it has not written yet. */
  store: Known;
  /** The actor that a name stands for now, null when there is none; an actor's id stands for itself. */
  resolve(name: string): string | null;
  /** `changed`: the actors whose state this batch wrote. */
  perform(afterwards: readonly Afterwards[], changed: ReadonlySet<string>): void;
  /** The event as its actor gets it: a lock is judged at this moment. */
  judged(delivery: Delivery): Delivery['event'];
  nowBlock(): bigint;
  now(): number;
  /** How many steps the journal keeps. */
  journalLimit: number;
  /** The actor's state changed, or it was spawned: when does it have to be woken? */
  onChanged(id: string, wakeBlock: bigint | null): void;
  onSpawned(spawn: Spawn): void;
  onEnded(id: string): void;
  /** After every commit: throws when what the actors hold does not fit together. For tests. */
  audit?: () => void;
  onFatal(error: unknown): void;
  fault: Fault;
};

export function createEngine(options: EngineOptions) {
  const { actors, outbox, fault } = options;
  const journal = createJournalKeeper({ limit: options.journalLimit, now: options.now });
  const size = createBatchSize();
  let open = openBatch();
  let turns = 0;
  let scheduled: NodeJS.Immediate | null = null;
  let broken = false;
  const effects: { from: string; effect: Effect }[] = [];
  /** Of each actor that the current delivery has moved or spawned: what its effects are due to. */
  const steps = new Map<string, Cause>();

  /** What has ended, on disk or a moment ago. */
  const known = () => withOpen(options.store, open.batch);
  const lifecycle = createLifecycle({ ...options, journal, steps, known, open: () => open });

  function guarded(work: () => void) {
    if (broken) return;
    try {
      work();
    } catch (error) {
      // Memory is not trusted over the disk: nothing of this batch may leave.
      broken = true;
      open = openBatch();
      options.onFatal(error);
    }
  }

  function deliver(delivery: Delivery, told: Cause) {
    const { to } = delivery;
    const event = options.judged(delivery);
    const block = options.nowBlock();
    const stamped = { ...event, nowBlock: block };
    const sent = actors.send(to, stamped);
    if (sent === null) return;
    if (sent.changed) {
      open.changed.add(to);
      options.onChanged(to, sent.after.context.wakeBlock);
    }
    const types = effects.map(({ effect }) => effect.type);
    const step = { actor: to, event, block, ...sent, effects: types };
    steps.set(to, { cause: to, causedBy: journal.step(step, told) });
  }

  /** The actors are quiet before the next event enters: what follows from one is known to the other. */
  function run(outer: Delivery) {
    lifecycle.spawnNode();
    const queue = [{ delivery: outer, told: OUTSIDE }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      steps.clear();
      deliver(next.delivery, next.told);
      for (let item = effects.shift(); item !== undefined; item = effects.shift()) {
        const { from, effect } = item;
        const told = steps.get(from) ?? OUTSIDE;
        if (effect.type === 'notify') queue.push({ delivery: addressed(from, effect), told });
        else take(effect, told);
      }
    }
  }

  /** An actor that sends an event to a name without an actor hears that nobody has the name. */
  function addressed(from: string, { to, event }: Delivery): Delivery {
    const id = options.resolve(to);
    return id === null ? { to: from, event: { type: 'actor.nobody', to } } : { to: id, event };
  }

  function take(effect: Exclude<Effect, { type: 'notify' }>, told: Cause) {
    switch (effect.type) {
      case 'spawn.channel':
      case 'spawn.initiator':
      case 'spawn.mediator':
      case 'spawn.target':
      case 'spawn.tokenNetwork':
      case 'spawn.keeper':
      case 'spawn.userDeposit':
      case 'spawn.withdrawal':
        return lifecycle.spawn(effect, told);
      case 'retire':
        return lifecycle.retire(effect.id);
      case 'send.message':
        return post(effect);
      case 'done.message':
        return settle(outbox.remove(effect.key));
      case 'done.queue':
        return outbox.dropQueue(effect.queue, effect.upToNonce).forEach(settle);
      case 'record.proof':
        return void open.batch.proofs.push(effect);
      case 'record.alert':
        return void open.batch.alerts.push(effect);
      case 'record.paymentSent':
      case 'record.paymentFailed':
      case 'record.paymentReceived':
        return void open.batch.payments.push(effect);
      case 'record.mediated':
        return void open.batch.mediations.push(effect);
      default:
        return later(effect);
    }
  }

  /** What only leaves after the commit; a transaction is also kept until its end is confirmed. */
  function later(effect: SendOnce | Resend | Tx | Reply | ReportRoute) {
    if ('key' in effect && 'from' in effect)
      open.batch.jobs.push({ key: effect.key, actor: effect.from, body: encode(effect) });
    open.afterwards.push(effect);
  }

  function post(effect: Send) {
    // The older message is on disk until the commit, also when it is done already.
    if (outbox.get(effect.key) !== undefined || open.done.has(effect.key))
      open.replaced.add(effect.key);
    const row = outbox.add(effect);
    open.done.delete(row.key);
    open.posted.set(row.key, row);
    open.afterwards.push({ type: 'publish', key: row.key });
  }

  /** A message that is written and done in the same batch never reaches the disk. */
  function settle(key: string | null) {
    if (key === null) return;
    const isNew = open.posted.delete(key) && !open.replaced.has(key);
    if (!isNew) open.done.add(key);
  }

  function flush() {
    if (scheduled !== null) clearImmediate(scheduled);
    scheduled = null;
    const taken = turns;
    turns = 0;
    // What changed nothing waits for a commit that has to be: a partner's junk is no reason for one.
    const mustWrite = isForDisk(open) || journal.size() >= MOST_WAITING;
    if (!mustWrite && open.afterwards.length === 0) return;
    const { batch, changed, posted, done, afterwards } = open;
    guarded(() => {
      for (const id of changed) {
        const row = actors.rowOf(id);
        if (row !== null) batch.actors.push(row);
      }
      if (mustWrite) batch.journal = journal.take();
      batch.outbox.push(...posted.values());
      batch.outboxDone.push(...done);
      batch.time = options.now();
      batch.block = options.nowBlock();
      fault('commit.before');
      const begin = options.now();
      options.commit(batch);
      size.note(taken, options.now() - begin);
      fault('commit.after');
      options.audit?.();
      open = openBatch();
      options.perform(afterwards, changed);
    });
  }

  function schedule() {
    turns += 1;
    const rows = open.changed.size + open.posted.size + journal.size();
    if (size.isFull(turns, rows)) flush();
    else scheduled ??= setImmediate(flush);
  }

  return {
    /** Effects of actors land here while they are delivered to. */
    collect: (from: string, effect: Effect) => void effects.push({ from, effect }),
    /** One turn: these events, each drawn when the one before has had its effect, and what follows from them. */
    turn(deliveries: Iterable<Delivery>, also: (batch: Batch) => void = () => {}) {
      guarded(() => {
        also(open.batch);
        for (const delivery of deliveries) run(delivery);
        schedule();
      });
    },
    /**
     * The partner acknowledged a message. Its row goes with the next commit, or at the next tick (`writeDone`): should
     * the process die before, the message is repeated and acknowledged again.
     */
    acknowledge(messageId: bigint, sender: string) {
      guarded(() => settle(outbox.acknowledge(messageId, sender)));
    },
    /** Writes which messages are done when nothing else has been written since. */
    writeDone() {
      if (open.done.size > 0) flush();
    },
    /** The outcome of a job reaches its actor; the job is forgotten in the same commit. */
    endJob(key: string, delivery: Delivery) {
      guarded(() => {
        open.batch.jobsDone.push(key);
        open.afterwards.push({ type: 'forgetJob', key });
        run(delivery);
        schedule();
      });
    },
    flush,
    /** Whether a payment with this secrethash is on its way, or was, up to this very turn. */
    isSecretUsed: (secrethash: Hash): boolean => isSecretUsed(actors, known(), secrethash),
    isBroken: () => broken,
    /** After the last flush: nothing enters any more. */
    close() {
      flush();
      broken = true;
    },
  };
}
