/** A node mediates no payment when it could not pay for registering the secret on chain. */

import { lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';
import type { Ledger } from './ledger.ts';

type Needs = Pick<Facts & Ledger, 'head' | 'isInitiator' | 'machine' | 'machines' | 'wei'>;

/** Less than any registration takes. */
const LEAST_GAS = 45_000n;
/** Blocks that a node may take to see that its money is gone. */
const UNSEEN = 5n;

export function createReserves({ head, machine, machines, wei, isInitiator }: Needs): Oracle {
  /** The last block at which each node could pay, by name. */
  const rich = new Map<string, bigint>();
  let price = 0n;

  return {
    block({ baseFee }) {
      price = baseFee;
      for (const { name, address } of machines())
        if (wei(address) >= LEAST_GAS * price) rich.set(name, head());
    },
    commit(who, { proofs }) {
      for (const { side, kind, secrethash } of lockChanges(proofs)) {
        if (side !== 'own' || kind !== 'add' || isInitiator(who, secrethash)) continue;
        const last = rich.get(who);
        const node = machine(who);
        if (node === null || last === undefined || head() - last < UNSEEN) continue;
        if (wei(node.address) >= LEAST_GAS * price) continue;
        throw new Violation(26, who, `${who} passes a payment on without money since ${last}`);
      }
    },
  };
}
