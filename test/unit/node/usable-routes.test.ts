import { describe, expect, it } from 'vitest';
import { type Address, toHex } from '../../../src/basics/hex.ts';
import type { PaymentRequest } from '../../../src/node/routing/usable-routes.ts';
import { assumedCost, createUsableRoutes } from '../../../src/node/routing/usable-routes.ts';
import type { FoundRoute, RouteFinder } from '../../../src/node/runtime/knowledge/route-finder.ts';
import { failure } from '../../../src/protocol/codes.ts';
import { DEFAULT_FEE_TERMS } from '../../../src/protocol/fees/fee-terms.ts';
import { amountWithoutFees, proportionalPerChannel } from '../../../src/protocol/fees/fees.ts';
import { NETWORK, OWN, PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';

/** The n-th of many nodes that this one has no channel with. */
const nodeOf = (n: number): Address => toHex(new Uint8Array(20).fill(n));
const TARGET = nodeOf(99);
const OVER_PARTNER = [OWN, PARTNER, TARGET];
const OVER_STRANGER = [OWN, STRANGER, TARGET];

type Facts = {
  /** What the channel with each partner carries; null: it takes no payments. */
  payable?: Partial<Record<Address, bigint | null>>;
  /** Partners whose channels sign no lock, whatever they hold. */
  full?: Address[];
  /** What the finder answers. */
  found?: [route: readonly Address[], estimatedFee: bigint][];
};

/** A node with channels to PARTNER and STRANGER that carry 100 and 50, unless told otherwise. */
function node({
  payable = { [PARTNER]: 100n, [STRANGER]: 50n },
  full = [],
  found = [],
}: Facts = {}) {
  const asked: unknown[] = [];
  const routes: FoundRoute[] = found.map(([route, estimatedFee]) => ({ route, estimatedFee }));
  const finder: RouteFinder = {
    async find(request) {
      asked.push(request);
      return { ok: true, value: routes };
    },
    report() {},
  };
  const usable = createUsableRoutes({
    own: OWN,
    channels: {
      find: (_, partner) => (partner in payable ? partner : null),
      canPay: (_, amount) =>
        Object.values(payable).some((held) => held != null && (amount === null || held >= amount)),
      payable: (channel) => Object.entries(payable).find(([id]) => id === channel)?.[1] ?? null,
      takes: (channel) => !full.some((partner) => partner === channel),
    },
    finder,
  });
  const find = (parts: Partial<PaymentRequest> = {}) =>
    usable.find({ ...REQUEST, ...parts }, NETWORK);
  return { find, asked, usable, finder };
}

const REQUEST: PaymentRequest = {
  token: TOKEN,
  target: TARGET,
  amount: 10n,
  paymentId: null,
  secret: null,
  secrethash: null,
  lockTimeout: null,
  routes: null,
};
const lockAmounts = (answer: Awaited<ReturnType<ReturnType<typeof node>['find']>>) =>
  answer.ok ? answer.value.map(({ lockAmount }) => lockAmount) : answer.code;
const given = (route: Address[], fee: bigint | null = 0n) => ({ routes: [{ route, fee }] });

describe('the usable routes of a payment', () => {
  it('are the channel with the target alone when it can carry the amount', async () => {
    const { find, asked } = node({ found: [[OVER_STRANGER, 0n]] });
    const route = [OWN, PARTNER];
    expect(await find({ target: PARTNER, amount: 100n })).toEqual({
      ok: true,
      value: [{ channel: PARTNER, partner: PARTNER, route, lockAmount: 100n, amount: 100n }],
    });
    expect(asked).toEqual([]);
  });

  it('are looked for when the channel with the target is too small', async () => {
    const { find, asked } = node({ found: [[[OWN, PARTNER, STRANGER], 0n]] });
    expect(await find({ target: STRANGER, amount: 51n })).toMatchObject({
      value: [{ partner: PARTNER, lockAmount: 51n }],
    });
    const facts = { token: TOKEN, tokenNetwork: NETWORK, target: STRANGER, amount: 51n };
    expect(asked).toEqual([{ ...facts, maxRoutes: 3 }]);
  });

  it('lead around a channel with the target that takes no more locks', async () => {
    const around = [OWN, STRANGER, PARTNER];
    const { find, asked } = node({ full: [PARTNER], found: [[around, 0n]] });
    expect(await find({ target: PARTNER })).toMatchObject({
      value: [{ partner: STRANGER, route: around }],
    });
    expect(asked).toHaveLength(1);
  });

  it('are that channel all the same when nothing leads around it, so that it says why', async () => {
    const { find } = node({ full: [PARTNER] });
    expect(await find({ target: PARTNER })).toMatchObject({ value: [{ partner: PARTNER }] });
  });

  it('lock the amount, its fee and a margin', async () => {
    const found: Facts['found'] = [
      [OVER_PARTNER, 0n],
      [OVER_STRANGER, 1n],
      [[OWN, PARTNER, STRANGER, TARGET], -1n],
    ];
    expect(lockAmounts(await node({ found }).find({ amount: 20n }))).toEqual([20n, 22n, 20n]);
  });

  it.each([
    { of: 'no fee', fee: 0n, lockAmount: 20n, amount: 20n },
    { of: 'a fee and its margin', fee: 1n, lockAmount: 20n, amount: 18n },
    { of: 'a present of the mediators', fee: -1n, lockAmount: 20n, amount: 20n },
  ])('cost no more than the amount when the fee is included, with $of', async (facts) => {
    const { fee, lockAmount, amount } = facts;
    const found: Facts['found'] = [
      [OVER_PARTNER, fee],
      [OVER_STRANGER, 0n],
    ];
    const answer = await node({ found }).find({ amount: 20n, isFeeIncluded: true });
    expect(answer).toMatchObject({ value: [{ partner: PARTNER, lockAmount, amount }] });
    expect(answer).toMatchObject({ value: { length: 1 } });
  });

  it('can cost all that a channel has when the fee is included, and a fifth of it at most', async () => {
    const dear = node({ found: [[OVER_STRANGER, 20n]] });
    expect(lockAmounts(await dear.find({ amount: 50n, isFeeIncluded: true }))).toBe('no_route');
    const all = node({ found: [[OVER_STRANGER, 1n]] });
    expect(lockAmounts(await all.find({ amount: 50n, isFeeIncluded: true }))).toEqual([50n]);
  });

  it('are three at most, in the order in which they were found', async () => {
    const found = [1, 2, 3, 4].map((n): [Address[], bigint] => [
      [OWN, PARTNER, nodeOf(n), TARGET],
      0n,
    ]);
    const answer = await node({ found }).find();
    expect(answer).toMatchObject({ value: found.slice(0, 3).map(([route]) => ({ route })) });
  });

  it.each<[string, Address[]]>([
    ['leads elsewhere', [OWN, PARTNER, nodeOf(1)]],
    ['begins elsewhere', [nodeOf(1), PARTNER, TARGET]],
    ['begins with a stranger', [OWN, nodeOf(1), TARGET]],
    ['comes twice to a node', [OWN, PARTNER, nodeOf(1), PARTNER, TARGET]],
    ['comes back here', [OWN, PARTNER, OWN, TARGET]],
    ['is too long', [OWN, PARTNER, ...Array.from({ length: 23 }, (_, n) => nodeOf(n)), TARGET]],
    ['is empty', []],
    ['is this node alone', [OWN]],
  ])('have none that %s', async (_, route) => {
    expect(lockAmounts(await node({ found: [[route, 0n]] }).find())).toBe('no_route');
    expect(lockAmounts(await node().find(given(route)))).toBe('no_route');
  });

  const home = (route: Address[]) => ({ target: OWN, isCircular: true, ...given(route) });

  it('lead home over one channel and another for a payment to oneself, one of them', async () => {
    const [there, back] = [
      [PARTNER, STRANGER, OWN],
      [STRANGER, PARTNER, OWN],
    ];
    const routes = [there, back].map((route) => ({ route, fee: 1n }));
    const answer = await node().find({ ...home([]), routes });
    expect(answer).toMatchObject({ value: [{ partner: PARTNER, lockAmount: 12n }] });
    expect(answer).toMatchObject({ value: { length: 1 } });
  });

  it.each<[string, Address[]]>([
    ['goes nowhere', [OWN]],
    ['comes back over the channel that it left by', [PARTNER, OWN]],
    ['comes twice to a node', [PARTNER, nodeOf(1), PARTNER, OWN]],
    ['ends elsewhere', [PARTNER, STRANGER, TARGET]],
    ['passes this node', [PARTNER, OWN, STRANGER, OWN]],
  ])('have none home that %s', async (_, route) => {
    expect(lockAmounts(await node().find(home(route)))).toBe('no_route');
  });

  it('may be as long as 25 nodes', async () => {
    const route = [OWN, PARTNER, ...Array.from({ length: 22 }, (_, n) => nodeOf(n)), TARGET];
    expect(lockAmounts(await node({ found: [[route, 0n]] }).find())).toEqual([10n]);
  });

  it('leave out a channel that is too small with the fee, or takes no payments', async () => {
    const found: Facts['found'] = [
      [OVER_STRANGER, 1n],
      [OVER_PARTNER, 1n],
    ];
    const answer = await node({ found }).find({ amount: 49n });
    expect(answer).toMatchObject({ value: [{ partner: PARTNER }] });
    const payable = { [PARTNER]: null, [STRANGER]: 50n };
    expect(lockAmounts(await node({ found, payable }).find({ amount: 49n }))).toBe(
      'insufficient_balance',
    );
  });
});

describe('a payment without a route', () => {
  it.each([
    ['fee 193 of 1000', 193n, [1200n]],
    ['fee 194 of 1000', 194n, 'no_route'],
    ['as much less', -200n, [807n]],
    ['far less than the amount', -300n, 'no_route'],
    ['all of it as a present', -5_000n, 'no_route'],
  ])('is judged by %s', async (_, fee, expected) => {
    const payable = { [PARTNER]: 10_000n };
    const answer = await node({ payable, found: [[OVER_PARTNER, fee]] }).find({ amount: 1_000n });
    expect(lockAmounts(answer)).toEqual(expected);
  });

  it('is refused with the fees when they are all that is wrong', async () => {
    const answer = await node({ found: [[OVER_PARTNER, 3n]] }).find();
    expect(answer).toMatchObject({ code: 'no_route', detail: expect.stringContaining('20 %') });
    expect(answer).toMatchObject({ detail: expect.stringContaining('would be 4,') });
  });

  it('lacks the money when every open channel is too small, and asks nobody', async () => {
    const { find, asked } = node();
    expect(lockAmounts(await find({ amount: 101n }))).toBe('insufficient_balance');
    expect(asked).toEqual([]);
  });

  it('lacks the money when every open channel is too small for the fee, too', async () => {
    const answer = await node({ found: [[OVER_PARTNER, 1n]] }).find({ amount: 100n });
    expect(lockAmounts(answer)).toBe('insufficient_balance');
  });

  it('has no route, and asks nobody, when no channel is open', async () => {
    const { find, asked } = node({ payable: { [PARTNER]: null } });
    expect(lockAmounts(await find())).toBe('no_route');
    expect(asked).toEqual([]);
  });

  it('says why the finder could not help', async () => {
    const { usable, finder } = node();
    finder.find = async () => failure('no_route', 'The service sleeps.');
    expect(await usable.find(REQUEST, NETWORK)).toMatchObject({ detail: 'The service sleeps.' });
  });
});

describe('given paths', () => {
  it('are the only ones, even if there is a channel with the target', async () => {
    const { find, asked } = node({ found: [[OVER_PARTNER, 0n]] });
    const answer = await find({ target: PARTNER, ...given([OWN, STRANGER, PARTNER]) });
    expect(answer).toMatchObject({ value: [{ partner: STRANGER }] });
    expect(lockAmounts(await find({ routes: [] }))).toBe('no_route');
    expect(asked).toEqual([]);
  });

  it('may leave out this node', async () => {
    const answer = await node().find(given([PARTNER, TARGET]));
    expect(answer).toMatchObject({ value: [{ route: OVER_PARTNER }] });
  });

  it('cost what their giver says', async () => {
    expect(lockAmounts(await node().find(given(OVER_PARTNER, 1n)))).toEqual([12n]);
    expect(lockAmounts(await node().find(given(OVER_PARTNER, 2n)))).toBe('no_route');
  });

  it('cost nothing when the target is a partner, whatever their giver says', async () => {
    const direct = given([OWN, PARTNER], 5n);
    expect(lockAmounts(await node().find({ target: PARTNER, ...direct }))).toEqual([10n]);
  });
});

describe('the cost that is assumed of a path', () => {
  const scheduleIn = {
    flat: 0n,
    proportional: proportionalPerChannel(DEFAULT_FEE_TERMS.proportional),
    imbalancePenalty: null,
    capFees: true,
  };
  const sides = { balanceIn: 0n, receivable: 2n ** 200n, balanceOut: 2n ** 200n };
  const mediation = { scheduleIn, scheduleOut: scheduleIn, ...sides };

  it.each([1n, 4n, 5n, 249n, 1_000n, 10n ** 18n])(
    'lets the whole amount of %d through mediators with the default fees',
    (amount) => {
      for (const mediators of [1, 2, 5]) {
        let left = assumedCost(amount, mediators);
        for (let n = 0; n < mediators; n++) left = amountWithoutFees(mediation, left) ?? 0n;
        expect(left).toBeGreaterThanOrEqual(amount);
      }
    },
  );

  it('is never more than 20 % above the amount', () => {
    for (const amount of [1n, 4n, 5n, 999n, 10n ** 18n])
      for (const mediators of [0, 1, 23])
        expect(assumedCost(amount, mediators)).toBeLessThanOrEqual(amount + amount / 5n);
    expect(assumedCost(1_000n, 0)).toBe(1_000n);
  });
});
