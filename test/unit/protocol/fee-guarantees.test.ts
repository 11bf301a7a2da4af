/** What mediators and those who pay them can rely on, for all terms that a node can be started with. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_IMBALANCE_PPM } from '../../../src/protocol/fees/fee-curve.ts';
import {
  DEFAULT_FEE_TERMS,
  type FeeTerms,
  scheduleOf,
} from '../../../src/protocol/fees/fee-terms.ts';
import {
  amountWithFees,
  amountWithoutFees,
  estimatePath,
  MAX_PROPORTIONAL_PPM,
  type Mediation,
} from '../../../src/protocol/fees/fees.ts';

/** A mediator's channel: what is its own, and what is its partner's. */
type Sides = { own: bigint; partner: bigint };

function mediationBetween(terms: FeeTerms, from: Sides, to: Sides): Mediation {
  return {
    scheduleIn: scheduleOf(terms, from.own + from.partner),
    scheduleOut: scheduleOf(terms, to.own + to.partner),
    balanceIn: from.own,
    receivable: from.partner,
    balanceOut: to.own,
  };
}

const share = fc.bigInt({ min: 0n, max: 1_000n });
const anySides: fc.Arbitrary<Sides> = fc
  .record({ capacity: fc.bigInt({ min: 1_000n, max: 10n ** 24n }), share })
  .map(({ capacity, share: part }) => {
    const own = (capacity * part) / 1_000n;
    return { own, partner: capacity - own };
  });
const anyTerms = (capFees: fc.Arbitrary<boolean>): fc.Arbitrary<FeeTerms> =>
  fc.record({
    flat: fc.bigInt({ min: 0n, max: 500n }),
    proportional: fc.bigInt({ min: 0n, max: MAX_PROPORTIONAL_PPM }),
    imbalance: fc.bigInt({ min: 0n, max: MAX_IMBALANCE_PPM }),
    capFees,
  });
const anyCase = (capFees: fc.Arbitrary<boolean>) =>
  fc
    .record({ terms: anyTerms(capFees), from: anySides, to: anySides, part: share })
    .map(({ terms, from, to, part }) => ({
      mediation: mediationBetween(terms, from, to),
      amount: (from.partner * part) / 1_000n,
    }));

describe('the fees of a mediator', () => {
  it('are the same within one unit, counted forward and back (R42)', () => {
    fc.assert(
      fc.property(anyCase(fc.boolean()), ({ mediation, amount }) => {
        const sent = amountWithoutFees(mediation, amount);
        // At the very end of a channel the way back leads out of it.
        fc.pre(sent !== null && sent < mediation.balanceOut && amount + 1n < mediation.receivable);
        const got = amountWithFees(mediation, sent ?? 0n);
        expect(got).not.toBeNull();
        const again = amountWithoutFees(mediation, got ?? 0n) ?? 0n;
        const gap = again - (sent ?? 0n);
        expect(gap >= -1n && gap <= 1n).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('are never paid by the mediator while they are capped', () => {
    fc.assert(
      fc.property(anyCase(fc.constant(true)), ({ mediation, amount }) => {
        expect((amountWithoutFees(mediation, amount) ?? 0n) <= amount).toBe(true);
        expect((amountWithFees(mediation, amount) ?? amount) >= amount).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('are by default 0.4 % of the amount for both channels together', () => {
    const half = { own: 10n ** 21n, partner: 10n ** 21n };
    const terms = { ...DEFAULT_FEE_TERMS, imbalance: 0n };
    const path = estimatePath(10n ** 18n, [mediationBetween(terms, half, half)]);
    expect(path?.amountWithFees).toBe(1_003_999_983_968_000_128n);
  });
});

type Step = { isForth: boolean; part: bigint };
const anySteps: fc.Arbitrary<Step[]> = fc.array(fc.record({ isForth: fc.boolean(), part: share }), {
  minLength: 1,
  maxLength: 12,
});

/** What a mediator between two who work together has more after these payments than before. */
function gainOf(terms: FeeTerms, first: Sides, second: Sides, steps: readonly Step[]): bigint {
  const channels: [Sides, Sides] = [{ ...first }, { ...second }];
  for (const { isForth, part } of steps) {
    const [from, to] = isForth ? channels : [channels[1], channels[0]];
    const amount = (from.partner * part) / 1_000n;
    const sent = amountWithoutFees(mediationBetween(terms, from, to), amount);
    if (sent === null) continue;
    from.own += amount;
    from.partner -= amount;
    to.own -= sent;
    to.partner += sent;
  }
  return channels[0].own + channels[1].own - first.own - second.own;
}

describe('two partners who pay each other through a mediator (R55)', () => {
  it('take nothing from it while its fees are capped, whatever they do', () => {
    fc.assert(
      fc.property(
        anyTerms(fc.constant(true)),
        anySides,
        anySides,
        anySteps,
        (terms, first, second, steps) => {
          expect(gainOf(terms, first, second, steps) >= 0n).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('take at most the penalties of the channels as they were opened when they are not', () => {
    fc.assert(
      fc.property(
        anyTerms(fc.constant(false)),
        anySides,
        anySides,
        anySteps,
        (terms, first, second, steps) => {
          const capacity = first.own + first.partner + second.own + second.partner;
          const bound = (capacity * terms.imbalance) / MAX_PROPORTIONAL_PPM;
          // Each payment and each point of a curve is rounded to a whole unit.
          const rounding = BigInt(steps.length) + 4n;
          expect(gainOf(terms, first, second, steps) >= -(bound + rounding)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('can take all of that by evening out what they opened one-sided', () => {
    const terms = { flat: 0n, proportional: 0n, imbalance: 10_000n, capFees: false };
    const [partners, own] = [
      { own: 0n, partner: 100_000n },
      { own: 100_000n, partner: 0n },
    ];
    const steps = [{ isForth: true, part: 500n }];
    expect(gainOf(terms, partners, own, steps)).toBe(-2_000n);
    expect(gainOf({ ...terms, capFees: true }, partners, own, steps)).toBe(0n);
  });
});
