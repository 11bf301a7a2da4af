/**
 * When a registration has to be renewed, and what is to be said of it. Pure. A deposit before the end prolongs the
 * registration by a whole duration, at the price of the moment; the older deposit stays locked until its own end.
 */
import { larger, smaller } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';

/** What the registry and the token say. Times in seconds since 1970, prices in units of the token. */
export type RegistrationFacts = {
  /** The end of the registration by the newest block; 0: there never was one. */
  till: bigint;
  /** The same by a block that cannot be undone. */
  sureTill: bigint;
  /** How long a registration lasts, in seconds. */
  duration: bigint;
  /** What a renewal costs now. */
  price: bigint;
  /** Units of the token that the service holds. */
  held: bigint;
};
export type RenewalTerms = {
  service: Address;
  token: Address;
  /** The highest accepted price of a renewal; null: it is not renewed. */
  renewUpTo: bigint | null;
};
/** What became of the renewal in this process. `failure`: what the last try says. */
export type RenewalState = { isUnderWay: boolean; failure: string | null };

const HOUR = 3_600n;
const DAY = 24n * HOUR;

/** Seconds before the end at which it is renewed: there are many tries until then. */
const renewAhead = (duration: bigint): bigint => smaller(duration / 10n, 10n * DAY);
/** Seconds before the end from which on people are told: somebody may have to buy tokens first. */
const warnAhead = (duration: bigint): bigint => smaller(duration / 5n, 14n * DAY);
/** Seconds before the end from which on what is owed is fetched. */
export const claimAhead = (duration: bigint): bigint => smaller(duration / 50n, 2n * DAY);
/** Seconds before the end from which on nothing is taken on: what follows from it could come too late. */
export const lastMoments = (duration: bigint): bigint => smaller(duration / 100n, HOUR);

/**
 * Whether a renewal has to begin now. An endpoint may show an old state as the newest, and what the newest block shows
 * may still be undone: neither may lead to a second payment.
 */
export function isRenewalDue({ till, sureTill, duration }: RegistrationFacts, now: bigint) {
  return larger(till, sureTill) - now <= renewAhead(duration);
}

/** Whether the accepted price and the tokens suffice for a renewal. */
export function canRenew(facts: RegistrationFacts, { renewUpTo }: RenewalTerms): boolean {
  return renewUpTo !== null && facts.price <= renewUpTo && facts.held >= facts.price;
}

/** Why the service cannot act as one, and what to do; null: it can. */
export function registrationTrouble(
  facts: RegistrationFacts,
  terms: RenewalTerms,
  now: bigint,
): string | null {
  const { till, duration } = facts;
  if (till - now > lastMoments(duration)) return null;
  const { service, renewUpTo } = terms;
  const what =
    till === 0n
      ? `${service} is not registered as a service`
      : `The registration of ${service} as a service ${till > now ? 'ends' : 'ended'} ${moment(till)}`;
  const todo =
    renewUpTo === null
      ? `start again with --register-until-stopped and --accept-price, ${cost(facts, terms)}`
      : 'it is registered again as soon as that can be paid';
  return `${what}: nothing is taken on; ${todo}.`;
}

/** Why the registration will end, or is not prolonged, and what to do; null: nothing has to be done. */
export function renewalTrouble(
  facts: RegistrationFacts,
  terms: RenewalTerms,
  state: RenewalState,
  now: bigint,
): string | null {
  const { till, sureTill, duration, price, held } = facts;
  const left = till - now;
  if (left > warnAhead(duration)) return null;
  const { service, renewUpTo } = terms;
  const what = `The registration of ${service} as a service ends ${moment(till)}`;
  if (renewUpTo === null) {
    // Once it has ended, that is said instead.
    if (left <= 0n) return null;
    return `${what}, and nothing renews it: start again with --register-until-stopped and --accept-price, ${cost(facts, terms)}.`;
  }
  const why = `${left > 0n ? what : `${service} is not registered as a service`}, and cannot be renewed`;
  if (state.isUnderWay)
    return sureTill - now > renewAhead(duration) / 2n
      ? null
      : `${why} yet: the transaction is not through; see the log, and that there is money for gas.`;
  if (price > renewUpTo)
    return `${why}: ${cost(facts, terms)}, more than --accept-price ${renewUpTo}: raise that, or wait until the price has fallen.`;
  if (held < price) return `${why}: ${cost(facts, terms)}, and it holds ${held}: send it the rest.`;
  return state.failure === null ? null : `${why}: ${state.failure}. It is tried again.`;
}

const cost = ({ price }: RegistrationFacts, { token }: RenewalTerms): string =>
  `it costs a deposit of ${price} units of the token ${token} now`;

/** In UTC, to the minute. */
function moment(seconds: bigint): string {
  const text = new Date(Number(seconds) * 1_000).toISOString();
  return `at ${text.slice(0, 16).replace('T', ' ')} UTC`;
}
