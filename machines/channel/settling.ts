/**
 * Which side of a closed channel settles it. The contract takes the first settlement for both, and the transaction of the
 * other side has no effect and costs its gas all the same. So the side that gets more out of the channel goes first.
 */
import { balance } from '../../src/protocol/channel/channel-end.ts';
import type { ChannelContext } from './context.ts';

/**
 * Blocks that the other side waits at least, besides twice the confirmations: after so many a settlement that was sent in
 * time is mined, and known to both.
 */
const TO_BE_MINED = 10n;

type Seen = Pick<ChannelContext, 'own' | 'partner' | 'ownEnd' | 'partnerEnd' | 'confirmations'>;

/**
 * Blocks that this node leaves to its partner from the first on in which the channel can be settled. Both reckon with what
 * each has in the channel, and with the same amounts when nothing is on its way between them. A partner that is gone, or that
 * sees or says something else, makes this node wait for so long once, or makes both settle: no tokens depend on it.
 */
export function settleTimeoutAfter(channel: Seen): bigint {
  return isFirst(channel) ? 0n : 2n * channel.confirmations + TO_BE_MINED;
}

function isFirst({ own, partner, ownEnd, partnerEnd }: Seen): boolean {
  const [ours, theirs] = [balance(ownEnd, partnerEnd), balance(partnerEnd, ownEnd)];
  if (ours !== theirs) return ours > theirs;
  return own.toLowerCase() < partner.toLowerCase();
}
