import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChannelEnd } from '../../../src/protocol/channel/channel-end.ts';
import { isSettleOrder, settle } from '../../../src/protocol/channel/settlement.ts';
import { claimedAfter, gainsOf } from '../../support/claiming.ts';
import { once } from '../../support/once.ts';
import { anyCase, type Case, onChainOf } from '../../support/proof-histories.ts';

/** By the contract's arithmetic, which test/contracts holds against the contract itself. */
function settlementOf(given: Case) {
  const terms = ({ deposit, withdrawn, transferred, locked }: ChannelEnd) => ({
    deposit,
    withdrawn,
    transferred,
    locked,
  });
  const own = terms(onChainOf(given, 'own'));
  const partner = terms(onChainOf(given, 'partner'));
  const isOwnFirst = isSettleOrder(own, partner);
  const { amount1, amount2, locked1, locked2 } = isOwnFirst
    ? settle(own, partner)
    : settle(partner, own);
  return isOwnFirst
    ? { paid: { own: amount1, partner: amount2 }, kept: { own: locked1, partner: locked2 } }
    : { paid: { own: amount2, partner: amount1 }, kept: { own: locked2, partner: locked1 } };
}

const RUNS = Number(process.env['SLUICE_CLAIM_RUNS'] ?? 6_000);

describe('after a settlement by any two proofs of the past', () => {
  const cases = once(() =>
    fc.sample(anyCase(), RUNS).map((given) => {
      const { paid, kept } = settlementOf(given);
      return { given, kept, gains: gainsOf(given, kept), claimed: claimedAfter(given, paid) };
    }),
  );
  const sides = ['own', 'partner'] as const;

  it('no lock is left in the contract that could be claimed', () => {
    const left = cases().filter(({ gains, claimed }) =>
      sides.some((side) => gains[side] > 0n && !claimed.includes(side)),
    );
    expect(left.length).toBe(0);
  });

  it('no unlock is tried that the contract refuses for ever', () => {
    const refused = cases().filter(({ kept, claimed }) =>
      claimed.some((side) => kept[side] === 0n),
    );
    expect(refused.length).toBe(0);
  });

  it('no locks of the partner are unlocked that pay nothing', () => {
    const idle = cases().filter(
      ({ gains, claimed }) => claimed.includes('partner') && gains.partner === 0n,
    );
    expect(idle.length).toBe(0);
  });

  it('there is something to claim in a good part of them, also after an old proof', () => {
    const isOld = ({ given }: ReturnType<typeof cases>[number]) =>
      given.onChain.own < given.histories.own.length - 1;
    const withGain = cases().filter(({ gains }) => gains.own + gains.partner > 0n);
    expect(withGain.length).toBeGreaterThan(RUNS / 10);
    expect(withGain.filter(isOld).length).toBeGreaterThan(RUNS / 50);
    expect(
      cases().filter(({ kept, gains }) => kept.own + kept.partner > gains.own + gains.partner)
        .length,
    ).toBeGreaterThan(RUNS / 50);
  });
});
