/** Which timeouts a node may use: those that leave time to protect a payment on chain. */
import { isDevelopment } from '../chain/development.ts';
import type { NodeSettings } from '../node/runtime/parts.ts';
import {
  LEAST_REVEAL_TIMEOUT,
  leastRevealTimeout,
  takesOverInTime,
} from '../protocol/channel/expiration.ts';
import { refusal, type StartRefusal } from './base/refusal.ts';

/** The least reveal timeout in blocks: what the confirmations demand; on real chains at least the documented one. */
export function minRevealTimeoutOf(chainId: bigint, confirmations: bigint): bigint {
  return leastRevealTimeout(confirmations, isDevelopment(chainId) ? 0n : LEAST_REVEAL_TIMEOUT);
}

/** What is wrong with a standby that takes over after so many milliseconds, for people; null: nothing. */
export function slowTakeover(
  takeoverAfterMs: number,
  { revealTimeout, blockSeconds }: { revealTimeout: bigint; blockSeconds: number | null },
): string | null {
  if (blockSeconds === null) return null;
  const seconds = takeoverAfterMs / 1_000;
  if (takesOverInTime(seconds, { revealTimeout, blockSeconds })) return null;
  const blocks = Math.ceil(seconds / blockSeconds);
  return (
    `this standby takes over after ${seconds} s, which are ${blocks} blocks here, and a payment is protected ` +
    `within the reveal timeout of ${revealTimeout}: payments can be lost meanwhile. Give --takeover-after less, or both nodes a ` +
    'longer --default-reveal-timeout'
  );
}

type Timeouts = Pick<
  NodeSettings,
  'defaultSettleTimeout' | 'defaultRevealTimeout' | 'minRevealTimeout' | 'confirmations'
>;

export function timeoutRefusal(settings: Timeouts): StartRefusal | null {
  const { defaultSettleTimeout: settle, defaultRevealTimeout: reveal } = settings;
  const { minRevealTimeout, confirmations } = settings;
  if (reveal < minRevealTimeout)
    return refusal(
      'invalid_settings',
      `with --confirmations ${confirmations}, on this chain, --default-reveal-timeout must be at least ${minRevealTimeout} blocks: a shorter one leaves no time to protect a payment on chain`,
    );
  if (settle >= 2n * reveal) return null;
  return refusal(
    'invalid_settings',
    '--default-settle-timeout must be at least twice --default-reveal-timeout',
  );
}
