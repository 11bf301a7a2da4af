/** Payloads on their way through the simulated network, and how they are watched. */

import type { Address } from '../../basics/hex.ts';
import type { Topic } from '../../partner/transport.ts';

/** One payload on its way to one node; `topic`: of a broadcast, else null. Its bytes never change. */
export type Parcel = { from: Address; to: Address; topic: Topic | null; payload: Uint8Array };

/**
 * What happened to a payload. `sent` is reported once for each recipient, before anything can happen to it; a
 * payload that is duplicated or replayed is delivered more than once. `by`: the name of the fault that lost or made
 * it, `its line` when the line between the two lost it, or `nobody` when no process listened; else null.
 */
export type Sight = { type: 'sent' | 'delivered' | 'lost'; parcel: Parcel; by: string | null };

export type Counters = {
  sent: number;
  delivered: number;
  lost: number;
  /** Bytes of all sent payloads. */
  bytes: number;
};

/** The last `limit` payloads, in no order, for a hostile broker to replay. */
export function createMemory(limit: number) {
  const parcels: Parcel[] = [];
  let next = 0;
  return {
    note(parcel: Parcel): void {
      if (limit === 0) return;
      parcels[next] = parcel;
      next = (next + 1) % limit;
    },
    parcels: (): readonly Parcel[] => parcels,
  };
}
