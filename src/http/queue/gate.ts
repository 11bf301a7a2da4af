/**
 * A queue for turns: calls are handled one at a time (API document, Limits: Concurrency), or a fixed number at once; of
 * each caller in order of arrival. Nobody waits for longer than the patience that is given, and whoever would is
 * refused on arrival. A call that is refused has not begun. Blocks and partner messages do not pass it.
 */
import { type Caller, createLines } from './lines.ts';
import { createPace } from './pace.ts';
import type { Places } from './places.ts';

/** Seconds that a call may wait, unless the operator says otherwise. */
export const QUEUE_SECONDS = 30;

/** Why a call gets no turn: it would wait too long, its caller has no place left, or it has waited too long. */
export const OVERLOADS = ['too_long', 'no_place', 'waited'] as const;
/** `ms`: after how many milliseconds a call that comes now would get a turn, as far as is known. */
export type Overload = { overload: (typeof OVERLOADS)[number]; ms: number };
/** Whoever has a turn calls `leave` once. */
export type Turn = { leave(): void };
/** Why waiting ended without a turn: the client has gone, the gate was closed, or there are too many calls. */
export type NoTurn = 'gone' | 'closed' | Overload;

/**
 * `kind`: what is asked for; `since`: when the call arrived, in milliseconds; `gone`: what says that its client has left,
 * asked only once.
 */
export type Arrival = { caller: Caller; kind: string; since: number; gone(): AbortSignal };
type Waiting = Omit<Arrival, 'gone'> & { settle(turn: Turn | NoTurn): void };

type Options = {
  /** Whether another call may begin beside those that are under way. */
  isFree(underWay: number): boolean;
  places: Places;
  /** How long a call may wait, from its arrival on. */
  patienceMs: number;
  now(): number;
};

export type Gate = ReturnType<typeof createGate>;

export function createGate({ isFree, places, patienceMs, now }: Options) {
  const lines = createLines<Waiting>();
  const pace = createPace(2 * patienceMs);
  let underWay = 0;
  let closed = false;

  function begin(kind: string): Turn {
    underWay++;
    const end = pace.begin(kind, now());
    return {
      leave() {
        underWay--;
        end(now());
        handOn();
      },
    };
  }

  const overloaded = (overload: Overload['overload'], caller: Caller): Overload => ({
    overload,
    ms: pace.msUntilTurn(lines.before(caller), now()),
  });

  /** Hands free turns to those who wait; whoever has waited too long gets none. */
  function handOn(): void {
    while (lines.size() > 0 && isFree(underWay)) {
      const next = lines.take();
      if (next === undefined) return;
      const isLate = now() - next.since >= patienceMs;
      next.settle(isLate ? overloaded('waited', next.caller) : begin(next.kind));
    }
  }

  /** A turn, if there is one at once. Nobody overtakes those who wait. */
  function tryEnter({ kind }: Pick<Arrival, 'kind'>): Turn | null {
    handOn();
    return lines.size() === 0 && isFree(underWay) ? begin(kind) : null;
  }

  /** Why the call must not wait, or null: then it has a place. */
  function refusalOf({ caller, since }: Arrival): NoTurn | null {
    if (closed) return 'closed';
    const late = overloaded('too_long', caller);
    if (now() + late.ms >= since + patienceMs) return late;
    return places.take(caller) ? null : { ...late, overload: 'no_place' };
  }

  /** Waits until it is the call's turn; gives the place up when the client has gone, or the time is over. */
  async function wait(arrival: Arrival): Promise<Turn | NoTurn> {
    const refusal = refusalOf(arrival);
    if (refusal !== null) return refusal;
    const { caller, kind, since, gone } = arrival;
    const signal = gone();
    return new Promise((resolve) => {
      const waiting: Waiting = { caller, kind, since, settle };
      const giveUp = () => settle(overloaded('waited', caller));
      const timer = setTimeout(giveUp, since + patienceMs - now());
      const abandon = () => settle('gone');
      function settle(turn: Turn | NoTurn): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandon);
        lines.remove(waiting);
        places.giveBack(caller);
        resolve(turn);
      }
      lines.add(waiting);
      if (signal.aborted) abandon();
      else signal.addEventListener('abort', abandon);
    });
  }

  /** Refuses everybody who waits, and all later calls that would have to wait. */
  function close(): void {
    closed = true;
    for (const { settle } of lines.all()) settle('closed');
  }

  return {
    tryEnter,
    enter: async (arrival: Arrival) => tryEnter(arrival) ?? wait(arrival),
    close,
    underWay: () => underWay,
    waiting: lines.size,
  };
}
