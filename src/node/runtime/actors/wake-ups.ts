/**
 * Which actor waits for which block. Partners choose when their locks end, so any number of actors may be due at one
 * block: they are taken one after the other, those first whose transactions must be mined in time.
 */
import TinyQueue from 'tinyqueue';
import {
  channelTags,
  keeperMayRegister,
  mediatorTags,
  targetTags,
} from '../../../../machines/tags.ts';
import type { StoredState } from './kinds.ts';

export type WakeUps = ReturnType<typeof createWakeUps>;

/** `place`: counts waits, so that those for one block are in the order in which they began. */
type Wait = { id: string; block: bigint; place: number; isUrgent: boolean };

/** Places of waits that count no more which may be kept beside those that count. */
const MOST_OUTDATED = 64;

const queueOf = (waits: Wait[]) =>
  new TinyQueue(waits, (a, b) =>
    a.block === b.block ? a.place - b.place : a.block < b.block ? -1 : 1,
  );

export function createWakeUps() {
  const waits = new Map<string, Wait>();
  let urgent = queueOf([]);
  let others = queueOf([]);
  /** The newest block at which actors are woken. */
  let reached = -1n;
  let places = 0;

  /** Each change of a wait leaves its earlier place in a queue. */
  function tidy() {
    if (urgent.length + others.length <= 2 * waits.size + MOST_OUTDATED) return;
    const all = [...waits.values()];
    urgent = queueOf(all.filter(({ isUrgent }) => isUrgent));
    others = queueOf(all.filter(({ isUrgent }) => !isUrgent));
  }

  /** The queue's next actor that is due; it stays there. */
  function dueIn(queue: TinyQueue<Wait>): Wait | null {
    for (;;) {
      const next = queue.peek();
      if (next === undefined || next.block > reached) return null;
      if (waits.get(next.id) === next) return next;
      queue.pop();
    }
  }

  return {
    /** Called when an actor is spawned or its state has changed. */
    note(id: string, state: StoredState) {
      const { wakeBlock } = state.context;
      if (wakeBlock === null) return void waits.delete(id);
      const before = waits.get(id);
      const isDue = before !== undefined && before.block <= reached;
      // Who was woken and still waits for a block that has come is woken at the next one: else it could be woken for ever
      // at this one. Who was not woken yet stays due, or a partner could put its turn off with each message.
      const next = isDue ? before.block : reached + 1n;
      const block = wakeBlock > reached ? wakeBlock : next;
      const isUrgent = isDeadlineNear(state);
      if (before?.block === block && before.isUrgent === isUrgent) return;
      const wait = { id, block, place: ++places, isUrgent };
      waits.set(id, wait);
      (isUrgent ? urgent : others).push(wait);
      tidy();
    },
    /** Called when an actor has ended. */
    forget: (id: string) => void waits.delete(id),
    /** How many actors wait for a block. */
    size: () => waits.size,
    /** From now on those are due who wait for this block or an earlier one. */
    reach(block: bigint) {
      if (block > reached) reached = block;
    },
    /** The next actor that is due; it is woken once, until it waits again. Null: nobody is due. */
    next(): string | null {
      const due = dueIn(urgent) ?? dueIn(others);
      if (due !== null) waits.delete(due.id);
      return due?.id ?? null;
    },
    isAnyDue: () => dueIn(urgent) !== null || dueIn(others) !== null,
    /** The first block that an actor waited for which has to be on chain in time and is due; null: none is. */
    firstUrgent: (): bigint | null => dueIn(urgent)?.block ?? null,
  };
}

/**
 * Whether the actor, when it wakes up, has to bring a secret or a balance proof on chain before others take what is
 * this node's. All others lose nothing by waking a little later.
 */
function isDeadlineNear({ kind, value, context }: StoredState): boolean {
  switch (kind) {
    case 'channel':
      return channelTags(value).has('bringsProof');
    case 'mediator':
      return context.secret !== null && mediatorTags(value).has('mayRegister');
    case 'target':
      return context.secret !== null && targetTags(value).has('mayRegister');
    case 'keeper':
      return context.secret !== null && keeperMayRegister(value, context);
    default:
      return false;
  }
}
