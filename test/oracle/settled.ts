/** What the contract would pay if a channel were settled with given balance proofs, written anew from protocol section 5.4. */

/** One side: what is on chain, and what its balance proof says that it has moved. */
export type Proven = { deposit: bigint; withdrawn: bigint; transferred: bigint; locked: bigint };
export type Paid = { own: bigint; partner: bigint; locks: bigint };

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const sent = ({ transferred, locked }: Proven) => transferred + locked;

export function settled(own: Proven, partner: Proven): Paid {
  if (sent(own) > sent(partner)) {
    const { own: theirs, partner: ours, locks } = settled(partner, own);
    return { own: ours, partner: theirs, locks };
  }
  const all = own.deposit + partner.deposit - own.withdrawn - partner.withdrawn;
  const earned = own.deposit + sent(partner) - sent(own) - own.withdrawn;
  const first = least(earned > 0n ? earned : 0n, all);
  const second = all - first;
  const [keptOfFirst, keptOfSecond] = [least(first, partner.locked), least(second, own.locked)];
  return {
    own: first - keptOfFirst,
    partner: second - keptOfSecond,
    locks: keptOfFirst + keptOfSecond,
  };
}
