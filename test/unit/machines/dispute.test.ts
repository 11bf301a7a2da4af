import { describe, expect, it } from 'vitest';
import {
  disputeAfterClose,
  ownSettleBlock,
  retryBlock,
  settleBlock,
} from '../../../machines/channel/dispute.ts';
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

describe('of both sides of a closed channel', () => {
  const confirmations = 5n;
  const dispute = disputeAfterClose(context, closed(PARTNER));
  const have = (ours: bigint, theirs: bigint) => ({
    ...context,
    confirmations,
    dispute,
    ownEnd: { ...context.ownEnd, deposit: ours, transferred: 0n },
    partnerEnd: { ...context.partnerEnd, deposit: theirs, transferred: 0n },
  });
  const waits = (channel: typeof context) => ownSettleBlock(channel) - settleBlock(channel);
  const mirrored = ({ own, partner, ownEnd, partnerEnd, ...channel }: typeof context) => ({
    ...channel,
    own: partner,
    partner: own,
    ownEnd: partnerEnd,
    partnerEnd: ownEnd,
  });

  it.each([
    [7n, 6n],
    [1n, 0n],
    [0n, 0n],
    [5n, 5n],
  ])('one settles, and the other later: with %s and %s in it', (ours, theirs) => {
    const channel = have(ours, theirs);
    const both = [waits(channel), waits(mirrored(channel))];
    expect(both.toSorted()).toEqual([0n, 2n * confirmations + 10n].toSorted());
    if (ours !== theirs) expect(waits(channel)).toBe(0n);
  });

  it('that has been paid has more than one that has put in as much', () => {
    const channel = have(10n, 10n);
    const paying = { ...channel, ownEnd: { ...channel.ownEnd, transferred: 1n } };
    expect([waits(paying), waits(mirrored(paying))]).toEqual([20n, 0n]);
  });
});
