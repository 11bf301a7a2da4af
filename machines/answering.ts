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

/**
 * Whether the secret of the lock that somebody answers for may still have to be brought on chain by this node:
 * that is `ahead`, or `behind` it. Null: the lock is paid, lost or over.
 */
export type Registration = 'ahead' | 'behind' | null;

/** Of the lock that a mediator was given. */
export function mediatorRegistration(state: string): Registration {
  const word = state.match(/\bpayer\.unpaid\.(\w+)/)?.[1];
  if (word === undefined) return null;
  return word === 'registered' || word === 'expiring' ? 'behind' : 'ahead';
}

export function targetRegistration(state: string): Registration {
  if (state === 'paid' || state === 'lost') return null;
  const isAhead = ['requesting', 'revealed', 'closed', 'registering'].includes(state);
  return isAhead ? 'ahead' : 'behind';
}

/**
 * A keeper registers the secret of a lock only when it does not know which payment the lock belongs to; else it holds
 * the lock until it runs out.
 */
export function keeperRegistration(state: string, isUnexplained: boolean): Registration {
  if (state === 'over') return null;
  return state === 'registering' || (state === 'holding' && isUnexplained) ? 'ahead' : 'behind';
}

/** Whether a mediator has found nobody yet to pass its transfer on to. */
export function looksForHop(state: string): boolean {
  return /\bpayee\.waiting\b/.test(state);
}
