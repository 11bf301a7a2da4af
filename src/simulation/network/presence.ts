/** The question whether a node is there, as the simulated broker answers it. */
import type { Sighting } from '../../partner/transport.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Draw } from '../world/randomness.ts';
import type { Endpoint } from './endpoints.ts';
import type { Wires } from './wires.ts';

export type Presence = ReturnType<typeof createPresence>;

/** How long an answer is waited for. */
const TIMEOUT_MS = 2_000;

export function createPresence({ endpoints, faults, scheduler, latency }: Wires) {
  /** The keys that nodes have told; a hostile broker knows them, too. */
  const keys = new Map<Address, Uint8Array>();

  /** Whether nothing passes between the two at this moment, in one direction or the other. */
  function isCut(a: Address, b: Address): boolean {
    const ways = [
      { from: a, to: b },
      { from: b, to: a },
    ];
    return ways.some(
      (way) =>
        faults.hit('lose', way) !== null ||
        faults.hit('partition', way) !== null ||
        faults.hit('deaf', way) !== null,
    );
  }

  /** What the broker says now, and whether the asker has waited in vain for it. */
  function sightingOf(asker: Endpoint, other: Address): { sighting: Sighting; isLate: boolean } {
    const forged = faults.hit('forgePresence', null);
    if (forged !== null) return { sighting: forgedSighting(other, forged.draw), isLate: false };
    const isUnheard = !asker.isConnected || isCut(asker.address, other);
    if (isUnheard) return { sighting: { state: 'unknown' }, isLate: true };
    const found = endpoints.listeners(other);
    for (const { publicKey, isProven } of found)
      if (publicKey !== null && isProven)
        return { sighting: { state: 'reachable', publicKey }, isLate: false };
    // A wrong key counts for nothing, so the right one is waited for.
    const isThere = found.length > 0;
    return { sighting: { state: isThere ? 'unknown' : 'unreachable' }, isLate: isThere };
  }

  /** A wrong key would be seen through, so it is no more than silence. */
  function forgedSighting(other: Address, draw: Draw): Sighting {
    const publicKey = keys.get(other);
    const lies: Sighting[] = [{ state: 'unreachable' }, { state: 'unknown' }];
    if (publicKey !== undefined) lies.push({ state: 'reachable', publicKey });
    return draw.pick(lies);
  }

  /** Resolves so many milliseconds from now, unless the asker is dead by then. */
  function later<T>(asker: Endpoint, ms: number, answer: () => T): Promise<T> {
    return new Promise((resolve) => {
      scheduler.after(ms, () => {
        if (!asker.isDead) resolve(answer());
      });
    });
  }

  return {
    note: (address: Address, publicKey: Uint8Array) => void keys.set(address, publicKey),
    async ask(asker: Endpoint, other: Address): Promise<Sighting> {
      if (!asker.isConnected) return later(asker, 0, () => ({ state: 'unknown' }));
      const wayMs = latency(asker);
      const { sighting, isLate } = await later(asker, wayMs, () => sightingOf(asker, other));
      const backMs = isLate ? TIMEOUT_MS - wayMs : latency(asker);
      return later(asker, backMs, () => (asker.isConnected ? sighting : { state: 'unknown' }));
    },
    /** Who has the key can prove it, and nobody else can: a forged answer changes nothing. */
    async findRival(asker: Endpoint): Promise<boolean> {
      const { address } = asker;
      const tripMs = latency(asker) + latency(asker);
      return later(asker, tripMs, () => {
        const others = endpoints.listeners(address).filter((one) => one !== asker && one.isProven);
        return asker.isConnected && others.length > 0 && !isCut(address, address);
      });
    },
  };
}
