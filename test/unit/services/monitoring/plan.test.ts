import { describe, expect, it } from 'vitest';
import type { Address } from '../../../../src/basics/hex.ts';
import type { ClosedChannel, Request } from '../../../../src/services/monitoring/book.ts';
import type { ChainView } from '../../../../src/services/monitoring/contracts.ts';
import {
  claimStep,
  coversReward,
  isClaimDue,
  isDue,
  monitorStep,
} from '../../../../src/services/monitoring/plan.ts';
import { firstBlockAllowed, isInTime } from '../../../../src/services/monitoring/window.ts';

const addressOf = (value: bigint): Address => `0x${value.toString(16).padStart(40, '0')}`;
const closing = addressOf(2n);
const nonClosing = addressOf(3n);

const close = (part: Partial<ClosedChannel> = {}): ClosedChannel => ({
  channel: 'x/1',
  tokenNetwork: addressOf(9n),
  channelId: 1n,
  closing,
  nonClosing,
  closeBlock: 100n,
  settleBlock: 200n,
  chainNonce: 0n,
  isSettled: false,
  state: 'watching',
  nonce: 0n,
  reward: 0n,
  job: null,
  jobNonce: 0n,
  jobReward: 0n,
  tries: 0,
  notBeforeBlock: 0n,
  transactionHash: null,
  ...part,
});
const request = (part: Partial<Request> = {}): Request => ({
  channel: 'x/1',
  nonClosing,
  partner: closing,
  nonce: 7n,
  balanceHash: '0x01',
  additionalHash: '0x02',
  proofSignature: '0x03',
  nonClosingSignature: '0x04',
  reward: 100n,
  rewardSignature: '0x05',
  waitingSince: null,
  ...part,
});
const view = (part: Partial<ChainView> = {}): ChainView => ({
  isClosed: true,
  nonce: 0n,
  deposit: 110n,
  effectiveDeposit: 110n,
  isRegistered: true,
  ...part,
});

describe('the turn of a service', () => {
  const first = (service: bigint, shortest: bigint, settleBlock = 200n) =>
    firstBlockAllowed({ settleBlock, closing, nonClosing }, shortest, addressOf(service));

  it('is 30 percent of the shortest timeout after the close, and an offset below 50 percent', () => {
    expect(first(45n, 100n)).toBe(130n);
    expect(first(0n, 100n)).toBe(135n);
    expect(first(44n, 100n)).toBe(179n);
  });

  it('lies in the last blocks of a channel with a longer timeout', () => {
    expect(first(45n, 100n, 1_000n)).toBe(930n);
  });

  it('has no offset where there is no room for one', () => {
    expect(first(44n, 1n)).toBe(199n);
  });

  it('comes too late when a close is confirmed only just before the settlement', () => {
    expect(isInTime(10n, 7n)).toBe(true);
    expect(isInTime(10n, 8n)).toBe(false);
  });
});

describe('a close', () => {
  it('is due from the first block on, when the request is newer than what stands on chain', () => {
    expect(isDue(close(), request(), 150n, 149n)).toBe(false);
    expect(isDue(close(), request(), 150n, 150n)).toBe(true);
    expect(isDue(close({ chainNonce: 7n }), request(), 150n, 150n)).toBe(false);
    expect(isDue(close(), null, 150n, 150n)).toBe(false);
  });

  it('is not due while a job is under way, after the settlement, or twice with one proof', () => {
    expect(isDue(close({ state: 'monitoring' }), request(), 150n, 150n)).toBe(false);
    expect(isDue(close({ isSettled: true }), request(), 150n, 150n)).toBe(false);
    const handedIn = close({ state: 'monitored', nonce: 7n });
    expect(isDue(handedIn, request(), 150n, 150n)).toBe(false);
    expect(isDue(handedIn, request({ nonce: 8n }), 150n, 150n)).toBe(true);
  });

  it('asks for nothing when the owner was faster or the channel is gone', () => {
    expect(monitorStep(request(), view({ nonce: 6n }))).toBe('monitor');
    expect(monitorStep(request(), view({ nonce: 7n }))).toBe('nothing');
    expect(monitorStep(request(), view({ isClosed: false }))).toBe('nothing');
  });

  it('is served only when the deposit that stays holds the reward and a tenth more', () => {
    expect(monitorStep(request(), view({ effectiveDeposit: 109n }))).toBe('uncovered');
    expect(monitorStep(request(), view({ isRegistered: false }))).toBe('unregistered');
    expect(coversReward(10n, 10n)).toBe(false);
    expect(coversReward(11n, 10n)).toBe(true);
  });
});

describe('a reward', () => {
  const monitored = close({ state: 'monitored', nonce: 7n, reward: 100n, chainNonce: 7n });

  it('is fetched when every block in which the proof could be replaced is confirmed', () => {
    expect(isClaimDue(monitored, 200n)).toBe(false);
    expect(isClaimDue(monitored, 201n)).toBe(true);
    expect(isClaimDue({ ...monitored, state: 'claiming' }, 201n)).toBe(false);
    expect(isClaimDue({ ...monitored, state: 'claimed' }, 201n)).toBe(false);
    expect(isClaimDue({ ...monitored, notBeforeBlock: 300n }, 299n)).toBe(false);
  });

  it('is left until the deposit holds it', () => {
    expect(claimStep(monitored, view({ deposit: 99n }))).toBe('later');
    expect(claimStep(monitored, view({ deposit: 100n, effectiveDeposit: 0n }))).toBe('claim');
  });
});
