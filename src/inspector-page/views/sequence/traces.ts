/**
 * Merges what several actors and nodes recorded of the same messages, so that every message is sent before it is
 * received. The clocks of two nodes may differ by hours: they only decide between marks of which neither can have
 * caused the other.
 */
import { type Mark, marksOf, type TraceSource } from './marks.ts';

/**
 * One message or event. `sent`: where it was sent, `taken`: where it arrived; one of them is null when that side is
 * not known, or not yet. `isAgain`: the same had arrived before.
 */
export type Passage = { sent: Mark | null; taken: Mark | null; isAgain: boolean };

/** All passages, causes before effects. When both ends are known they are one passage, placed where it was sent. */
export function mergeTraces(sources: readonly TraceSource[]): Passage[] {
  const queues = sources.map((source) => ({ marks: marksOf(source), next: 0 }));
  const passages = createPairing(queues.flatMap(({ marks }) => marks));
  for (;;) {
    const heads = queues.flatMap((queue) => {
      const mark = queue.marks[queue.next];
      return mark === undefined ? [] : [{ queue, mark }];
    });
    // Marks that all wait for each other were not paired rightly; one of them has to go first.
    const ready = heads.filter(({ mark }) => !passages.isAwaited(mark));
    const first = earliest(ready) ?? earliest(heads);
    if (first === undefined) return passages.all;
    first.queue.next += 1;
    passages.add(first.mark);
  }
}

function earliest<Head extends { mark: Mark }>(heads: readonly Head[]): Head | undefined {
  return heads.reduce<Head | undefined>(
    (best, head) => (best === undefined || isBefore(head.mark, best.mark) ? head : best),
    undefined,
  );
}

function isBefore({ place: a }: Mark, { place: b }: Mark): boolean {
  return a.block === b.block ? a.time < b.time : a.block < b.block;
}

function createPairing(marks: readonly Mark[]) {
  const all: Passage[] = [];
  /** Key -> how often it is still to be sent. */
  const unsaid = new Map<string, number>();
  /** Sent and not yet received, the oldest first. */
  const underWay = new Map<string, Passage[]>();
  const taken = new Set<string>();
  /** Received before it was sent: the journals contradict each other. */
  const early = new Map<string, Passage>();
  const count = (mark: Mark, by: number) => {
    if (mark.direction === 'in') return;
    for (const id of mark.identities) unsaid.set(id, (unsaid.get(id) ?? 0) + by);
  };
  for (const mark of marks) count(mark, 1);

  const isWaiting = (id: string) => (underWay.get(id)?.length ?? 0) > 0;

  function take(mark: Mark): void {
    const known = mark.identities.find(isWaiting);
    const passage = known === undefined ? undefined : underWay.get(known)?.shift();
    const isAgain = mark.identities.some((id) => taken.has(id));
    for (const id of mark.identities) taken.add(id);
    if (passage !== undefined) {
      passage.taken = mark;
      return;
    }
    const unknown: Passage = { sent: null, taken: mark, isAgain };
    all.push(unknown);
    if (!isAgain) for (const id of mark.identities) early.set(id, unknown);
  }

  function say(mark: Mark): void {
    count(mark, -1);
    const before = mark.identities.find((id) => early.has(id));
    const known = before === undefined ? undefined : early.get(before);
    if (known !== undefined) {
      for (const id of mark.identities) early.delete(id);
      known.sent = mark;
      return;
    }
    const passage: Passage = { sent: mark, taken: null, isAgain: false };
    all.push(passage);
    for (const id of mark.identities) underWay.set(id, [...(underWay.get(id) ?? []), passage]);
  }

  return {
    all,
    /** Whether the mark is of a message that is sent only further on, so that it cannot have arrived yet. */
    isAwaited({ direction, identities }: Mark): boolean {
      if (direction === 'out' || identities.some((id) => isWaiting(id) || taken.has(id))) {
        return false;
      }
      return identities.some((id) => (unsaid.get(id) ?? 0) > 0);
    },
    add: (mark: Mark) => (mark.direction === 'in' ? take(mark) : say(mark)),
  };
}
