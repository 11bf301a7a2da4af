/** Why a proof is refused, in the words that an answer has for programs. */

/** What the server says itself, before it asks its node. */
export const PURCHASE_REASONS = {
  malformed: 'malformed_proof',
  foreign: 'unknown_offer',
  expired: 'expired',
} as const;

/**
 * With these a proof is of no use any more: nothing that comes later makes it good. The others of a node are that it does
 * not know the payment yet.
 */
const FINAL: readonly string[] = [
  ...Object.values(PURCHASE_REASONS),
  'unsupported_scheme',
  'requirements_mismatch',
  'network_mismatch',
  'recipient_mismatch',
  'identifier_mismatch',
  'payer_mismatch',
  'asset_mismatch',
  'insufficient_amount',
  'duplicate_settlement',
];

export const isFinal = (reason: string): boolean => FINAL.includes(reason);

/** The payment has arrived and is not paid yet: the same proof is good when it is. */
export const PENDING = 'payment_pending';

/** What was redeemed is taken back, and good for another call: the answer was not charged. */
export const RELEASED = 'released';

/** This payer has had many answers that were not charged: later the same proof is good. */
export const TOO_MANY_UNSERVED = 'too_many_unserved';

/** No tab more can be opened: the payment can open one later. */
export const TOO_MANY_TABS = 'too_many_tabs';

/** The payment has opened its tab already: calls draw from it, and this proof is of no further use. */
export const TAB_OPEN = 'tab_open';

/** Why a ticket is refused. */
const OF_TICKETS = [
  'unknown_tab',
  'malformed_ticket',
  'tab_closed',
  'tab_of_another_token',
  'tab_exhausted',
  'most_too_low',
  'counter_used',
  'counter_too_far',
] as const;
export type TabReason = (typeof OF_TICKETS)[number];

export const isOfTicket = (reason: string): boolean => OF_TICKETS.some((one) => one === reason);
