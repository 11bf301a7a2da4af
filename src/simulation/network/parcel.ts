/** What is on its way on the simulated network, and who watches it. */
import type { Topic } from '../../partner/transport.ts';
import type { Address } from '../../protocol/hex.ts';

/** One payload on its way to one node; `topic`: it was broadcast. Its bytes never change. */
export type Parcel = { from: Address; to: Address; topic: Topic | null; payload: Uint8Array };

/**
 * What became of a payload. `sent` is told once for each recipient, before anything can happen to it; a
 * payload that is doubled or replayed is delivered more than once. `by`: the name of the fault that lost or
 * made it, or `nobody` where nobody listened; else null.
 */
export type Sight = { type: 'sent' | 'delivered' | 'lost'; parcel: Parcel; by: string | null };

export type Counters = {
  sent: number;
  delivered: number;
  lost: number;
  /** Of what was sent. */
  bytes: number;
};

/** The last payloads, so many, in no order; a hostile broker takes from them. */
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
