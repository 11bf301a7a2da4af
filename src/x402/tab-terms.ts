/** What a seller says of its tabs, in `extra.tab` of an offer whose amount is the least that opens one. */
import { amountIn } from './offer.ts';

/**
 * `most`: what may lie on one tab, in the token's smallest unit. `idleSeconds`: after how long without a call the seller pays
 * the rest back by itself.
 */
export type TabTerms = { most: bigint; idleSeconds: number };

const LONGEST_IDLE_SECONDS = 30 * 86_400;

export const termsExtra = ({ most, idleSeconds }: TabTerms) => ({
  tab: { most: `${most}`, idleSeconds },
});

/** Null: the offer is not one of a tab. Throws nothing. */
export function termsIn(extra: unknown): TabTerms | null {
  const { tab }: { tab?: unknown } = Object(extra);
  const { most: text, idleSeconds }: Record<string, unknown> = Object(tab);
  const most = amountIn(text);
  const isTime =
    typeof idleSeconds === 'number' &&
    Number.isSafeInteger(idleSeconds) &&
    idleSeconds > 0 &&
    idleSeconds <= LONGEST_IDLE_SECONDS;
  return most !== null && isTime ? { most, idleSeconds } : null;
}

/** Whether the offer says that it opens a tab: such a one is nothing else, even when its terms are of no use. */
export const isTabOffer = (extra: unknown): boolean => Object(extra).tab !== undefined;
