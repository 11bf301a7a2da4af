/** Why a proof is refused, in the words that an answer has for programs. */

/** What the server says itself, before it asks its node. */
export const REASONS = {
  malformed: 'invalid_channel_payload',
  foreign: 'invalid_channel_offer',
  expired: 'channel_offer_expired',
} as const;

/** With these a proof is of no use any more: nothing that comes later makes it good. */
const FINAL: readonly string[] = [...Object.values(REASONS), 'duplicate_settlement'];

export const isFinal = (reason: string): boolean => FINAL.includes(reason);
