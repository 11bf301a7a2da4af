import { describe, expect, it } from 'vitest';
import { NOW, txDone, txFailed } from '../../support/makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';
import { CONTRACT, DELAY, forWithdrawal, withdrawal } from '../../support/user-deposit-makers.ts';

const PLAN_KEY = 'plan:withdrawal:1';
const planned = withdrawal().tell(txDone(PLAN_KEY));

describe('a withdrawal', () => {
  it('begins with its plan', () => {
    expect(withdrawal().effects).toEqual([
      {
        type: 'tx.userDepositPlan',
        from: 'withdrawal:1',
        key: PLAN_KEY,
        deadlineBlock: null,
        contract: CONTRACT,
        amount: 20n,
      },
    ]);
  });

  it('that was found on chain is planned already', () => {
    const found = withdrawal({ withdrawBlock: NOW, requestId: null });
    expect(found.snapshot.value).toBe('planned');
    expect(found.effects).toEqual([]);
  });

  it('tells from which block on it can be made: that of the plan and the delay', () => {
    const done = txDone(PLAN_KEY, NOW + 4n);
    const withdrawBlock = NOW + 4n + DELAY;
    const { transactionHash } = done;
    const value = { kind: 'withdrawPlan', transactionHash, withdrawBlock };
    const plan = { amount: 20n, withdrawBlock, minedBlock: NOW + 4n };
    const told = { type: 'actor.planEnded', withdrawal: 'withdrawal:1', plan };
    const standing = withdrawal().tell(done);
    expect(standing.effects).toEqual([
      { type: 'notify', to: 'userDeposit', event: told },
      { type: 'reply.ok', requestId: 'plan', value },
    ]);
    expect(standing.snapshot.context.requestId).toBeNull();
  });

  it('whose plan fails is over', () => {
    const failed = withdrawal().tell(txFailed(PLAN_KEY, 'insufficient_gas'));
    expect(failed.snapshot).toMatchObject({ value: 'failed', status: 'done' });
    const told = { type: 'actor.planEnded', withdrawal: 'withdrawal:1', plan: null };
    expect(failed.effects).toEqual([
      { type: 'notify', to: 'userDeposit', event: told },
      { type: 'reply.error', requestId: 'plan', code: 'insufficient_gas', detail: 'why' },
    ]);
  });

  it('is over when another plan takes its place', () => {
    const replaced = planned.tell(forWithdrawal.replaced);
    expect(replaced.snapshot).toMatchObject({ value: 'replaced', status: 'done' });
    expect(replaced.effects).toEqual([]);
  });

  it('takes out what is asked for, not before its block, and is over', () => {
    const withdrawing = planned.tell(forWithdrawal.takeOut(5n));
    const tx = effectOf(withdrawing, 'tx.userDepositWithdraw');
    expect(tx).toMatchObject({
      from: 'withdrawal:1',
      contract: CONTRACT,
      amount: 5n,
      withdrawBlock: NOW + DELAY,
    });
    const done = withdrawing.tell(txDone(tx.key, NOW + DELAY));
    const { transactionHash } = txDone(tx.key);
    expect(done.snapshot).toMatchObject({ value: 'done', status: 'done' });
    expect(done.effects).toEqual([
      {
        type: 'notify',
        to: 'userDeposit',
        event: { type: 'actor.withdrawalEnded', minedBlock: NOW + DELAY },
      },
      {
        type: 'reply.ok',
        requestId: 'withdraw',
        value: { kind: 'transaction', transactionHash },
      },
    ]);
  });

  it('can be tried again under another key when its transaction fails', () => {
    const first = planned.tell(forWithdrawal.takeOut(5n, 'first'));
    const { key } = effectOf(first, 'tx.userDepositWithdraw');
    const failed = first.tell(txFailed(key));
    expect(failed.snapshot.value).toBe('planned');
    expect(failed.effects).toMatchObject([
      { type: 'notify', event: { type: 'actor.withdrawalEnded', minedBlock: null } },
      { type: 'reply.error', requestId: 'first', code: 'transaction_failed' },
    ]);
    const second = failed.tell(forWithdrawal.takeOut(5n, 'second'));
    expect(effectOf(second, 'tx.userDepositWithdraw').key).not.toBe(key);
    expect([first, second].map(({ snapshot }) => snapshot.context.jobs)).toEqual([1, 2]);
  });

  it('that was found on chain answers only the caller who takes the tokens out', () => {
    const found = withdrawal({ withdrawBlock: NOW, requestId: null });
    const done = found.tell(forWithdrawal.takeOut(5n), txDone('withdraw:withdrawal:1:1'));
    expect(effectsOf(done, 'reply.ok')).toMatchObject([{ requestId: 'withdraw' }]);
  });
});
