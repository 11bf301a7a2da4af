/**
 * What a call waits for before the node is asked: its turn, and a payment for a lock as well. A payment that finds all
 * locks in use gives its turn to others while it waits.
 */
import type { LockSupply } from '../node/api/lock-supply.ts';
import { type Arrival, createGate, type Gate, type Overload, type Turn } from './gate.ts';
import type { Caller } from './lines.ts';
import { createPlaces } from './places.ts';
import { failure, type Refusal } from './responses.ts';

type Call = {
  caller: Caller;
  /** Whether it only asks. */
  isQuery: boolean;
  /** What says that its client has left. */
  gone(): AbortSignal;
  /** The locks that it needs one of; null: none. Asked when the turn has come. */
  locks(): LockSupply | null;
};
/** Whoever has a turn calls `leave` once. */
type Entered = { ok: true; leave(): void };

export type Turns = ReturnType<typeof createTurns>;
export type TurnsOptions = {
  /** Calls that may be under way at once. */
  concurrency: number;
  /** Whether queries take turns among themselves, beside the other calls. */
  hasOwnReads: boolean;
  /** Calls that may wait at once. */
  mostWaiting: number;
  patienceMs: number;
  onRefused(why: Overload['overload']): void;
};

/** Queries under way at once that take turns among themselves; long ones are read in slices, which take turns. */
const READS_AT_ONCE = 16;
const LONGEST_RETRY_SECONDS = 300;
const now = () => performance.now();

export function createTurns(options: TurnsOptions) {
  const { concurrency, hasOwnReads, mostWaiting, patienceMs, onRefused } = options;
  const places = createPlaces(mostWaiting);
  const readPlaces = hasOwnReads ? createPlaces(mostWaiting) : places;
  const shared = { patienceMs, now };
  const atMost = `Calls wait for ${patienceMs / 1_000} s at most.`;
  const gate = createGate({ ...shared, places, isFree: (underWay) => underWay < concurrency });
  const readGate = hasOwnReads
    ? createGate({ ...shared, places: readPlaces, isFree: (count) => count < READS_AT_ONCE })
    : gate;
  /** Where payments wait for a lock, by the name of the channels that give it. */
  const lockGates = new Map<string, Gate>();

  /** A payment waits only for those that are under way: when there is none, the node says why it gives no lock. */
  function lockGateOf({ name, hasLock }: LockSupply): Gate {
    const known = lockGates.get(name);
    if (known !== undefined) return known;
    const isFree = (underWay: number) => underWay === 0 || hasLock(underWay);
    const made = createGate({ ...shared, places, isFree });
    lockGates.set(name, made);
    return made;
  }

  function leaveLocks(locks: Gate, name: string): void {
    locks.leave();
    if (locks.underWay() === 0) lockGates.delete(name);
  }

  function refusalOf(turn: Exclude<Turn, 'turn'>, what: string): Refusal {
    if (turn === 'closed') return failure('shutting_down');
    // Nobody reads it.
    if (turn === 'gone') return failure('too_many_calls');
    onRefused(turn.overload);
    const seconds = Math.min(Math.max(1, Math.ceil(turn.ms / 1_000)), LONGEST_RETRY_SECONDS);
    const detail = [REASONS[turn.overload], what, atMost, ADVICE]
      .filter((part) => part !== '')
      .join(' ');
    return { ...failure('too_many_calls', detail), retryAfter: seconds };
  }

  async function turnAt(at: Gate, arrival: Arrival): Promise<Turn> {
    return at.tryEnter() ? 'turn' : at.wait(arrival);
  }

  /** Has the turn of `own`: waits for a lock if there is none, without the turn. */
  async function withLock(own: Gate, arrival: Arrival, supply: LockSupply) {
    const locks = lockGateOf(supply);
    const leave = () => {
      own.leave();
      leaveLocks(locks, supply.name);
    };
    if (locks.tryEnter()) return { ok: true as const, leave };
    own.leave();
    const lock = await locks.wait(arrival);
    if (lock !== 'turn') return refusalOf(lock, LOCKS_IN_USE);
    const turn = await turnAt(own, arrival);
    if (turn === 'turn') return { ok: true as const, leave };
    leaveLocks(locks, supply.name);
    return refusalOf(turn, '');
  }

  return {
    /** Resolves when the call may begin, or with the reason why it must not. */
    async enter({ caller, isQuery, gone, locks }: Call): Promise<Entered | Refusal> {
      const own = isQuery ? readGate : gate;
      const arrival = { caller, since: now(), gone };
      const turn = await turnAt(own, arrival);
      if (turn !== 'turn') return refusalOf(turn, '');
      const supply = locks();
      return supply === null ? { ok: true, leave: own.leave } : withLock(own, arrival, supply);
    },
    /** Calls that wait. */
    waiting: () => places.taken() + (hasOwnReads ? readPlaces.taken() : 0),
    /** Refuses all calls that wait, and those that would have to. */
    close(): void {
      for (const one of new Set([gate, readGate, ...lockGates.values()])) one.close();
    },
  };
}

const REASONS = {
  too_long: 'This one was not begun: its turn would not have come in time.',
  no_place: 'This one was not begun: others of the same caller take its places in the queue.',
  waited: 'This one was not begun: its turn did not come in time.',
} as const satisfies Record<Overload['overload'], string>;
const LOCKS_IN_USE = 'Payments under way have all locks that the channel gives.';
const ADVICE = 'Call again after the seconds of Retry-After, and make fewer calls at a time.';
