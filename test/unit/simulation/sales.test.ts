/** The rule for what a node sells, held against what breaks it, and against the same without the mistake. */
import { describe, expect, it } from 'vitest';
import type { Address, Hex } from '../../../src/basics/hex.ts';
import type { Judged } from '../../../src/node/api/selling/judge.ts';
import { secrethashOf } from '../../../src/protocol/hash.ts';
import { createSales } from '../../../src/simulation/invariants/records/sales.ts';
import { NETWORK, OWN, PARTNER, STRANGER } from '../../support/makers.ts';
import {
  blockOf,
  broken,
  commit,
  honest,
  locked,
  lockTo,
  paid,
  updateOf,
  WHO,
} from '../../support/rules.ts';

const SECRET: Hex = `0x${'07'.repeat(32)}`;
const ELSEWHERE = `channel:${NETWORK}:2`;

describe('a sale', () => {
  const SECONDS_OF_BLOCK = 12;
  const hash = secrethashOf(SECRET);
  const taken = locked({ side: 'partner', secrethash: hash });

  type Needs = Parameters<typeof createSales>[0];
  const answered = (judged: Judged): Needs['redeemingOf'] => {
    const redeem = () => Promise.reject(new Error('shutting down'));
    return () => ({ network: 'eip155:1', verify: () => judged, redeem });
  };

  /** The rule for a node that offers for five blocks, and a chain that grows by `block`. */
  function selling(needs: Partial<Needs>) {
    let head = 1n;
    const rule = createSales({
      head: () => head,
      honest: () => honest,
      machine: () => honest,
      isExcused: () => false,
      offerOf: () => 5n,
      forgets: () => false,
      hasLost: () => false,
      isMoney: () => true,
      redeemingOf: () => null,
      seconds: () => Number(head) * SECONDS_OF_BLOCK,
      ...needs,
    });
    const block = () => {
      const found = broken(() => rule.block?.(blockOf(head)));
      head += 1n;
      return found;
    };
    const blocks = (count: bigint) =>
      Array.from({ length: Number(count) }, block).find((found) => found !== null) ?? null;
    blocks(2n);
    return { rule, blocks };
  }
  const reveal = { type: 'RevealSecret', messageId: 1n, secret: SECRET } as const;

  /** The payer unlocks so many blocks after the lock came, and this is what the node says of the payment. */
  function sold(count: bigint, judged: Judged, offer: bigint | null = 5n) {
    const { rule, blocks } = selling({ redeemingOf: answered(judged), offerOf: () => offer });
    rule.hears?.(WHO, PARTNER, updateOf([lockTo(OWN, hash)]));
    commit(rule, { proofs: [taken] });
    rule.says?.(WHO, PARTNER, reveal);
    const before = blocks(count);
    commit(rule, { proofs: [paid(taken)] });
    return before ?? blocks(9n);
  }
  const refused = (reason: 'expired' | 'payment_pending'): Judged => {
    return { isGood: false, reason, payer: PARTNER };
  };
  const good = {
    isGood: true,
    secrethash: hash,
    payer: PARTNER,
    amount: 5n,
    received: 1,
  } as const;

  it('that is paid can be redeemed, whenever the payer unlocks', () => {
    for (const blocks of [1n, 14n]) expect(sold(blocks, refused('expired'))).toBe(38);
    expect(sold(14n, refused('payment_pending'))).toBe(38);
    expect(sold(14n, good)).toBeNull();
  });

  it('is none of a node that sells nothing', () => {
    expect(sold(14n, refused('expired'), null)).toBeNull();
  });

  it('is that of the payer who is shown the secret, whoever else began to pay with it', () => {
    /** Two pay with one secret: the second lock is taken, and unlocked by its payer. Whose payment is then redeemed? */
    const redeemed = (initiator: Address) => {
      const { rule, blocks } = selling({
        redeemingOf: () => ({
          network: 'eip155:1',
          verify: ({ payer }) =>
            payer === initiator ? good : { isGood: false, reason: 'payer_mismatch', payer },
          redeem: () => Promise.reject(new Error('shutting down')),
        }),
      });
      const first = updateOf([{ ...lockTo(OWN, hash, 2n), initiator: STRANGER }]);
      rule.says?.('node-2', OWN, first);
      rule.hears?.(WHO, STRANGER, { ...first, channelId: 2n });
      rule.hears?.(WHO, PARTNER, updateOf([lockTo(OWN, hash)]));
      commit(rule, { proofs: [taken] });
      rule.says?.(WHO, PARTNER, reveal);
      commit(rule, { proofs: [locked({ side: 'partner', secrethash: hash, channel: ELSEWHERE })] });
      commit(rule, { proofs: [paid(taken)] });
      return blocks(9n);
    };
    expect([PARTNER, STRANGER].map(redeemed)).toEqual([null, 38]);
  });

  it('is redeemed once, unless a disk has lost that it was', async () => {
    const redeemed = async (hasLost: boolean) => {
      const { amount, payer } = good;
      const facts = { secrethash: hash, network: 'eip155:1', payer, amount };
      const value = { isGood: true, kind: 'redemption', redemption: '1', ...facts } as const;
      const { rule, blocks } = selling({
        hasLost: () => hasLost,
        redeemingOf: () => ({
          network: 'eip155:1',
          verify: () => good,
          redeem: () => Promise.resolve({ ok: true, value }),
        }),
      });
      rule.hears?.(WHO, PARTNER, updateOf([lockTo(OWN, hash)]));
      rule.says?.(WHO, PARTNER, reveal);
      commit(rule, { proofs: [taken] });
      commit(rule, { proofs: [paid(taken)] });
      blocks(2n);
      await Promise.resolve();
      return blocks(1n);
    };
    expect([await redeemed(false), await redeemed(true)]).toEqual([38, null]);
  });

  it('is written once, unless it was taken back', () => {
    const { rule } = selling({ offerOf: () => null, forgets: () => true });
    const write = (request: string | null) =>
      commit(rule, {
        redemptions: [{ secrethash: hash, paymentId: 1n, request, received: 1 }],
      });
    expect(['a', null, 'b', 'c'].map(write)).toEqual([null, null, null, 38]);
  });
});
