/**
 * Who answers for a lock. While a channel can sign, each lock of either side has one payment, or one keeper,
 * that decides what becomes of it. Where nothing is signed any more only the chain decides over our own
 * locks: the channel itself answers for them, and its state is the mark of it. The partner's locks keep
 * theirs until the channel is gone: their secrets may still have to reach the chain.
 *
 * `state` is the dotted text of a state, as `opened.deposit.idle`.
 */

/** Whether the channel can still unlock its own locks, or take them back. */
export function signsForLocks(state: string): boolean {
  return state.startsWith('opened') || state === 'closing.sound';
}

/** Whether a mediator answers for the lock that it was given. */
export function answersForPayer(state: string): boolean {
  return /\bpayer\.unpaid\b/.test(state);
}

/** Whether a mediator answers for the lock that it gave. */
export function answersForPayee(state: string): boolean {
  return /\bpayee\.(pending|disputed)\b/.test(state);
}
