/** Whether partners are online: they are asked from time to time, and every message of theirs shows it. */
import type { Address } from '../../basics/hex.ts';

export type NetworkState = 'reachable' | 'unreachable' | 'unknown';
export type Presence = ReturnType<typeof createPresence>;

const RECHECK_MS = 15_000;
const RECHECK_SILENT_MS = 2_000;
/** How long a sign of life counts for a payment that is to begin: then the partner is asked first. */
const FRESH_MS = 2_000;
/** With thousands of partners the questions are spread over ticks; a partner that comes back sends messages anyway. */
const QUESTIONS_PER_TICK = 50;

const NEVER_SEEN = {
  state: 'unknown',
  nextTime: 0,
  seenTime: Number.NEGATIVE_INFINITY,
} as const;

type Options = {
  ask(address: Address): Promise<NetworkState>;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
  /** Called when a partner is reachable after it was not, or was not known to be. */
  onBack(address: Address): void;
  /** Called when a partner is found to be away. */
  onAway(address: Address): void;
};

export function createPresence({ ask, elapsed, onBack, onAway }: Options) {
  const partners = new Map<Address, { state: NetworkState; nextTime: number; seenTime: number }>();
  /** No partner is due before. */
  let soonestTime: number = Number.NEGATIVE_INFINITY;

  function note(address: Address, state: NetworkState) {
    const before = partners.get(address);
    if (before === undefined) return;
    const pause = state === 'reachable' ? RECHECK_MS : RECHECK_SILENT_MS;
    const time = elapsed();
    const seenTime = state === 'reachable' ? time : before.seenTime;
    partners.set(address, { state, nextTime: time + pause, seenTime });
    soonestTime = Math.min(soonestTime, time + pause);
    if (state === before.state) return;
    if (state === 'reachable') onBack(address);
    if (state === 'unreachable') onAway(address);
  }

  async function check(address: Address): Promise<NetworkState> {
    const askedTime = elapsed();
    const state = await ask(address);
    const seenTime = partners.get(address)?.seenTime ?? Number.NEGATIVE_INFINITY;
    // On a line that is slower than the question waits, everything would be repeated again and again as if it had been away.
    if (state === 'unknown' && seenTime >= askedTime) return 'reachable';
    note(address, state);
    return state;
  }

  return {
    /** Adds a partner, which is asked from the next `tick` on. */
    watch(address: Address) {
      if (partners.has(address)) return;
      partners.set(address, NEVER_SEEN);
      soonestTime = NEVER_SEEN.nextTime;
    },
    stateOf: (address: Address): NetworkState => partners.get(address)?.state ?? 'unknown',
    /** Whether the partner has just shown that it is there. */
    isFresh(address: Address): boolean {
      const known = partners.get(address);
      return known?.state === 'reachable' && elapsed() - known.seenTime < FRESH_MS;
    },
    reachable: (): Address[] =>
      [...partners].filter(([, { state }]) => state === 'reachable').map(([address]) => address),
    heard: (address: Address) => note(address, 'reachable'),
    check,
    /** Asks the partners whose next check is due. */
    tick() {
      const time = elapsed();
      if (time < soonestTime) return;
      const due = [...partners].filter(([, { nextTime }]) => nextTime <= time);
      soonestTime = Number.POSITIVE_INFINITY;
      for (const [address, known] of due.slice(0, QUESTIONS_PER_TICK)) {
        // Moves the partner to the end of the map, so that every partner gets its turn.
        partners.delete(address);
        partners.set(address, { ...known, nextTime: time + RECHECK_MS });
        void check(address);
      }
      for (const { nextTime } of partners.values()) soonestTime = Math.min(soonestTime, nextTime);
    },
    /** Called when the broker's connection changed: what was known before may be wrong. */
    forgetAll() {
      for (const address of partners.keys()) partners.set(address, NEVER_SEEN);
      soonestTime = NEVER_SEEN.nextTime;
    },
  };
}
