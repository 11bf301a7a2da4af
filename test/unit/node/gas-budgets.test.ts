import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import type { Customers } from '../../../src/node/chain/gas/customers.ts';
import {
  createGasBudgets,
  gasBudgetsOf,
  REGISTRATION,
} from '../../../src/node/chain/gas/gas-budgets.ts';
import { budgetRule } from '../../../src/node/chain/lock-rules.ts';
import type { PendingLocks } from '../../../src/node/chain/pending-locks.ts';
import { USUAL_BOUNDS } from '../../../src/node/runtime/knowledge/bounds.ts';
import type { ForcedRow } from '../../../src/store/base/batch.ts';
import { openChannel } from '../../support/channel-makers.ts';
import {
  blockReached,
  CHANNEL,
  EXPIRATION,
  PARTNER,
  REVEAL_TIMEOUT,
  STRANGER,
  TOKEN,
} from '../../support/makers.ts';
import { forMediator, mediator, PAYEE, payerSide } from '../../support/mediation-makers.ts';
import { revealSecret } from '../../support/payment-makers.ts';
import {
  asksToForward,
  brings,
  copies,
  forwarded,
  known,
  type Living,
  refusalOf,
} from '../../support/risk-makers.ts';

const {
  ofLate: OF_LATE,
  ofPartner: OF_PARTNER,
  ofStrangers: OF_STRANGERS,
  ofToken: OF_TOKEN,
} = gasBudgetsOf(USUAL_BOUNDS);

/** Budgets of a node at a block that can be set, after so many registrations were charged to each. */
function charged(
  counts: readonly (readonly [Address, number])[],
  isStranger = false,
  isSmall = false,
) {
  const at = { block: 1_000n };
  const budgets = createGasBudgets({ rows: [], nowBlock: () => at.block });
  const standing = { isStranger, isSmall, unknown: null };
  const rows = counts.flatMap(([partner, count]) =>
    Array.from({ length: count }, () => budgets.charge(partner, standing, REGISTRATION)).flat(),
  );
  return { ...budgets, at, rows };
}
/** Registrations that a full account pays for. */
const mostOf = ({ most }: { most: bigint }) => Number(most / REGISTRATION);
const judge = (
  budgets: ReturnType<typeof charged>,
  pending: PendingLocks,
  delivery = asksToForward(),
  customers: Pick<Customers, 'placesOf'> = { placesOf: () => 0 },
) => refusalOf(budgetRule({ pending, budgets, customers }), pending, delivery);

/** Channels into which this node has put nothing, besides one of its own in the same token. */
const OTHER = 'channel:of:stranger:1';
const amongStrangers = (...more: [string, Living][]) =>
  known([OTHER, openChannel({ deposit: 0n, partner: STRANGER })], ...more);
const strange = (partner: Address = STRANGER) => ({ partner, channel: OTHER });
const lockedBy = (partner: Address, count: number, from = 0) =>
  forwarded(from + count, { payer: payerSide(strange(partner)) }).slice(from);

describe('a partner that forces registrations on this node', () => {
  it('is promised as much as is left of its budget', () => {
    const most = mostOf(OF_PARTNER);
    expect(judge(charged([[PARTNER, most - 1]]), known())).toBeNull();
    const spent = charged([[PARTNER, most]]);
    expect(judge(spent, known())).toBe('no_route');
    expect(judge(spent, known(), brings())).toBe('no_route');
    expect(judge(spent, known(), asksToForward({ partner: PAYEE }))).toBeNull();
  });

  it('is promised nothing that pending locks could force beyond it', () => {
    const most = mostOf(OF_PARTNER);
    const pending = known(...forwarded(100));
    expect(judge(charged([[PARTNER, most - 101]]), pending)).toBeNull();
    expect(judge(charged([[PARTNER, most - 100]]), pending)).toBe('no_route');
    expect(judge(charged([[PARTNER, most - 100]]), pending, brings())).toBe('no_route');
  });

  it('pays for a registration once: not as a pending lock and as a charge', () => {
    const registering = mediator().tell(
      forMediator.forwarded(),
      revealSecret(),
      blockReached(EXPIRATION - REVEAL_TIMEOUT),
    );
    const pending = known(...copies(100, registering));
    expect(pending.of(PARTNER).all).toBe(100);
    expect(judge(charged([[PARTNER, mostOf(OF_PARTNER) - 1]]), pending)).toBeNull();
  });

  it('has one more after some blocks, and all of them in the end', () => {
    const most = mostOf(OF_PARTNER);
    const refillBlocks = REGISTRATION / OF_PARTNER.perBlock;
    const budgets = charged([[PARTNER, most]]);
    budgets.at.block += refillBlocks - 1n;
    expect(judge(budgets, known())).toBe('no_route');
    budgets.at.block += 1n;
    expect([judge(budgets, known()), budgets.spent(PARTNER)]).toEqual([
      null,
      BigInt(most - 1) * REGISTRATION,
    ]);
    budgets.at.block += BigInt(most) * refillBlocks;
    expect([budgets.spent(PARTNER), budgets.all()]).toEqual([0n, []]);
  });

  it('has no more of it after a restart', () => {
    const { rows, at } = charged([[PARTNER, 5]], true);
    const newest = new Map<ForcedRow['account'], ForcedRow>(rows.map((row) => [row.account, row]));
    const after = createGasBudgets({ rows: [...newest.values()], nowBlock: () => at.block });
    expect(after.all()).toEqual([
      { account: PARTNER, spent: 5n * REGISTRATION },
      { account: 'strangers', spent: 5n * REGISTRATION },
    ]);
  });
});

describe('secrets that payees show late', () => {
  it('are paid for off chain as long as their budget reaches, also after a restart', () => {
    const budgets = charged([]);
    const rows = Array.from({ length: mostOf(OF_LATE) }, () => {
      expect(budgets.mayPayLate()).toBe(true);
      return budgets.chargeLate();
    }).flat();
    const after = createGasBudgets({ rows: rows.slice(-1), nowBlock: () => budgets.at.block });
    expect([budgets.mayPayLate(), after.mayPayLate()]).toEqual([false, false]);
    budgets.at.block += REGISTRATION / OF_LATE.perBlock;
    expect([budgets.mayPayLate(), after.mayPayLate()]).toEqual([true, true]);
  });

  it('never use up what this node may be charged by its payee', () => {
    expect(OF_LATE.most).toBeLessThan(OF_PARTNER.most / 2n);
  });

  it('are nothing that a partner has made this node register', () => {
    const budgets = charged([]);
    budgets.chargeLate();
    expect(budgets.all()).toEqual([]);
  });
});

describe('partners with whom this node has put no money into a channel', () => {
  const key = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`;

  it('share one budget, however many keys they have', () => {
    const most = (3 * mostOf(OF_STRANGERS)) / 4;
    const keys = (count: number) =>
      Array.from({ length: 8 }, (_, n) => [key(n), count / 8] as const);
    const asked = asksToForward(strange());
    expect(judge(charged(keys(most - 8), true), amongStrangers(), asked)).toBeNull();
    expect(judge(charged(keys(most), true), amongStrangers(), asked)).toBe('no_route');
  });

  it('use up a quarter of it at most with what means little', () => {
    const few = mostOf(OF_STRANGERS) / 4;
    const budgets = charged([[PAYEE, few]], true, true);
    const rich: [string, Living] = [CHANNEL, openChannel({ deposit: 100_000n })];
    const asked = (amountIn: bigint) => asksToForward({ ...strange(), amountIn });
    expect(judge(budgets, amongStrangers(rich), asked(1n))).toBe('no_route');
    expect(judge(budgets, amongStrangers(rich), asked(1_000n))).toBeNull();
    expect(budgets.spent('small strangers')).toBe(BigInt(few) * REGISTRATION);
  });

  it('take nothing from those with whom it has', () => {
    const budgets = charged([[STRANGER, mostOf(OF_STRANGERS)]], true);
    expect(judge(budgets, amongStrangers())).toBeNull();
  });

  it('have their places in a quarter of it by what they have brought, as long as there is one at all', () => {
    const most = mostOf(OF_STRANGERS);
    const budgets = charged([[PAYEE, (3 * most) / 4]], true);
    const judged = (count: number, places: number) =>
      judge(budgets, amongStrangers(...lockedBy(STRANGER, count)), asksToForward(strange()), {
        placesOf: (partner) => (partner === STRANGER ? places : 0),
      });
    expect([judged(0, 0), judged(0, 1)]).toEqual(['no_route', null]);
    expect([judged(49, 50), judged(50, 50)]).toEqual([null, 'no_route']);
    const full = charged([[PAYEE, most]], true);
    expect(judge(full, amongStrangers(), asksToForward(strange()), { placesOf: () => 1 })).toBe(
      'no_route',
    );
  });

  it('leave each other as much as the greediest of them has', () => {
    const most = (3 * mostOf(OF_STRANGERS)) / 4;
    const budgets = charged([[PAYEE, most - 100]], true);
    const half = amongStrangers(...lockedBy(STRANGER, 50));
    expect(judge(budgets, half, asksToForward(strange()))).toBe('no_route');
    expect(judge(budgets, half, asksToForward(strange(PAYEE)))).toBe('no_route');
    expect(judge(budgets, half, asksToForward(strange(key(1))))).toBeNull();
  });

  it('have a quarter of it for what means little', () => {
    const rich: [string, Living] = [CHANNEL, openChannel({ deposit: 100_000n })];
    const pending = amongStrangers(rich, ...lockedBy(STRANGER, mostOf(OF_STRANGERS) / 8));
    const small = asksToForward({ ...strange(), amountIn: 62n });
    expect(judge(charged([]), pending, small)).toBe('no_route');
    expect(judge(charged([]), pending, asksToForward({ ...strange(), amountIn: 63n }))).toBeNull();
    expect(
      judge(charged([]), pending, asksToForward({ ...strange(PAYEE), amountIn: 62n })),
    ).toBeNull();
  });
});

describe('what is claimed and settled without the operator’s word', () => {
  const standing = { isStranger: true, isSmall: true, unknown: TOKEN };

  it('is paid for by all accounts of the partner, and refused when one of them has too little left', () => {
    const budgets = charged([]);
    expect(budgets.canCharge(STRANGER, standing, OF_TOKEN.most)).toBe(true);
    expect(budgets.canCharge(STRANGER, standing, OF_TOKEN.most + 1n)).toBe(false);
    const rows = budgets.charge(STRANGER, standing, OF_TOKEN.most);
    expect(rows.map(({ account }) => account)).toEqual([
      STRANGER,
      `token ${TOKEN}`,
      'strangers',
      'small strangers',
    ]);
    expect(budgets.canCharge(PARTNER, standing, 1n)).toBe(false);
    expect(budgets.canCharge(PARTNER, { ...standing, unknown: PAYEE }, 1n)).toBe(true);
    expect(budgets.canCharge(PARTNER, { ...standing, unknown: null }, 1n)).toBe(true);
  });

  it('is possible again after a day, in a token that is no money here', () => {
    const budgets = charged([]);
    budgets.charge(STRANGER, standing, OF_TOKEN.most);
    budgets.at.block += 7_300n;
    expect(budgets.canCharge(STRANGER, standing, OF_TOKEN.most)).toBe(true);
  });
});

it('what makes a customer known is no budget that was spent', () => {
  const rows = [{ account: `known ${PARTNER}` as const, fullBlock: 9_000n }];
  expect(createGasBudgets({ rows, nowBlock: () => 1_000n }).all()).toEqual([]);
});

it('a token is what it is: of another one this node has nothing', () => {
  expect(known().isSmall(10n, TOKEN)).toBe(false);
  expect(known().isSmall(10n, STRANGER)).toBe(true);
});
