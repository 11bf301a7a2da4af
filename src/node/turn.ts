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
} from '../../machines/effects.ts';
import type { Batch } from '../store/batch.ts';
import { encode } from '../store/codec.ts';
import type { ActorEvent, Actors } from './actors.ts';
import type { Fault } from './fault.ts';
import { type Cause, createJournalKeeper, OUTSIDE } from './journal-keeper.ts';
import { kindOf, type StoredState } from './kinds.ts';
import { type Afterwards, isForDisk, openBatch } from './open-batch.ts';
import type { Outbox } from './outbox.ts';
import { actorsOf } from './secrethashes.ts';

export type Delivery = { to: string; event: { type: string } & Record<string, unknown> };
export type Engine = ReturnType<typeof createEngine>;

/** A batch larger than this stalls the event loop when it is written. */
const MAX_TURNS = 64;
const MAX_ROWS = 200;

type Options = {
  actors: Actors;
  outbox: Outbox;
  commit(batch: Batch): void;
  hasEnded(id: string): boolean;
  /** The actor that a name stands for now, null when there is none; an actor's id stands for itself. */
  resolve(name: string): string | null;
  /** `changed`: the actors whose state this batch wrote. */
  perform(afterwards: readonly Afterwards[], changed: ReadonlySet<string>): void;
  nowBlock(): bigint;
  now(): number;
  /** How many steps the journal keeps. */
  journalLimit: number;
  /** The actor's state changed, or it was born: when does it have to be woken? */
  onChanged(id: string, wakeBlock: bigint | null): void;
  onBorn(spawn: Spawn): void;
  onEnded(id: string): void;
  onFatal(error: unknown): void;
  fault: Fault;
};

export function createEngine(options: Options) {
  const { actors, outbox, fault } = options;
  const journal = createJournalKeeper({ limit: options.journalLimit, now: options.now });
  let open = openBatch();
  let turns = 0;
  let scheduled: NodeJS.Immediate | null = null;
  let broken = false;
  let { nodeInput } = actors;
  const effects: { from: string; effect: Effect }[] = [];
  /** Of each actor that the current delivery has moved or given birth to: what its effects are due to. */
  const steps = new Map<string, Cause>();

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

  function deliver({ to, event }: Delivery, told: Cause) {
    const block = options.nowBlock();
    const stamped: ActorEvent = { ...event, nowBlock: block };
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
    if (nodeInput !== null) bearNode(nodeInput);
    const queue = [{ delivery: outer, told: OUTSIDE }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      steps.clear();
      deliver(next.delivery, next.told);
      for (let item = effects.shift(); item !== undefined; item = effects.shift()) {
        const { from, effect } = item;
        const told = steps.get(from) ?? OUTSIDE;
        if (effect.type === 'tell') queue.push({ delivery: addressed(from, effect), told });
        else take(effect, told);
      }
    }
  }

  /** Whoever tells something to a name that nobody has is told so. */
  function addressed(from: string, { to, event }: Delivery): Delivery {
    const id = options.resolve(to);
    return id === null ? { to: from, event: { type: 'told.nobody', to } } : { to: id, event };
  }

  function take(effect: Exclude<Effect, { type: 'tell' }>, told: Cause) {
    switch (effect.type) {
      case 'spawn.channel':
      case 'spawn.initiator':
      case 'spawn.mediator':
      case 'spawn.target':
      case 'spawn.tokenNetwork':
      case 'spawn.userDeposit':
      case 'spawn.withdrawal':
        return bear(effect, told);
      case 'retire':
        return retire(effect.id);
      case 'send.message':
        return post(effect);
      case 'done.message':
        return settle(outbox.remove(effect.key));
      case 'done.queue':
        return outbox.dropQueue(effect.queue, effect.upToNonce).forEach(settle);
      case 'record.proof':
        return void open.batch.proofs.push(effect);
      case 'record.alarm':
        return void open.batch.alarms.push(effect);
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

  function bear(spawn: Spawn, told: Cause) {
    if (actors.has(spawn.id) || isTaken(spawn)) return;
    const input = { ...spawn.input, id: spawn.id };
    note(spawn.id, input, actors.bear(spawn.id, input), told);
    if (spawn.type === 'spawn.channel') {
      const { token, partner, openBlock } = spawn.input;
      open.batch.channels.push({ id: spawn.id, token, partner, openBlock });
    }
    options.onBorn(spawn);
  }

  /** It was born before there was an engine, when its row was not found. */
  function bearNode(input: object) {
    nodeInput = null;
    const state = actors.stateOf('node');
    if (state !== null) note('node', input, state, OUTSIDE);
  }

  function note(id: string, input: unknown, state: StoredState, told: Cause) {
    open.changed.add(id);
    steps.set(id, {
      cause: id,
      causedBy: journal.spawn(id, input, state, options.nowBlock(), told),
    });
    options.onChanged(id, state.context.wakeBlock);
  }

  /**
   * One secrethash, one part in one payment: what comes again, by whichever way, is held until it expires.
   * Only others can come with something that was there before: own secrets are checked when they are drawn.
   */
  function isTaken(spawn: Spawn): boolean {
    if (spawn.type !== 'spawn.target' && spawn.type !== 'spawn.mediator') return false;
    return actorsOf(spawn.input.secrethash).some(actors.has) || options.hasEnded(spawn.id);
  }

  function retire(id: string) {
    const end = actors.stateOf(id);
    if (end !== null) journal.stop(id, end, options.nowBlock(), steps.get(id) ?? OUTSIDE);
    actors.forget(id);
    open.changed.delete(id);
    open.batch.retired.push(id);
    if (!isRemembered(id)) open.batch.ended.push(id);
    if (kindOf(id) === 'channel') open.afterwards.push({ type: 'dropProofs', channel: id });
    options.onEnded(id);
  }

  /** A payment that enters the history is known by its secrethash. */
  function isRemembered(id: string) {
    const secrethash = id.split(':')[1];
    return open.batch.payments.some((payment) => payment.secrethash === secrethash);
  }

  function post(effect: Send) {
    if (outbox.get(effect.key) !== undefined) open.replaced.add(effect.key);
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
    turns = 0;
    // What changed nothing waits for a commit that has to be: a partner's junk is no reason for one.
    const mustWrite = isForDisk(open) || journal.size() >= MAX_ROWS;
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
      options.commit(batch);
      fault('commit.after');
      open = openBatch();
      options.perform(afterwards, changed);
    });
  }

  function schedule() {
    turns += 1;
    const rows = open.changed.size + open.posted.size + journal.size();
    if (turns >= MAX_TURNS || rows >= MAX_ROWS) flush();
    else scheduled ??= setImmediate(flush);
  }

  return {
    /** Effects of actors land here while they are delivered to. */
    collect: (from: string, effect: Effect) => void effects.push({ from, effect }),
    /** One turn: these events and everything that follows from them. */
    turn(deliveries: readonly Delivery[], also: (batch: Batch) => void = () => {}) {
      guarded(() => {
        also(open.batch);
        deliveries.forEach(run);
        schedule();
      });
    },
    /** The partner acknowledged a message. */
    acknowledge(messageId: bigint, sender: string) {
      guarded(() => {
        settle(outbox.acknowledge(messageId, sender));
        schedule();
      });
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
    isBroken: () => broken,
    /** After the last flush: nothing enters any more. */
    close() {
      flush();
      broken = true;
    },
  };
}
