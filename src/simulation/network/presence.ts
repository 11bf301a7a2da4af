/** Answers whether a node is there, like the broker. */

import type { Address } from '../../basics/hex.ts';
import type { Rival, Sighting } from '../../partner/transport.ts';
import type { Draw } from '../world/randomness.ts';
import type { Endpoint } from './endpoints.ts';
import type { Wires } from './wires.ts';

export type Presence = ReturnType<typeof createPresence>;

/** How long a node waits for an answer. */
const TIMEOUT_MS = 2_000;

export function createPresence({ endpoints, faults, scheduler, latency, abroad }: Wires) {
  /** The public keys that nodes have announced; a hostile broker knows them, too. */
  const keys = new Map<Address, Uint8Array>();

  /** Whether the network is cut between the two at this moment, in one direction or both. */
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

  /** The broker's answer now, and whether it comes only after the asker's timeout. */
  function sightingOf(asker: Endpoint, other: Address): { sighting: Sighting; isLate: boolean } {
    const forged = faults.hit('forgePresence', null);
    if (forged !== null) return { sighting: forgedSighting(other, forged.draw), isLate: false };
    const isUnheard = !asker.isConnected || isCut(asker.address, other);
    if (isUnheard) return { sighting: { state: 'unknown' }, isLate: true };
    const key = abroad?.keyOf(other) ?? null;
    if (key !== null) return { sighting: { state: 'reachable', publicKey: key }, isLate: false };
    const found = endpoints.listeners(other);
    for (const { publicKey, isProven } of found)
      if (publicKey !== null && isProven)
        return { sighting: { state: 'reachable', publicKey }, isLate: false };
    // A wrong key is ignored, so the asker waits for the right one.
    const isThere = found.length > 0;
    return { sighting: { state: isThere ? 'unknown' : 'unreachable' }, isLate: isThere };
  }

  /** A forged answer. A wrong key would be recognised, so that it is the same as no answer. */
  function forgedSighting(other: Address, draw: Draw): Sighting {
    const publicKey = keys.get(other);
    const lies: Sighting[] = [{ state: 'unreachable' }, { state: 'unknown' }];
    if (publicKey !== undefined) lies.push({ state: 'reachable', publicKey });
    return draw.pick(lies);
  }

  /** Resolves after so many milliseconds, unless the asker is dead by then. */
  function later<T>(asker: Endpoint, ms: number, answer: () => T): Promise<T> {
    return new Promise((resolve) => {
      scheduler.after(ms, () => {
        if (!asker.isDead) resolve(answer());
      });
    });
  }

  return {
    note(address: Address, publicKey: Uint8Array) {
      keys.set(address, publicKey);
      abroad?.listens(address, publicKey);
    },
    async ask(asker: Endpoint, other: Address): Promise<Sighting> {
      if (!asker.isConnected) return later(asker, 0, () => ({ state: 'unknown' }));
      const tripMs = latency(asker) + latency(asker);
      const { sighting, isLate } = await later(asker, tripMs, () => sightingOf(asker, other));
      if (!isLate) return sighting;
      return later(asker, TIMEOUT_MS - tripMs, () =>
        asker.isConnected ? sighting : { state: 'unknown' },
      );
    },
    /**
     * Whether another process with the same key is there. Only a process with the key can prove it, so forged
     * answers change nothing.
     */
    async findRival(asker: Endpoint): Promise<Rival> {
      const { address } = asker;
      const tripMs = latency(asker) + latency(asker);
      return later(asker, tripMs, () => {
        const others = endpoints.listeners(address).filter((one) => one !== asker && one.isProven);
        if (!asker.isConnected || others.length === 0 || isCut(address, address)) return 'none';
        const isFenced = (one: Endpoint) => one.fence !== null && one.fence === asker.fence;
        return others.every(isFenced) ? 'fenced' : 'free';
      });
    },
  };
}
