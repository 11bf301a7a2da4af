/**
 * One turn, one commit, then effects: the rule that keeps people's money safe.
 *
 * An event is delivered, and actors send events to each other until none is left; the turn joins the open batch; the
 * batch is written in one transaction; only when that is on disk is anything sent out of the process. Turns share
 * commits: a batch is written when all events at hand are handled and the batch before it is on disk, or when it is large.
 */

import type { Effect, Reply, Send, Spawn } from '../../../../machines/effects.ts';
import type { ActorEvent } from '../../../../machines/events.ts';
import type { Fault } from '../../../protocol/fault.ts';
import type { Address, Hash } from '../../../protocol/hex.ts';
import type { Batch, ForcedRow } from '../../../store/batch.ts';
import type { Actors } from '../actors/actors.ts';
import { createLifecycle } from '../actors/lifecycle.ts';
import { isSecretUsed, type Known, withOpen } from '../knowledge/secrethashes.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { createBatchSize } from './batch-size.ts';
import { type CommitOptions, createCommits } from './commits.ts';
import { type Cause, createJournalWriter, OUTSIDE } from './journal-writer.ts';
import { type Afterwards, openBatch, type SealedBatch } from './open-batch.ts';

export type Delivery = { to: string; event: ActorEvent };
export type Engine = ReturnType<typeof createEngine>;

/** Most journal rows that wait for a commit when nothing else needs one. */
const MOST_WAITING = 200;

export type EngineOptions = {
  actors: Actors;
  outbox: Outbox;
  /** What it knows of ended payments is joined with what is not written yet. */
  store: CommitOptions['store'] & Known;
  /** The actor id that a name stands for now; null when there is none. An actor's id stands for itself. */
  resolve(name: string): string | null;
  /** Called with each batch that is on disk, before anything follows from it. */
  onDurable(batch: Batch): void;
  /** `changed`: the actors whose state this batch wrote. */
  perform(afterwards: readonly Afterwards[], changed: ReadonlySet<string>): void;
  /** Called when a batch is on disk and not in the replica: does what cannot wait and harms nobody. */
  protect(afterwards: readonly Afterwards[]): void;
  /** The event to deliver; if it concerns a lock, the lock is judged at this moment. */
  judged(delivery: Delivery): Delivery['event'];
  /** Charges a registration that was forced on this node to the payer of the lock; answers the rows to be written. */
  charge(payer: Address, actor: string): ForcedRow[];
  /** Counts a secret that is paid for although it is late; answers the rows to be written. */
  chargeLate(): ForcedRow[];
  /**
   * Called in the turn in which a request is answered, with the batch that the answer joins. `isAtOnce`: it is the turn
   * that asked.
   */
  onReply(reply: Reply, batch: Batch, isAtOnce: boolean): void;
  nowBlock(): bigint;
  now(): number;
  elapsed(): number;
  /** How many steps the journal keeps. */
  journalLimit: number;
  /** Called when an actor changed or was spawned, with the block at which it has to be woken; null: at none. */
  onChanged(id: string, wakeBlock: bigint | null): void;
  onSpawned(spawn: Spawn): void;
  onEnded(id: string): void;
  /** Called for every commit, in tests: throws when the states of the actors contradict each other. */
  audit?: () => void;
  onFatal(error: unknown): void;
  fault: Fault;
};

export function createEngine(options: EngineOptions) {
  const { actors, outbox } = options;
  const journal = createJournalWriter({ limit: options.journalLimit, now: options.now });
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

  const commits = createCommits(
    {
      ...options,
      onDurable({ batch }) {
        options.onDurable(batch);
        options.audit?.();
      },
      perform: ({ afterwards, changed }) => options.perform(afterwards, changed),
      protect: ({ afterwards }) => options.protect(afterwards),
    },
    guarded,
  );

  function deliver(delivery: Delivery, told: Cause) {
    const { to } = delivery;
    const event = options.judged(delivery);
    const block = options.nowBlock();
    const stamped = { ...event, nowBlock: block };
    const sent = actors.send(to, stamped);
    if (sent === null) return;
    if (sent.changed) {
      open.change(to);
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
        else take({ from, effect, told, outer });
      }
    }
  }

  /** An actor that sends an event to a name without an actor hears that nobody has the name. */
  function addressed(from: string, { to, event }: Delivery): Delivery {
    const id = options.resolve(to);
    return id === null ? { to: from, event: { type: 'actor.nobody', to } } : { to: id, event };
  }

  function take({ from, effect, told, outer }: Taken) {
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
        return [outbox.remove(effect.key, senderOf(outer))]
          .filter((key) => key !== null)
          .forEach(open.settle);
      case 'done.queue':
        return outbox.dropQueue(effect.queue, effect.upToNonce).forEach(open.settle);
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
      case 'record.forced':
        return void open.batch.forced.push(...options.charge(effect.payer, from));
      case 'record.late':
        return void open.batch.forced.push(...options.chargeLate());
      case 'reply.ok':
      case 'reply.error':
        return reply(effect, outer);
      default:
        return open.later(effect);
    }
  }

  /** What is refused in the turn that asks for it has begun nothing. */
  function reply(effect: Reply, { event }: Delivery) {
    const isAtOnce = 'requestId' in event && event.requestId === effect.requestId;
    options.onReply(effect, open.batch, isAtOnce);
    open.later(isAtOnce ? { ...effect, isAtOnce } : effect);
  }

  function post(effect: Send) {
    const isKnown = outbox.get(effect.key) !== undefined;
    open.post(outbox.add(effect), isKnown);
  }

  /** Writes the open batch, unless nothing in it has to be on disk or to be done. */
  function write() {
    if (scheduled !== null) clearImmediate(scheduled);
    scheduled = null;
    const taken = turns;
    turns = 0;
    // Journal rows of steps that changed nothing wait for the next necessary commit: a partner's junk causes none.
    const mustWrite = open.isForDisk() || journal.size() >= MOST_WAITING;
    if (!mustWrite && !open.hasAfterwards()) return;
    guarded(() => {
      const sealed = sealedBatch(mustWrite);
      const begin = options.elapsed();
      commits.write(sealed, goOn);
      size.note(taken, options.elapsed() - begin);
    });
  }

  /** Closes the open batch, and opens the next. */
  function sealedBatch(withJournal: boolean): SealedBatch {
    const stamp = { time: options.now(), block: options.nowBlock() };
    const sealed = open.seal(actors.rowOf, {
      journal: withJournal ? journal.take() : [],
      ...stamp,
    });
    open = openBatch();
    return sealed;
  }

  /** Turns that came while a batch was on its way to the disk share the next one. */
  function writeWhenFree() {
    scheduled = null;
    if (!commits.isWaiting()) write();
  }

  function goOn() {
    if (turns > 0) scheduled ??= setImmediate(writeWhenFree);
  }

  function schedule() {
    turns += 1;
    if (size.isFull(turns, open.rows() + journal.size())) write();
    else goOn();
  }

  /** When it returns, everything that was handled so far is on disk. */
  function flush() {
    write();
    guarded(() => commits.settle());
  }

  return {
    /** Writes what was handled so far; the disk may have it later. */
    write,
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
      guarded(() => outbox.acknowledge(messageId, sender).forEach(open.settle));
    },
    /** Writes which messages are done, unless a commit has written it already. */
    writeDone() {
      if (open.isAnyDone()) write();
    },
    /** Delivers the outcome of a job to its actor; the job is forgotten in the same commit. */
    endJob(key: string, delivery: Delivery) {
      guarded(() => {
        open.endJob(key);
        run(delivery);
        schedule();
      });
    },
    flush,
    /** When it returns, everything that is written is on disk; what is only handled may not be written yet. */
    settle: () => guarded(() => commits.settle()),
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

/** `from`: the actor; `outer`: what the turn began with. */
type Taken = {
  from: string;
  effect: Exclude<Effect, { type: 'notify' }>;
  told: Cause;
  outer: Delivery;
};

/** Who has said what led to a turn; null: nobody. */
const senderOf = ({ event }: Delivery): Address | null => ('sender' in event ? event.sender : null);
