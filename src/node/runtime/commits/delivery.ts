/**
 * Delivers an event and what follows from it in the same turn: actors send events to each other until none is left; what
 * else they ask for joins the open batch.
 */
import type {
  Effect,
  JudgeLock,
  RecordMediated,
  Reply,
  ReportRefused,
  Send,
} from '../../../../machines/effects.ts';
import type { ActorEvent } from '../../../../machines/events.ts';
import { keeperInstead } from '../../../../machines/keeper/keeping.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Batch, ForcedRow } from '../../../store/base/batch.ts';
import type { Actors } from '../actors/actors.ts';
import type { Happenings } from '../happenings.ts';
import type { UsedSecrets } from '../knowledge/secrethashes.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { type Cause, type JournalWriter, OUTSIDE } from './journal-writer.ts';
import { createLifecycle } from './lifecycle.ts';
import type { OpenBatch } from './open-batch.ts';

/** What may concern several actors is sent to all of them, and few are there: for others it is dropped unseen. */
export type Delivery = { to: string; event: ActorEvent };

export type DeliveryOptions = {
  actors: Actors;
  outbox: Outbox;
  /** The actor id that a name stands for now; null when there is none. An actor's id stands for itself. */
  resolve(name: string): string | null;
  /** The event to deliver; if it concerns a lock, the lock is judged at this moment. */
  judged(delivery: Delivery): Delivery['event'];
  /** Whether this node takes a partner's lock at this moment, in the channel that got it. */
  takesLock(channel: string, asked: Pick<JudgeLock, 'taken'>): boolean;
  /** Charges a registration that was forced on this node to the payer of the lock; answers the rows to be written. */
  charge(payer: Address, actor: string): ForcedRow[];
  /** A transfer was passed on and paid; answers the rows to be written. */
  noteMediated(transfer: RecordMediated): ForcedRow[];
  /** Counts a secret that is paid for although it is late; answers the rows to be written. */
  chargeLate(): ForcedRow[];
  /**
   * Called in the turn in which a request is answered, with the batch that the answer joins. `isAtOnce`: it is the turn
   * that asked.
   */
  onReply(reply: Reply, batch: Batch, isAtOnce: boolean): void;
  nowBlock(): bigint;
  tell: Happenings['tell'];
};

type Around = {
  journal: JournalWriter;
  /** The batch that this turn joins; a new one after every commit. */
  open(): OpenBatch;
  /** Which payments and actors have ended, on disk or in the open batch. */
  known(): UsedSecrets;
};

export function createDelivery(options: DeliveryOptions, { journal, open, known }: Around) {
  const { actors, outbox } = options;
  const effects: { from: string; effect: Effect }[] = [];
  /** For each actor that handled the current delivery or was spawned by it: the cause of its effects. */
  const steps = new Map<string, Cause>();
  const lifecycle = createLifecycle({ ...options, journal, steps, known, open });

  function deliver(delivery: Delivery, told: Cause) {
    const { to } = delivery;
    if (!actors.has(to)) return;
    const event = options.judged(delivery);
    const block = options.nowBlock();
    const sent = actors.send(to, { nowBlock: block, ...event });
    if (sent === null) return;
    if (sent.changed) {
      open().change(to);
      options.tell('changed', to, sent.after);
    }
    const { before, after, changed } = sent;
    const types = effects.map(({ effect }) => effect.type);
    const step = { actor: to, event, block, before, after, changed, effects: types };
    steps.set(to, { cause: to, causedBy: journal.step(step, told) });
  }

  /**
   * Delivers one event and all that actors send to each other because of it, before the next event is taken: so that
   * event sees all consequences of this one. Answers why it was refused if it was a partner's message, else null.
   */
  function run(outer: Delivery): ReportRefused | null {
    lifecycle.spawnNode();
    let refusal: ReportRefused | null = null;
    const queue = [{ delivery: outer, told: OUTSIDE }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      steps.clear();
      deliver(next.delivery, next.told);
      for (let item = effects.shift(); item !== undefined; item = effects.shift()) {
        const { from, effect } = item;
        const told = steps.get(from) ?? OUTSIDE;
        if (effect.type === 'notify') {
          const one = { delivery: addressed(from, effect), told };
          // Only the mediator tells that its lock was promised: before the next lock is judged, it has to know.
          if (effect.event.type === 'actor.lockForwarded') queue.unshift(one);
          else queue.push(one);
        } else if (effect.type === 'report.refused') refusal = effect;
        else take({ from, effect, told, outer });
      }
    }
    return refusal;
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
      case 'judge.lock':
        // Locks of one Update are judged one after the other: each sees what was promised for those before it.
        return lifecycle.spawn(
          options.takesLock(from, effect) ? effect.taken : keeperInstead(effect.taken),
          told,
        );
      case 'retire':
        return lifecycle.retire(effect.id);
      case 'sign':
        return open().signLater(from);
      case 'send.message':
        return post(effect);
      case 'done.message':
        return done(effect.key, outer);
      case 'done.queue':
        return outbox.dropQueue(effect.queue, effect.upToNonce).forEach(open().settle);
      case 'record.proof':
      case 'record.alert':
      case 'record.paymentSent':
      case 'record.paymentFailed':
      case 'record.paymentReceived':
      case 'record.mediated':
      case 'record.forced':
      case 'record.late':
        return record(effect, from);
      case 'reply.ok':
      case 'reply.error':
        return reply(effect, outer);
      default:
        return open().later(effect);
    }
  }

  function record(effect: Recorded, from: string) {
    const { batch } = open();
    switch (effect.type) {
      case 'record.proof':
        return void batch.proofs.push(effect);
      case 'record.alert':
        return void batch.alerts.push(effect);
      case 'record.mediated':
        batch.mediations.push(effect);
        return void batch.forced.push(...options.noteMediated(effect));
      case 'record.forced':
        return void batch.forced.push(...options.charge(effect.payer, from));
      case 'record.late':
        return void batch.forced.push(...options.chargeLate());
      default:
        return void batch.payments.push(effect);
    }
  }

  /** What is refused in the turn that asks for it has begun nothing. */
  function reply(effect: Reply, { event }: Delivery) {
    const isAtOnce = 'requestId' in event && event.requestId === effect.requestId;
    if (isAtOnce) return answer(effect);
    options.onReply(effect, open().batch, false);
    open().later(effect);
  }

  function answer(effect: Reply) {
    options.onReply(effect, open().batch, true);
    open().later({ isAtOnce: true, ...effect });
  }

  function done(key: string, outer: Delivery) {
    const removed = outbox.remove(key, senderOf(outer));
    if (removed !== null) open().settle(removed);
  }

  function post(effect: Send) {
    const isKnown = outbox.get(effect.key) !== undefined;
    open().post(outbox.add(effect), isKnown);
  }

  return {
    /** Answers who asks in this turn. */
    answer,
    /** Collects the effects of actors while events are delivered to them. */
    collect: (from: string, effect: Effect) => void effects.push({ from, effect }),
    run,
  };
}

type Recorded = Extract<Effect, { type: `record.${string}` }>;

/** `from`: the actor; `outer`: what the turn began with. */
type Taken = {
  from: string;
  effect: Exclude<Effect, { type: 'notify' | 'report.refused' }>;
  told: Cause;
  outer: Delivery;
};

/** Who has said what led to a turn; null: nobody. */
const senderOf = ({ event }: Delivery): Address | null => ('sender' in event ? event.sender : null);
