/**
 * Which actor looks after a lock. While a channel can sign, each lock of either side has one payment actor, or one
 * keeper, that decides what becomes of the lock. Once the channel signs nothing any more, only the chain decides over
 * our own locks, and the channel itself looks after them: its state tells so. The partner's locks keep their actor
 * until the channel is gone, because their secrets may still have to reach the chain.
 *
 * `state` is the dotted text of a state, such as `opened.deposit.idle`.
 */

/** Whether the channel can still unlock its own locks, or take them back. */
export function signsForLocks(state: string): boolean {
  return state.startsWith('opened') || state === 'closing.sound';
}

/** Whether a mediator still looks after the payer's lock. */
export function answersForPayer(state: string): boolean {
  return /\bpayer\.unpaid\b/.test(state);
}

/** Whether a mediator still looks after its own lock for the payee. */
export function answersForPayee(state: string): boolean {
  return /\bpayee\.(pending|disputed)\b/.test(state);
}

/**
 * Whether this node may still have to register the secret of a lock: `ahead` if it may, `behind` if that is done or
 * no longer possible. Null: the lock is paid, lost or over.
 */
export type Registration = 'ahead' | 'behind' | null;

/** The registration for the payer's lock of a mediator. */
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
 * A keeper registers the secret of a lock only when it does not know which payment the lock belongs to; otherwise it
 * holds the lock until it expires.
 */
export function keeperRegistration(state: string, isUnexplained: boolean): Registration {
  if (state === 'over') return null;
  return state === 'registering' || (state === 'holding' && isUnexplained) ? 'ahead' : 'behind';
}

/** Whether a mediator has not found a next hop yet that takes its transfer. */
export function looksForHop(state: string): boolean {
  return /\bpayee\.waiting\b/.test(state);
}
