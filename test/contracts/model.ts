/**
 * Settlement with numbers of any size, written from the rules instead of from the contract: plain
 * integers, with the contract's 256-bit ceiling applied only where the rules name it.
 */
export type Side = { deposit: bigint; withdrawn: bigint; transferred: bigint; locked: bigint };
export type Shares = { paid1: bigint; paid2: bigint; locked1: bigint; locked2: bigint };

export const CEILING = 2n ** 256n - 1n;

const atMost = (limit: bigint, amount: bigint) => (amount > limit ? limit : amount);
const notNegative = (amount: bigint) => (amount < 0n ? 0n : amount);

/** Transferred and locked, which is what orders the two sides. */
export function sent({ transferred, locked }: Side): bigint {
  return atMost(CEILING, transferred + locked);
}

/** How the tokens are divided; `two` has sent at least as much as `one`. */
export function divide(one: Side, two: Side): Shares {
  const available = one.deposit + two.deposit - one.withdrawn - two.withdrawn;
  const claim = atMost(CEILING, sent(two) - sent(one) + one.deposit);
  const received1 = atMost(available, notNegative(claim - one.withdrawn));
  const received2 = available - received1;
  const paid1 = notNegative(received1 - two.locked);
  const paid2 = notNegative(received2 - one.locked);
  return { paid1, paid2, locked2: received1 - paid1, locked1: received2 - paid2 };
}
