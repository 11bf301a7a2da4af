/**
 * Whether a path-finding service can redeem what it is promised: the contract pays registered services only, and
 * registrations end. An IOU for anybody else would be given for nothing.
 */

import type { Address } from '../../basics/hex.ts';
import { createRecent } from '../../basics/recent.ts';

type Options = {
  /** Whether the service registry has the address, by the newest block. Rejects when the chain does not answer. */
  isRegistered(service: Address): Promise<boolean>;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
};
export type PayeeCheck = ReturnType<typeof createPayeeCheck>;

/** How long an answer holds. A service names its address itself, so no answer leads to a question for each payment. */
const REGISTERED_MS = 600_000;
const UNREGISTERED_MS = 60_000;
/** Addresses that are remembered. */
const MOST_PAYEES = 16;

export function createPayeeCheck({ isRegistered, elapsed }: Options) {
  const payees = createRecent({
    most: MOST_PAYEES,
    create: (_: Address): Known => ({ isRegistered: null, dueAt: Number.NEGATIVE_INFINITY }),
  });

  async function look(payee: Address, known: Known): Promise<void> {
    known.dueAt = elapsed() + UNREGISTERED_MS;
    try {
      known.isRegistered = await isRegistered(payee);
      if (known.isRegistered) known.dueAt = elapsed() + REGISTERED_MS;
    } catch {
      // What it was some minutes ago it most probably still is.
    }
  }

  return {
    /** Why the address is not to be paid, to follow "The path-finding service"; null: it is to be paid. */
    async trouble(payee: Address): Promise<string | null> {
      const known = payees.of(payee);
      if (elapsed() >= known.dueAt) await look(payee, known);
      if (known.isRegistered === true) return null;
      return known.isRegistered === null
        ? `names ${payee} as its address, and the service registry does not answer whether that is registered`
        : `wants to be paid at ${payee}, which is not registered as a service: it could redeem nothing, so it is promised nothing`;
    },
    /** The service says that it is not registered: it is looked at anew before the next payment. */
    doubt(payee: Address): void {
      payees.of(payee).dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Null: never answered. */
type Known = { isRegistered: boolean | null; dueAt: number };
