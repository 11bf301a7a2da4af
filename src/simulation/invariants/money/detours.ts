/**
 * What its own channel with the payee can carry a node pays through that, and not over others, who want fees for it. That
 * channel has the amount from when the payment is asked for until it has arrived, and room for its lock.
 */

import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import { lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';
import type { Ledger } from './ledger.ts';

type Needs = Pick<
  Facts & Ledger,
  'honest' | 'isInitiator' | 'isOpen' | 'machine' | 'signedSide' | 'tokenNetwork'
> &
  Pick<Facts, 'head' | 'undisturbedSince'> & {
    /** The pair's present channel; 0n: it has none. */
    channelIdOf(pair: readonly [Address, Address]): bigint;
    /** What the node shows as its balance in the channel with the partner, which another rule checks. */
    balanceOf(who: string, partner: Address): bigint;
  };
/** `amount` in the token's smallest unit. */
export type Order = { payee: Address; amount: bigint };
export type Detours = ReturnType<typeof createDetours>;

/** A channel with fewer pending locks of the payer takes one more. */
const FEW_LOCKS = 8;
/** Payments whose way is remembered. */
const KEPT = 20_000;

export function createDetours(needs: Needs) {
  const { head, isOpen, machine, signedSide, tokenNetwork } = needs;
  /** The channels through which nodes have begun to pay, by node and secrethash. */
  const ways = createRecent<Set<string>>(KEPT);
  const found: Violation[] = [];
  /** Nodes whose channels may only be closed, since the chain has lost something of them. */
  const replaced = new Set<string>();

  /** The channel that can carry the payment now; null: none, or something may be in its way. */
  function directWay(who: string, { payee, amount }: Order): string | null {
    const own = machine(who)?.address;
    if (own === undefined || needs.honest(payee) === null || replaced.has(who)) return null;
    const channelId = needs.channelIdOf([own, payee]);
    const channel = channelActorId({ tokenNetwork, channelId });
    const locks = signedSide(who, 'own', channel)?.locks.size ?? 0;
    const isFree = isOpen(channel) && locks < FEW_LOCKS;
    return isFree && needs.balanceOf(who, payee) >= amount ? channel : null;
  }

  const oracle: Oracle = {
    commit(who, { proofs }) {
      for (const { side, kind, channel, secrethash } of lockChanges(proofs)) {
        if (side !== 'own' || kind !== 'add' || !needs.isInitiator(who, secrethash)) continue;
        const key = `${who} ${secrethash}`;
        const known = ways.get(key) ?? new Set();
        ways.set(key, known.add(channel));
      }
    },
    replaced: (who) => void replaced.add(who),
    block() {
      for (const violation of found) throw violation;
    },
  };
  return {
    oracle,
    /** An owner asks for a payment, of which he leaves the way to the node. The returned function is called when it has arrived. */
    pays(who: string, order: Order): (secrethash: Hash) => void {
      const [channel, block] = [directWay(who, order), head()];
      return (secrethash) => {
        const since = needs.undisturbedSince();
        const known = ways.get(`${who} ${secrethash}`);
        if (channel === null || known === undefined || known.has(channel)) return;
        if (since === null || since >= block || directWay(who, order) === null) return;
        const text = `${who} pays ${order.amount} over others, which its own ${channel} could carry`;
        found.push(new Violation(9, who, text));
      };
    },
  };
}
