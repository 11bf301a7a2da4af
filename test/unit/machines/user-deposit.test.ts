import { describe, expect, it } from 'vitest';
import { orderRefusal } from '../../../machines/user-deposit/deposit.ts';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import { NOW, TOKEN, txDone, txFailed } from '../../support/makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';
import {
  CONTRACT,
  DELAY,
  factsOf,
  fromWithdrawal,
  ordered,
  userDeposit,
} from '../../support/user-deposit-makers.ts';

const MATURE = NOW + DELAY;
/** What the chain says of a plan of 20 that was made at NOW. */
const standing = { planned: 20n, withdrawBlock: MATURE };
const planned = userDeposit().tell(ordered('plan', 20n), fromWithdrawal.planEnded(1, 20n));

/** What a refused order says, for each code. */
const ADVICE = {
  total_not_higher: /above the present one, 60/,
  above_limit: /takes only 30 more/,
  insufficient_balance: /holds only 29 of the token/,
  invalid_amount: /at least 1/,
  above_balance: /holds only 50\./,
  above_plan: /No withdrawal is planned|Planned are 20/,
  too_early: /from block/,
};

describe('an order to the user deposit', () => {
  it.each([
    ['a total below the present one', 'deposit', 59n, {}, 'total_not_higher'],
    ['the present total', 'deposit', 60n, {}, 'total_not_higher'],
    ['a negative total', 'deposit', -1n, {}, 'total_not_higher'],
    ['a total above what the contract takes', 'deposit', 91n, {}, 'above_limit'],
    ['more than the contract takes and the account holds', 'deposit', 200n, {}, 'above_limit'],
    ['a total that no contract can count', 'deposit', MAX_UINT256 + 1n, {}, 'above_limit'],
    ['more than the account holds', 'deposit', 90n, { ownTokens: 29n }, 'insufficient_balance'],
    ['a plan of nothing', 'plan', 0n, {}, 'invalid_amount'],
    ['a plan of less than nothing', 'plan', -1n, {}, 'invalid_amount'],
    ['a plan above the balance', 'plan', 51n, {}, 'above_balance'],
    ['a withdrawal of nothing', 'withdraw', 0n, {}, 'invalid_amount'],
    ['a withdrawal without a plan', 'withdraw', 1n, { block: MATURE }, 'above_plan'],
    ['a withdrawal above the plan, which is not due yet', 'withdraw', 21n, standing, 'above_plan'],
    [
      'a withdrawal two blocks before its block',
      'withdraw',
      20n,
      { ...standing, block: MATURE - 2n },
      'too_early',
    ],
  ] as const)('for %s is refused', (_, kind, amount, facts, code) => {
    expect(orderRefusal({ kind, amount }, factsOf(facts))).toBe(code);
    expect(
      userDeposit()
        .tell(ordered(kind, amount, facts))
        .effects.at(-1),
    ).toMatchObject({
      type: 'reply.error',
      requestId: kind,
      code,
      detail: expect.stringMatching(ADVICE[code]),
    });
  });

  it.each([
    ['all that the contract takes', 'deposit', 90n, {}],
    ['all that the account holds', 'deposit', 90n, { ownTokens: 30n }],
    ['a plan of all that is left', 'plan', 50n, {}],
    [
      'a withdrawal that can be mined in its very first block',
      'withdraw',
      20n,
      { ...standing, block: MATURE - 1n },
    ],
    ['a withdrawal long after', 'withdraw', 1n, { ...standing, block: MATURE + 500n }],
  ] as const)('for %s is taken', (_, kind, amount, facts) => {
    expect(orderRefusal({ kind, amount }, factsOf(facts))).toBeNull();
  });

  it('above the plan is told how much is planned, if anything is', () => {
    const detail = (facts: Partial<typeof standing>) =>
      effectOf(userDeposit().tell(ordered('withdraw', 21n, facts)), 'reply.error').detail;
    expect(detail({})).toMatch(/No withdrawal is planned/);
    expect(detail(standing)).toBe('Planned are 20.');
  });

  it('that comes too early is told from which block on it works', () => {
    const early = ordered('withdraw', 1n, { ...standing, block: NOW + 3n });
    expect(effectOf(planned.tell(early), 'reply.error').detail).toContain(
      `from block ${MATURE} on`,
    );
  });

  it.each([
    ['deposit', ordered('deposit', 70n)],
    ['plan', ordered('plan', 20n)],
    ['withdraw', ordered('withdraw', 20n, { ...standing, block: MATURE })],
  ])('is refused as busy while a %s is on its way', (_, first) => {
    const busy = planned.tell(first);
    for (const kind of ['deposit', 'plan', 'withdraw'] as const) {
      const { snapshot, effects } = busy.tell(ordered(kind, 1n, { requestId: 'second' }));
      expect(snapshot).toEqual(busy.snapshot);
      expect(effects).toMatchObject([
        {
          type: 'reply.error',
          requestId: 'second',
          code: 'busy',
          detail: expect.stringMatching(/wait for it/),
        },
      ]);
    }
  });
});

describe('a deposit', () => {
  const depositing = userDeposit().tell(ordered('deposit', 75n));
  const { key } = effectOf(depositing, 'tx.userDeposit');

  it('is a transaction to the new total, for what it adds', () => {
    expect(depositing.effects).toEqual([
      {
        type: 'tx.userDeposit',
        from: 'userDeposit',
        key,
        deadlineBlock: null,
        contract: CONTRACT,
        token: TOKEN,
        total: 75n,
        added: 15n,
      },
    ]);
  });

  it('is answered with its transaction when that is confirmed', () => {
    const done = txDone(key, NOW + 3n);
    const after = depositing.tell(done);
    const { transactionHash } = done;
    expect(after.effects).toEqual([
      {
        type: 'reply.ok',
        requestId: 'deposit',
        value: { kind: 'transaction', transactionHash },
      },
    ]);
    expect(after.snapshot.value).toBe('idle');
    expect(after.snapshot.context).toMatchObject({ pending: null, changedBlock: NOW + 3n });
  });

  it('that fails says why, and can be tried again under another key', () => {
    const after = depositing.tell(txFailed(key, 'insufficient_gas'));
    expect(after.effects).toEqual([
      { type: 'reply.error', requestId: 'deposit', code: 'insufficient_gas', detail: 'why' },
    ]);
    expect(after.snapshot.context).toMatchObject({ pending: null, deposits: 1 });
    const again = after.tell(ordered('deposit', 75n));
    expect(effectOf(again, 'tx.userDeposit').key).not.toBe(key);
    expect(again.snapshot.context.deposits).toBe(2);
  });
});

describe('a plan', () => {
  it('is an actor of its own, which answers whoever asked', () => {
    const planning = userDeposit().tell(ordered('plan', 20n));
    expect(planning.effects).toEqual([
      {
        type: 'spawn.withdrawal',
        id: 'withdrawal:1',
        input: {
          contract: CONTRACT,
          amount: 20n,
          withdrawDelay: DELAY,
          withdrawBlock: null,
          requestId: 'plan',
        },
      },
    ]);
    const order = { kind: 'plan', amount: 20n };
    expect(planning.snapshot.context.pending).toEqual({ order, requestId: 'plan' });
    const after = planning.tell(fromWithdrawal.planEnded(1, 20n));
    expect(after.effects).toEqual([]);
    expect(after.snapshot.context).toMatchObject({
      pending: null,
      changedBlock: NOW,
      plan: { withdrawal: 'withdrawal:1', amount: 20n, withdrawBlock: MATURE },
    });
  });

  it('takes the place of the one before only once it is on chain', () => {
    const again = planned.tell(ordered('plan', 30n, standing));
    expect(effectOf(again, 'spawn.withdrawal').id).toBe('withdrawal:2');
    expect(effectsOf(again, 'notify')).toEqual([]);

    const failed = again.tell(fromWithdrawal.planEnded(2, 30n, null));
    expect(failed.effects).toEqual([]);
    expect(failed.snapshot.context).toMatchObject({
      pending: null,
      plan: { withdrawal: 'withdrawal:1' },
    });
    const stands = again.tell(fromWithdrawal.planEnded(2, 30n, NOW + 9n));
    expect(stands.effects).toEqual([
      { type: 'notify', to: 'withdrawal:1', event: { type: 'actor.planReplaced' } },
    ]);
    expect(stands.snapshot.context.plan?.withdrawal).toBe('withdrawal:2');
  });

  it('of an earlier database becomes an actor as soon as it is seen', () => {
    const seen = userDeposit().tell(ordered('deposit', 60n, standing));
    expect(effectOf(seen, 'spawn.withdrawal')).toMatchObject({
      id: 'withdrawal:1',
      input: { amount: 20n, withdrawBlock: MATURE, requestId: null },
    });
    expect(seen.effects.map(({ type }) => type)).toEqual(['spawn.withdrawal', 'reply.error']);
    expect(effectOf(seen, 'reply.error').code).toBe('total_not_higher');
  });

  it('that was overwritten from elsewhere gives way to what the contract holds', () => {
    const other = { planned: 7n, withdrawBlock: MATURE + 8n, block: MATURE + 8n };
    const after = planned.tell(ordered('withdraw', 7n, other));
    expect(after.effects).toMatchObject([
      { type: 'notify', to: 'withdrawal:1', event: { type: 'actor.planReplaced' } },
      { type: 'spawn.withdrawal', id: 'withdrawal:2', input: { amount: 7n } },
      { type: 'notify', to: 'withdrawal:2', event: { type: 'actor.takeOut', amount: 7n } },
    ]);
  });

  it('that was made again from elsewhere, of the same amount, is due at its later block', () => {
    const later = { planned: 20n, withdrawBlock: MATURE + 8n, block: MATURE };
    const after = planned.tell(ordered('withdraw', 20n, later));
    expect(effectOf(after, 'reply.error').code).toBe('too_early');
    expect(after.snapshot.context.plan).toEqual({
      withdrawal: 'withdrawal:2',
      amount: 20n,
      withdrawBlock: MATURE + 8n,
    });
  });

  it('that was used up from elsewhere is over', () => {
    const after = planned.tell(ordered('withdraw', 20n, { block: MATURE }));
    expect(after.effects).toMatchObject([
      { type: 'notify', to: 'withdrawal:1', event: { type: 'actor.planReplaced' } },
      { type: 'reply.error', code: 'above_plan' },
    ]);
    expect(after.snapshot.context.plan).toBeNull();
  });
});

describe('a withdrawal', () => {
  const mature = { ...standing, block: MATURE };
  const withdrawing = planned.tell(ordered('withdraw', 5n, mature));

  it('is told to the actor of the plan', () => {
    expect(withdrawing.effects).toEqual([
      {
        type: 'notify',
        to: 'withdrawal:1',
        event: { type: 'actor.takeOut', amount: 5n, requestId: 'withdraw' },
      },
    ]);
  });

  it('is on its way until the actor of the plan tells its end', () => {
    const order = { kind: 'withdraw', amount: 5n };
    expect(withdrawing.snapshot.context.pending).toEqual({ order, requestId: 'withdraw' });
  });

  it('uses the plan up', () => {
    const after = withdrawing.tell(fromWithdrawal.ended(MATURE + 1n));
    expect(after.snapshot.value).toBe('idle');
    expect(after.snapshot.context).toMatchObject({
      pending: null,
      plan: null,
      changedBlock: MATURE + 1n,
    });
  });

  it('that fails leaves the plan for another try', () => {
    const after = withdrawing.tell(fromWithdrawal.ended(null));
    expect(after.snapshot.context).toMatchObject({ pending: null, changedBlock: NOW });
    expect(effectOf(after.tell(ordered('withdraw', 5n, mature)), 'notify').to).toBe('withdrawal:1');
  });
});
