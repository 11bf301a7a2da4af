/**
 * One turn, one commit, then effects: the rule that keeps people's money safe.
 *
 * An event is delivered, and actors send events to each other until none is left; the turn joins the open batch; the
 * batch is written in one transaction; only then is anything sent out of the process. Turns share commits: a batch is
 * flushed when all events at hand are handled, or when it is large.
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

/** Most journal rows that wait for a commit when nothing else needs one. */
const MOST_WAITING = 200;

export type EngineOptions = {
  actors: Actors;
  outbox: Outbox;
  commit(batch: Batch): void;
  /** What the disk knows of ended payments; the engine adds what it has not written yet. */
  store: Known;
  /** The actor id that a name stands for now; null when there is none. An actor's id stands for itself. */
  resolve(name: string): string | null;
  /** `changed`: the actors whose state this batch wrote. */
  perform(afterwards: readonly Afterwards[], changed: ReadonlySet<string>): void;
  /** The event to deliver; if it concerns a lock, the lock is judged at this moment. */
  judged(delivery: Delivery): Delivery['event'];
  nowBlock(): bigint;
  now(): number;
  /** How many steps the journal keeps. */
  journalLimit: number;
  /** Called when an actor changed or was spawned, with the block at which it has to be woken; null: at none. */
  onChanged(id: string, wakeBlock: bigint | null): void;
  onSpawned(spawn: Spawn): void;
  onEnded(id: string): void;
  /** Called after every commit: throws when the states of the actors contradict each other. For tests. */
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
  /** For each actor that handled the current delivery or was spawned by it: the cause of its effects. */
  const steps = new Map<string, Cause>();

  /** Which payments and actors have ended, on disk or in the open batch. */
  const known = () => withOpen(options.store, open.batch);
  const lifecycle = createLifecycle({ ...options, journal, steps, known, open: () => open });

  function guarded(work: () => void) {
    if (broken) return;
    try {
      work();
    } catch (error) {
      // The state in memory can no longer be trusted: nothing of this batch may be written or sent.
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

  /**
   * Delivers one event and all that actors send to each other because of it, before the next event is taken: so that
   * event sees all consequences of this one.
   */
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

  /** Keeps an effect for after the commit; a transaction is also stored until its end is confirmed. */
  function later(effect: SendOnce | Resend | Tx | Reply | ReportRoute) {
    if ('key' in effect && 'from' in effect)
      open.batch.jobs.push({ key: effect.key, actor: effect.from, body: encode(effect) });
    open.afterwards.push(effect);
  }

  function post(effect: Send) {
    // An older message under this key may be on disk until the commit, even when it is done already.
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
    // Journal rows of steps that changed nothing wait for the next necessary commit: a partner's junk causes none.
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
    /** Collects the effects of actors while events are delivered to them. */
    collect: (from: string, effect: Effect) => void effects.push({ from, effect }),
    /**
     * One turn: delivers these events and what follows from them; each is drawn after the one before has taken effect.
     */
    turn(deliveries: Iterable<Delivery>, also: (batch: Batch) => void = () => {}) {
      guarded(() => {
        also(open.batch);
        for (const delivery of deliveries) run(delivery);
        schedule();
      });
    },
    /**
     * Called when the partner acknowledged a message. Its row is deleted with the next commit, or at the next tick
     * (`writeDone`); should the process die before, the message is repeated and acknowledged again.
     */
    acknowledge(messageId: bigint, sender: string) {
      guarded(() => settle(outbox.acknowledge(messageId, sender)));
    },
    /** Writes which messages are done, unless a commit has written it already. */
    writeDone() {
      if (open.done.size > 0) flush();
    },
    /** Delivers the outcome of a job to its actor; the job is forgotten in the same commit. */
    endJob(key: string, delivery: Delivery) {
      guarded(() => {
        open.batch.jobsDone.push(key);
        open.afterwards.push({ type: 'forgetJob', key });
        run(delivery);
        schedule();
      });
    },
    flush,
    /** Whether a payment with this secrethash is or was on its way, up to this very turn. */
    isSecretUsed: (secrethash: Hash): boolean => isSecretUsed(actors, known(), secrethash),
    isBroken: () => broken,
    /** Flushes for the last time; no event is taken any more. */
    close() {
      flush();
      broken = true;
    },
  };
}
