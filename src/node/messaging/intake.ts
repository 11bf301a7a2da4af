/**
 * Hands on what arrived, a few milliseconds at a time: one read of the broker's socket can hold a hundred messages, and
 * callers, blocks and the commit of what was handled have to come in between. Senders take turns, so that one who sends
 * more than is handled makes only its own messages wait; an item that is the work of several turns takes so many.
 */

import { createRound, PAYLOAD_BYTES } from '../runtime/commits/round.ts';
import { type Bounded, USUAL } from '../runtime/knowledge/bounds.ts';

/** How many times what one sender may have waiting all may have of which more than one payload waits; while it is held, all. */
const SENDERS = 16;

type Options<Item> = {
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  /** Whether deadlines need the time more than messages do. */
  isPressed(): boolean;
  /** Whether all of it has to wait, until `goOn` is called. */
  isHeld(): boolean;
  /** Absent: the usual ones. */
  bounds?: Bounded;
  handOn(item: Item): void;
  /** How many turns the item takes; absent: one. */
  turnsOf?(item: Item): number;
};
/** One payload: what is left in it, and the bytes that it takes until nothing is. */
type Waiting<Item> = { items: Iterator<Item>; bytes: number };
type Sender<Item> = { payloads: Waiting<Item>[]; bytes: number };

export function createIntake<Item>(options: Options<Item>) {
  const { handOn, isHeld, bounds = USUAL, turnsOf = () => 1 } = options;
  const mostOfOne = bounds.of.heldBytes;
  const senders = new Map<string, Sender<Item>>();
  /** Turns that senders have had already, while others waited. They are forgotten when nobody waits. */
  const owed = new Map<string, number>();
  const round = createRound(options);
  let bytesInAll = 0;
  let isBusy = false;
  let isForNext = false;

  /** Whether the sender has had this turn already. */
  function hasHad(name: string): boolean {
    const turns = owed.get(name);
    if (turns === undefined) return false;
    if (turns > 1) owed.set(name, turns - 1);
    else owed.delete(name);
    return true;
  }

  function noteTurns(name: string, item: Item) {
    const more = turnsOf(item) - 1;
    if (more > 0) owed.set(name, more);
  }

  /** The next item of the sender whose turn it is; null: nothing waits. */
  function next(): { item: Item } | null {
    for (const [name, sender] of senders) {
      senders.delete(name);
      const isAnyOther = senders.size > 0;
      if (hasHad(name)) {
        senders.set(name, sender);
        continue;
      }
      const [payload] = sender.payloads;
      const found = payload?.items.next();
      if (payload === undefined || found === undefined) continue;
      if (found.done === true) {
        sender.payloads.shift();
        sender.bytes -= payload.bytes;
        bytesInAll -= payload.bytes;
      }
      if (sender.payloads.length > 0) senders.set(name, sender);
      if (found.done === true) continue;
      if (isAnyOther) noteTurns(name, found.value);
      return { item: found.value };
    }
    return null;
  }

  function work(): void {
    if (isBusy || isHeld()) return;
    isBusy = true;
    try {
      while (senders.size > 0 && !round.isOver()) {
        const found = next();
        if (found !== null) handOn(found.item);
      }
    } finally {
      isBusy = false;
      if (senders.size > 0) workInNextRound();
      else owed.clear();
    }
  }

  function workInNextRound(): void {
    if (isForNext) return;
    isForNext = true;
    round.next(() => {
      isForNext = false;
      work();
    });
  }

  return {
    /**
     * Hands the items of one payload on, after all that came before of the same sender: at once, as far as the slice of
     * this round reaches. They are drawn one by one, when their turn comes. False: too much waits, and none is taken.
     */
    take(name: string, items: Iterator<Item>, length: number): boolean {
      const bytes = length + PAYLOAD_BYTES;
      const sender = senders.get(name) ?? { payloads: [], bytes: 0 };
      // Nothing becomes less while all of it is held, and anybody can write the name of any partner.
      const hasNoOwnRoom = sender.bytes > 0 || isHeld();
      const isTooMuch = hasNoOwnRoom && bytesInAll + bytes > SENDERS * mostOfOne;
      if (isTooMuch || sender.bytes + bytes > mostOfOne) {
        bounds.met('heldBytes');
        return false;
      }
      sender.payloads.push({ items, bytes });
      sender.bytes += bytes;
      bytesInAll += bytes;
      senders.set(name, sender);
      work();
      return true;
    },
    /** To be called when nothing needs to wait any more. */
    goOn: work,
  };
}
