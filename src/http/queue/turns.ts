/**
 * What a call waits for before the node is asked: its turn, and a payment for a lock as well. A payment that finds all
 * locks in use gives its turn to others while it waits.
 */
import type { LockSupply } from '../../node/api/lock-supply.ts';
import { failure, type Refusal } from '../answers/responses.ts';
import {
  type Arrival,
  createGate,
  type Gate,
  type NoTurn,
  type Overload,
  type Turn,
} from './gate.ts';
import { createPlaces } from './places.ts';

type Call = Omit<Arrival, 'since'> & {
  /** Whether it only asks. */
  isQuery: boolean;
  /** The locks that it needs one of; null: none. Asked when the turn has come. */
  locks(): LockSupply | null;
};
type Entered = Turn & { ok: true };

export type Turns = ReturnType<typeof createTurns>;
type Options = {
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

export function createTurns(options: Options) {
  const { concurrency, hasOwnReads, mostWaiting, patienceMs, onRefused } = options;
  const places = createPlaces(mostWaiting);
  const readPlaces = hasOwnReads ? createPlaces(mostWaiting) : places;
  const shared = { patienceMs, now };
  const gate = createGate({ ...shared, places, isFree: (underWay) => underWay < concurrency });
  const readGate = hasOwnReads
    ? createGate({ ...shared, places: readPlaces, isFree: (count) => count < READS_AT_ONCE })
    : gate;
  /** Where payments wait for a lock, by the name of the channels that give it. */
  const lockGates = new Map<string, Gate>();
  const atMost = `Calls wait for ${patienceMs / 1_000} s at most.`;

  /** A payment waits only for those that are under way: when there is none, the node says why it gives no lock. */
  function lockGateOf({ name, hasLock }: LockSupply): Gate {
    const known = lockGates.get(name);
    if (known !== undefined) return known;
    const isFree = (underWay: number) => underWay === 0 || hasLock(underWay);
    const made = createGate({ ...shared, places, isFree });
    lockGates.set(name, made);
    return made;
  }

  function refusalOf(turn: NoTurn, what: string): Refusal {
    if (turn === 'closed') return failure('shutting_down');
    // Nobody reads it.
    if (turn === 'gone') return failure('too_many_calls');
    onRefused(turn.overload);
    const seconds = Math.min(Math.max(1, Math.ceil(turn.ms / 1_000)), LONGEST_RETRY_SECONDS);
    const detail = `${REASONS[turn.overload]} ${what}${atMost} ${ADVICE}`;
    return { ...failure('too_many_calls', detail), retryAfter: seconds };
  }

  /** Has a turn of `own`: waits for a lock if there is none, without the turn. */
  function withLock(own: Gate, first: Turn, arrival: Arrival, supply: LockSupply) {
    const locks = lockGateOf(supply);
    const both = (turn: Turn, lock: Turn): Entered => ({
      ok: true,
      leave() {
        turn.leave();
        leaveLock(lock);
      },
    });
    function leaveLock(lock: Turn): void {
      lock.leave();
      if (locks.underWay() === 0) lockGates.delete(supply.name);
    }
    async function waitForLock(): Promise<Entered | Refusal> {
      first.leave();
      const lock = await locks.enter(arrival);
      if (!isTurn(lock)) return refusalOf(lock, LOCKS_IN_USE);
      const turn = await own.enter(arrival);
      if (isTurn(turn)) return both(turn, lock);
      leaveLock(lock);
      return refusalOf(turn, '');
    }
    const free = locks.tryEnter(arrival);
    return free === null ? waitForLock() : both(first, free);
  }

  return {
    /** Tells when the call may begin, at once if it need not wait, or the reason why it must not. */
    enter({ isQuery, locks, ...call }: Call): Entered | Refusal | Promise<Entered | Refusal> {
      const own = isQuery ? readGate : gate;
      const arrival = { since: now(), ...call };
      function entered(turn: Turn | NoTurn): Entered | Refusal | Promise<Entered | Refusal> {
        if (!isTurn(turn)) return refusalOf(turn, '');
        const supply = locks();
        return supply === null
          ? { ok: true, leave: turn.leave }
          : withLock(own, turn, arrival, supply);
      }
      const free = own.tryEnter(arrival);
      return free === null ? own.enter(arrival).then(entered) : entered(free);
    },
    /** Calls that wait. */
    waiting: () => places.taken() + (hasOwnReads ? readPlaces.taken() : 0),
    /** Refuses all calls that wait, and those that would have to. */
    close(): void {
      for (const one of new Set([gate, readGate, ...lockGates.values()])) one.close();
    },
  };
}

const isTurn = (turn: Turn | NoTurn): turn is Turn => typeof turn === 'object' && 'leave' in turn;

const REASONS = {
  too_long: 'This one was not begun: its turn would not have come in time.',
  no_place: 'This one was not begun: others of the same caller take its places in the queue.',
  waited: 'This one was not begun: its turn did not come in time.',
} as const satisfies Record<Overload['overload'], string>;
const LOCKS_IN_USE = 'Payments under way have all locks that the channel gives. ';
const ADVICE = 'Call again after the seconds of Retry-After, and make fewer calls at a time.';
