import { describe, expect, it } from 'vitest';
import { disputeAfterClose, retryBlock, settleBlock } from '../../../machines/channel/dispute.ts';
import { ZERO_HASH } from '../../../src/basics/hex.ts';
import { MARGIN } from '../../../src/protocol/channel/expiration.ts';
import { openChannel } from '../../support/channel-makers.ts';
import { closed, hashOf, OWN, PARTNER } from '../../support/makers.ts';

const { context } = openChannel().snapshot;

describe('a dispute', () => {
  it.each([
    ['this node', OWN, { ownHash: null, partnerHash: hashOf(5) }],
    ['the partner', PARTNER, { ownHash: hashOf(5), partnerHash: null }],
  ])('begins with the proof of the other side when %s closes', (_, closer, hashes) => {
    const event = closed(closer, { nonce: 1n, balanceHash: hashOf(5) });
    expect(disputeAfterClose(context, event)).toMatchObject({ closer, ...hashes });
  });

  it('begins without a proof when the close brought none', () => {
    const event = closed(OWN, { nonce: 0n, balanceHash: ZERO_HASH });
    expect(disputeAfterClose(context, event)).toMatchObject({ ownHash: null, partnerHash: null });
  });
});

describe('a transaction of a dispute that failed', () => {
  const confirmations = 5n;
  const dispute = disputeAfterClose(context, closed(PARTNER));
  const channel = { ...context, confirmations, dispute };
  const end = settleBlock(channel);
  /** So many blocks before the first settlement, every block counts. */
  const late = 10n + confirmations + MARGIN;

  it('is tried again ten blocks later while there is time', () => {
    const now = end - late - 1n;
    expect(retryBlock(channel, now)).toBe(now + 10n);
  });

  it('is tried again at the next block once ten more could be too many', () => {
    expect(retryBlock(channel, end - late)).toBe(end - late + 1n);
    expect(retryBlock(channel, end - 1n)).toBe(end);
  });

  it('is tried again ten blocks later when the channel can be settled', () => {
    expect(retryBlock(channel, end)).toBe(end + 10n);
  });
});
