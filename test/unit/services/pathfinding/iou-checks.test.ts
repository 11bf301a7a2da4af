import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../../../src/basics/amount.ts';
import type { Iou } from '../../../../src/protocol/services/iou.ts';
import {
  type IouSession,
  iouClaimBlock,
  iouRefusal,
  SHORTEST_SESSION,
} from '../../../../src/services/pathfinding/iou-checks.ts';
import { ALICE, BOB, REGISTRY } from '../../../support/store.ts';

const NOW = 1_000n;
const END = NOW + SHORTEST_SESSION;
const TERMS = { receiver: BOB, chainId: 1n, oneToN: REGISTRY, price: 10n, nowBlock: NOW } as const;
const iou = (amount: bigint, claimableUntil = END): Iou => ({
  oneToN: REGISTRY,
  chainId: 1n,
  sender: ALICE,
  receiver: BOB,
  amount,
  claimableUntil,
});
const session = (
  amount: bigint,
  state: IouSession['state'] = 'open',
  claimableUntil = END,
): IouSession => ({
  sender: ALICE,
  claimableUntil,
  amount,
  state,
});
const refusalOf = (...args: Parameters<typeof iouRefusal>) => iouRefusal(...args)?.refusal ?? null;

describe('an IOU', () => {
  it('begins a session with the price or more, and at least a week before its end', () => {
    expect(refusalOf(iou(10n), [], TERMS)).toBeNull();
    expect(refusalOf(iou(11n), [], TERMS)).toBeNull();
    expect(refusalOf(iou(9n), [], TERMS)).toBe('insufficient_payment');
    expect(refusalOf(iou(10n, END - 1n), [], TERMS)).toBe('expires_too_early');
  });

  it('raises the session by the price or more, however near its end is', () => {
    const late = { ...TERMS, nowBlock: END };
    expect(refusalOf(iou(30n), [session(20n)], late)).toBeNull();
    expect(refusalOf(iou(29n), [session(20n)], late)).toBe('insufficient_payment');
  });

  it('belongs to the open session as long as there is one', () => {
    expect(refusalOf(iou(30n, END + 1n), [session(20n)], TERMS)).toBe('use_this_iou');
    const over = { ...TERMS, nowBlock: END + 1n };
    const next = iou(10n, over.nowBlock + SHORTEST_SESSION);
    expect(refusalOf(next, [session(20n)], over)).toBeNull();
  });

  it.each(['claiming', 'claimed'] as const)('counts no more in a session that is %s', (state) => {
    expect(refusalOf(iou(30n), [session(20n, state)], TERMS)).toBe('already_claimed');
    expect(refusalOf(iou(10n, END + 1n), [session(20n, state)], TERMS)).toBeNull();
  });

  it('is refused when its session could not be stored in a database', () => {
    expect(refusalOf(iou(10n, MAX_UINT256), [], TERMS)).toBe('bad_iou');
  });

  it('is redeemed a week before its end, and a month after its beginning at the latest', () => {
    expect(iouClaimBlock({ sinceBlock: 0n, claimableUntil: 100_000n })).toBe(100_000n - 40_320n);
    expect(iouClaimBlock({ sinceBlock: 7n, claimableUntil: 10n ** 9n })).toBe(200_007n);
  });
});
