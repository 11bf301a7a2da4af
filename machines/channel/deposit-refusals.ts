/** What may be deposited into a channel. The limits are those of the contracts, read just before the command. */
import { MAX_UINT256 } from '../../src/protocol/amount.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { DepositLimits } from '../events/commands.ts';
import { UNSAFE_TIMEOUTS } from './timeouts.ts';

/**
 * Why a total deposit of `total` is refused, or null. Wrong values are found before a lack of money, as the API
 * orders the errors.
 */
export function depositRefusal(current: bigint, total: bigint, limits: DepositLimits): Code | null {
  const added = total - current;
  if (added < 0n) return 'total_not_higher';
  if (total > limits.participantLimit || total > MAX_UINT256) return 'above_limit';
  if (added > limits.networkRoom) return 'above_limit';
  return added > limits.ownTokens ? 'insufficient_balance' : null;
}

/** What a person is told about a refused deposit. */
export function depositAdvice(code: Code): string {
  switch (code) {
    case 'total_not_higher':
      return 'total_deposit is the new total and cannot be lower than the present one.';
    case 'above_limit':
      return 'It is that of the token network for deposits.';
    case 'unsafe_timeouts':
      return UNSAFE_TIMEOUTS;
    case 'insufficient_balance':
      return 'The account holds fewer tokens than this deposit needs.';
    default:
      return '';
  }
}
