import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imbalancePenalty } from '../../../src/protocol/fees/fee-curve.ts';
import { scheduleOf } from '../../../src/protocol/fees/fee-terms.ts';
import { amountWithoutFees } from '../../../src/protocol/fees/fees.ts';
import {
  amountsOf,
  announce,
  anyLines,
  ask,
  type End,
  everyWay,
  free,
  type Line,
  mediationsOf,
  networkOf,
  nodeAt,
  waysAlong,
  weightOf,
} from './network-makers.ts';

/** Channels that are just too small, just enough and plenty for the amounts that are asked for. */
const UNIT = 10n ** 17n;
const amount = fc.bigInt({ min: 0n, max: 12n }).map((tenths) => tenths * UNIT);
const tight = fc.oneof(
  amount,
  fc.tuple(amount, fc.bigInt({ min: -3n, max: 3n })).map(([a, b]) => (a + b < 0n ? 0n : a + b)),
);
const schedule = fc
  .record({
    flat: fc.constantFrom(0n, 0n, 7n, UNIT / 50n),
    proportional: fc.constantFrom(0n, 1996n, 100_000n),
    imbalance: fc.constantFrom(0n, 0n, 3_000n, 50_000n),
    capacity: fc.constantFrom(24n * UNIT, 11n * UNIT),
    capFees: fc.constantFrom(true, true, true, false),
  })
  .map(({ flat, proportional, imbalance, capacity, capFees }) =>
    free({ flat, proportional, capFees, imbalancePenalty: imbalancePenalty(capacity, imbalance) }),
  );
const end: fc.Arbitrary<Omit<End, 'node'>> = fc.record(
  { capacity: tight, schedule },
  { requiredKeys: ['capacity'] },
);
const value = fc.oneof(fc.constantFrom(1n, UNIT, 3n * UNIT), tight).filter((it) => it > 0n);

describe('paths through a network', () => {
  it('carry the amounts that flow over them, with the fees of every mediator', () => {
    fc.assert(
      fc.property(anyLines(7, end), value, (lines, wanted) => {
        const found = networkOf(lines).paths(ask({ value: wanted }));
        for (const { path, estimatedFee } of found) {
          expect(new Set(path).size).toBe(path.length);
          const [hops = []] = waysAlong(lines, path);
          const amounts = amountsOf(hops, wanted);
          expect(amounts?.[0]).toBe(wanted + estimatedFee);
        }
        const texts = found.map(({ path }) => path.join());
        expect(new Set(texts).size).toBe(texts.length);
      }),
      { numRuns: 200 },
    );
  });

  it('begin with the cheapest of all that carry the payment', () => {
    fc.assert(
      fc.property(anyLines(6, end), value, (lines, wanted) => {
        const [first] = networkOf(lines).paths(ask({ value: wanted, maxPaths: 1 }));
        const good = everyWay(lines, 0, 1).filter(
          (hops) =>
            hops.every(({ from }) => from.capacity >= wanted) && amountsOf(hops, wanted) !== null,
        );
        const best = Math.min(...good.map((hops) => weightOf(hops, wanted)));
        const [hops] = first === undefined ? [] : waysAlong(lines, first.path);
        const weight = hops === undefined ? Number.POSITIVE_INFINITY : weightOf(hops, wanted);
        // Penalties of 10^17 units are differences of rounded doubles.
        expect(weight === best || Math.abs(weight - best) < 1e-6).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('deliver what they promise, give or take one unit for each mediator', () => {
    const terms = fc.record({
      flat: fc.bigInt({ min: 0n, max: 100n }),
      proportional: fc.bigInt({ min: 0n, max: 50_000n }),
      imbalance: fc.constantFrom(0n, 3_000n),
      capFees: fc.constant(true),
    });
    const plenty = terms.map((chosen) => {
      return { capacity: 10n ** 6n, schedule: scheduleOf(chosen, 2n * 10n ** 6n) };
    });
    fc.assert(
      fc.property(
        anyLines(6, plenty),
        fc.bigInt({ min: 100n, max: 10n ** 5n }),
        (lines, wanted) => {
          for (const { path, estimatedFee } of networkOf(lines).paths(ask({ value: wanted }))) {
            const [hops = []] = waysAlong(lines, path);
            let amount: bigint | null = wanted + estimatedFee;
            for (const mediation of mediationsOf(hops)) {
              amount = amount === null ? null : amountWithoutFees(mediation, amount);
            }
            const off = (amount ?? -1n) - wanted;
            expect(off < 0n ? -off : off).toBeLessThanOrEqual(BigInt(hops.length - 1));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('are all gone with the channels that they used', () => {
    fc.assert(
      fc.property(anyLines(6, end), value, fc.nat(), (lines, wanted, chosen) => {
        const network = networkOf(lines);
        const at = chosen % lines.length;
        network.close(BigInt(at + 1));
        const rest = lines.filter((_, index) => index !== at);
        expect(network.paths(ask({ value: wanted })).length).toBe(
          networkOf(rest).paths(ask({ value: wanted })).length,
        );
        for (const { path } of network.paths(ask({ value: wanted }))) {
          expect(waysAlong(rest, path)).toHaveLength(1);
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** What is opened and closed, one channel after the other. */
const changes = fc.array(fc.nat(1_000), { minLength: 20, maxLength: 120 });

it('leads over the channels that are open now, however many came and went before', () => {
  fc.assert(
    fc.property(anyLines(8, end), changes, value, (lines, toggled, wanted) => {
      const network = networkOf(lines);
      const open = new Set(lines.keys());
      for (const change of toggled) {
        const at = change % lines.length;
        if (open.delete(at)) network.close(BigInt(at + 1));
        else announce(network, BigInt(at + 1), lines[at]);
        if (network.channel(BigInt(at + 1)) !== null) open.add(at);
      }
      const rest = lines.filter((_, at) => open.has(at));
      const request = ask({ value: wanted, maxPaths: 1 });
      const [found] = network.paths(request);
      const [plain] = networkOf(rest).paths(request);
      const weightOfPath = (path: typeof found) =>
        path === undefined ? null : weightOf(waysAlong(rest, path.path)[0] ?? [], wanted);
      const [weight, best] = [weightOfPath(found), weightOfPath(plain)];
      // Ways of one weight add it up in another order.
      expect(
        weight === best || Math.abs((weight ?? Number.NaN) - (best ?? Number.NaN)) < 1e-6,
      ).toBe(true);
      expect(network.size().channels).toBe(rest.length);
    }),
    { numRuns: 100 },
  );
});

function line(one: End, two: End): Line {
  return { ends: [one, two] };
}

/** 0 – 2 – 1, both channels alike. */
function viaTwo(capacity: bigint, schedule?: End['schedule']): Line[] {
  const withFees = schedule === undefined ? {} : { schedule };
  return [
    line({ node: 0, capacity }, { node: 2, capacity, ...withFees }),
    line({ node: 2, capacity, ...withFees }, { node: 1, capacity }),
  ];
}

describe('a path', () => {
  it('costs nothing over a direct channel, whatever both charge', () => {
    const dear = free({ flat: 50n });
    const direct = line({ node: 0, capacity: 100n, schedule: dear }, { node: 1, capacity: 0n });
    expect(networkOf([direct]).paths(ask())).toEqual([
      { path: [nodeAt(0), nodeAt(1)], estimatedFee: 0n },
    ]);
  });

  it('is found up to the last unit of 256 bits', () => {
    const capacity = 2n ** 256n - 1n;
    const network = networkOf(viaTwo(capacity));
    expect(network.paths(ask({ value: capacity }))).toHaveLength(1);
    const less = networkOf(viaTwo(capacity - 1n));
    // The same number in doubles.
    expect(less.paths(ask({ value: capacity }))).toEqual([]);
  });

  it('is not given when the fee is more than the own channel has left', () => {
    const lines = viaTwo(104n, free({ flat: 2n }));
    expect(networkOf(lines).paths(ask({ value: 100n }))).toEqual([
      { path: [0, 2, 1].map(nodeAt), estimatedFee: 4n },
    ]);
    expect(networkOf(lines).paths(ask({ value: 101n }))).toEqual([]);
  });

  it('avoids nodes that are not there, but never the two ends', () => {
    const lines = [...viaTwo(500n), ...detour(3)];
    const paths = networkOf(lines).paths(
      ask({ isReachable: (address) => address === nodeAt(3), maxPaths: 2 }),
    );
    expect(paths.map(({ path }) => path)).toEqual([[0, 3, 1].map(nodeAt)]);
  });

  it('comes beside others that use other channels', () => {
    const lines = [...viaTwo(500n), ...detour(3), ...detour(4)];
    const paths = networkOf(lines).paths(ask({ maxPaths: 3 }));
    expect(new Set(paths.map(({ path }) => path[1]))).toEqual(new Set([2, 3, 4].map(nodeAt)));
  });

  it('is still found behind a hub whose fees contradict each other', () => {
    const capacity = 500n;
    const beside = (first: number, capFees: boolean, end: number) =>
      Array.from({ length: 30 }, (_, at) => [
        line({ node: end, capacity }, { node: first + at, capacity }),
        line({ node: first + at, capacity }, { node: 2, capacity, schedule: free({ capFees }) }),
      ]).flat();
    const hub = [...beside(100, true, 0), ...beside(200, false, 1)];
    const long = [0, 50, 51, 52, 53, 1].map((node) => ({ node, capacity }));
    const around = long.slice(1).map((end, at) => line(long[at] ?? end, end));
    const [first] = networkOf([...hub, ...around]).paths(ask());
    expect(first?.path).toEqual(long.map(({ node }) => nodeAt(node)));
  });
});

function detour(node: number): Line[] {
  const schedule = free({ flat: 1n });
  return [
    line({ node: 0, capacity: 500n }, { node, capacity: 500n, schedule }),
    line({ node, capacity: 500n, schedule }, { node: 1, capacity: 500n }),
  ];
}
