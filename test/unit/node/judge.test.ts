import { describe, expect, it } from 'vitest';
import { createJudge, type Proof } from '../../../src/node/api/selling/judge.ts';
import { createRedemptions } from '../../../src/node/runtime/knowledge/redemptions.ts';
import { secrethashOf } from '../../../src/protocol/hash.ts';
import { emptyBatch } from '../../../src/store/base/batch.ts';
import { OWN, PARTNER } from '../../support/makers.ts';

const DAY = 86_400_000;
/** When the payment came. */
const RECEIVED = 1_000 * DAY;
const SECRET = `0x${'5e'.repeat(32)}` as const;
const SECRETHASH = secrethashOf(SECRET);
const NETWORK = 'eip155:337';

function proofOf(expiresMs: number): Proof {
  const demanded = {
    scheme: 'channel',
    network: NETWORK,
    amount: 5n,
    asset: PARTNER,
    payTo: OWN,
    maxTimeoutSeconds: 60n,
  };
  const accepted = { ...demanded, paymentId: 7n, expires: BigInt(expiresMs / 1_000) };
  return { demanded, accepted, payer: PARTNER, paymentId: 7n, secret: SECRET };
}

/** A node that got the payment; `redeemableFrom`: what the store has forgotten ends there. */
function judging({
  now,
  redeemableFrom = 0,
  isWritten = true,
}: {
  now: number;
  redeemableFrom?: number;
  isWritten?: boolean;
}) {
  let isThere = isWritten;
  const redemptions = createRedemptions({ findRedemption: () => null });
  const facts = { initiator: PARTNER, token: PARTNER, paymentId: 7n, amount: 5n };
  const payment = { ...facts, time: RECEIVED };
  const judge = createJudge({
    own: OWN,
    network: NETWORK,
    actors: { stateOf: () => null },
    engine: {
      write() {
        isThere = true;
      },
    },
    store: {
      receivedPayment: (secrethash) => (isThere && secrethash === SECRETHASH ? payment : null),
      redeemableFrom: () => redeemableFrom,
    },
    redemptions,
    clock: { now: () => now },
  });
  return { ...judge, redemptions };
}

const reasonOf = (judged: ReturnType<ReturnType<typeof createJudge>['redeemable']>) =>
  judged.isGood ? null : judged.reason;

describe('the end of an offer', () => {
  it.each([
    ['before', RECEIVED - 60_000],
    ['after', RECEIVED + 60_000],
    ['long after', RECEIVED + 60 * DAY],
  ])('leaves a day to come with the proof when it is %s the payment', (_, end) => {
    const at = (now: number) => reasonOf(judging({ now }).redeemable(proofOf(end)));
    expect(at(RECEIVED + DAY - 1)).toBeNull();
    expect(at(RECEIVED + DAY)).toBe('expired');
  });

  it('is there for a payment that may have been redeemed and forgotten, though the clock went back', () => {
    const redeemableFrom = RECEIVED + 1;
    const { redeemable } = judging({ now: RECEIVED + 10, redeemableFrom });
    expect(reasonOf(redeemable(proofOf(RECEIVED + 60_000)))).toBe('expired');
  });
});

describe('a payment', () => {
  it('that ended in a turn which is not written yet is found', () => {
    const { redeemable } = judging({ now: RECEIVED, isWritten: false });
    expect(reasonOf(redeemable(proofOf(RECEIVED + 60_000)))).toBeNull();
  });

  it('that was redeemed in the open batch is redeemed, and is not when that was taken back', () => {
    const { redeemable, redemptions } = judging({ now: RECEIVED });
    const proof = proofOf(RECEIVED + 60_000);
    const batch = emptyBatch();
    const row = { secrethash: SECRETHASH, paymentId: 7n, received: RECEIVED };
    redemptions.write(batch, { ...row, request: 'request:1' });
    expect(reasonOf(redeemable(proof))).toBe('duplicate_settlement');
    redemptions.write(batch, { ...row, request: null });
    expect(reasonOf(redeemable(proof))).toBeNull();
    expect(batch.redemptions.map(({ request }) => request)).toEqual(['request:1', null]);
  });

  it('that was redeemed again since is still so when an earlier batch is on disk', () => {
    const { redeemable, redemptions } = judging({ now: RECEIVED });
    const row = { secrethash: SECRETHASH, paymentId: 7n, received: RECEIVED };
    const [first, second] = [emptyBatch(), emptyBatch()];
    redemptions.write(first, { ...row, request: null });
    redemptions.write(second, { ...row, request: 'request:2' });
    redemptions.forget(first);
    expect(reasonOf(redeemable(proofOf(RECEIVED + 60_000)))).toBe('duplicate_settlement');
  });
});
