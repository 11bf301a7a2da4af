import { describe, expect, it } from 'vitest';
import type { SnapshotFrom } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { USER_DEPOSIT, withdrawalActorId } from '../../machines/base/actor-ids.ts';
import { userDepositMachine } from '../../machines/user-deposit/chart.ts';
import { withdrawalMachine } from '../../machines/user-deposit/withdrawal/chart.ts';
import { encode } from '../../src/store/base/codec.ts';
import { factOf } from '../support/fact.ts';
import { NOW, txDone, txFailed } from '../support/makers.ts';
import { once } from '../support/once.ts';
import { effectsOf, type Played } from '../support/played.ts';
import {
  DELAY,
  forWithdrawal,
  fromWithdrawal,
  ordered,
  userDeposit,
  withdrawal,
} from '../support/user-deposit-makers.ts';
import { restingStates, restoredStep, walk } from './paths.ts';

type Deposit = SnapshotFrom<typeof userDepositMachine>;
type Withdrawal = SnapshotFrom<typeof withdrawalMachine>;

describe('the chart of the user deposit', () => {
  const start = userDeposit();
  const BLOCK = NOW + DELAY;
  const foreign = { planned: 3n, withdrawBlock: NOW + 1n, block: BLOCK };
  /** What the chain says when only this node used the contract. */
  const expected = ({ plan }: Deposit['context']) => ({
    block: BLOCK,
    planned: plan?.amount ?? 0n,
    withdrawBlock: plan?.withdrawBlock ?? 0n,
  });
  const ordersWith = (facts: Parameters<typeof ordered>[2]) => [
    ordered('deposit', 61n, facts),
    ordered('deposit', 60n, { ...facts, requestId: 'wrong' }),
    ordered('plan', 20n, facts),
    ordered('plan', 0n, { ...facts, requestId: 'wrong' }),
    ordered('withdraw', 1n, facts),
    ordered('withdraw', 50n, { ...facts, requestId: 'wrong' }),
  ];
  const ends = ({ value, context }: Deposit) => {
    switch (value) {
      case 'depositing': {
        const key = `deposit:${context.id}:${context.deposits}`;
        return [txDone(key), txFailed(key)];
      }
      case 'planning':
        return [NOW, null].map((block) =>
          fromWithdrawal.planEnded(context.withdrawals, 20n, block),
        );
      case 'withdrawing':
        return [NOW, null].map(fromWithdrawal.ended);
      default:
        return [];
    }
  };
  const events = (state: Deposit) => [
    ...ordersWith(expected(state.context)),
    ...ordersWith(foreign),
    ...ordersWith({ block: BLOCK }),
    ...ends(state),
  ];
  /** Without the counters. */
  const keyOf = ({ value, context: { pending, plan, changedBlock } }: Deposit) =>
    encode([value, pending, plan?.amount ?? null, changedBlock]);
  const walked = once(() => {
    const found = getShortestPaths(userDepositMachine, {
      fromState: start.snapshot,
      events,
      serializeState: keyOf,
      serializeEvent: encode,
    });
    return walk(start, found, events);
  });

  it('has no state that cannot be reached', () => {
    const reached = new Set(walked().paths.map(({ end }) => end.value));
    expect([...reached].sort()).toEqual(restingStates(userDepositMachine));
  });

  it('answers every order in every state, or hands it to the withdrawal that answers it', () => {
    const asked = walked().steps.flatMap(({ before, event, after }) =>
      'requestId' in event ? [{ before, requestId: event.requestId, after }] : [],
    );
    expect(new Set(asked.map(({ before }) => before.value)).size).toBe(4);
    for (const { before, requestId, after } of asked) {
      const { pending } = after.snapshot.context;
      const isTaken = before.value === 'idle' && pending?.requestId === requestId;
      expect(repliesTo(requestId, after) + Number(isTaken)).toBe(1);
      // The actor that will answer is given the request id of the caller.
      const named = [
        ...effectsOf(after, 'spawn.withdrawal').map(({ input }) => input.requestId),
        ...effectsOf(after, 'notify').map(({ event }) => factOf(event, 'requestId')),
        ...effectsOf(after, 'tx.userDeposit').map(() => requestId),
      ];
      expect(named.filter((name) => name === requestId)).toHaveLength(Number(isTaken));
    }
  });

  it('has an order under way exactly when it is not idle', () => {
    for (const { end } of walked().paths)
      expect(end.context.pending === null).toBe(end.value === 'idle');
  });

  it('starts one order at a time', () => {
    for (const { before, after } of walked().steps) {
      const begun = after.effects.filter(
        (effect) =>
          effect.type === 'tx.userDeposit' ||
          (effect.type === 'spawn.withdrawal' && effect.input.requestId !== null) ||
          (effect.type === 'notify' && effect.event.type === 'actor.takeOut'),
      );
      expect(begun.length).toBeLessThanOrEqual(before.value === 'idle' ? 1 : 0);
    }
  });

  it('behaves the same after it was stored and read again, for every event in every state', () => {
    for (const { before, event, after } of walked().steps) {
      const { value, context } = after.snapshot;
      expect(restoredStep(USER_DEPOSIT, before, event)).toEqual({
        state: { value, context },
        effects: after.effects,
      });
    }
  });
});

describe('the chart of a withdrawal', () => {
  const id = withdrawalActorId(1);
  const starts = [withdrawal(), withdrawal({ withdrawBlock: NOW, requestId: null })];
  /** What the withdrawal can be told in its state; the user deposit tells it nothing else. */
  const events = ({ value, context }: Withdrawal) => {
    switch (value) {
      case 'planning':
        return [txDone(`plan:${id}`), txFailed(`plan:${id}`)];
      case 'planned':
        return [forWithdrawal.takeOut(5n), forWithdrawal.replaced];
      case 'withdrawing': {
        const key = `withdraw:${id}:${context.jobs}`;
        return [txDone(key), txFailed(key)];
      }
      default:
        return [];
    }
  };
  const walked = once(() => {
    const walks = starts.map((start) =>
      walk(
        start,
        getShortestPaths(withdrawalMachine, {
          fromState: start.snapshot,
          events,
          serializeState: ({ value, context: { withdrawBlock, requestId } }) =>
            encode([value, withdrawBlock, requestId]),
          serializeEvent: encode,
        }),
        events,
      ),
    );
    return {
      paths: walks.flatMap(({ paths }) => paths),
      steps: walks.flatMap(({ steps }) => steps),
    };
  });

  it('has no state that cannot be reached', () => {
    const reached = new Set(walked().paths.map(({ end }) => end.value));
    expect([...reached].sort()).toEqual(restingStates(withdrawalMachine));
  });

  it('answers its caller once, when its transaction ends, and reports the end to the user deposit', () => {
    for (const { before, event, after } of walked().steps) {
      const { requestId } = before.context;
      const isEnd = event.type === 'chain.tx';
      expect(repliesTo(requestId ?? '', after)).toBe(Number(isEnd));
      expect(effectsOf(after, 'notify').filter(({ to }) => to === USER_DEPOSIT)).toHaveLength(
        Number(isEnd),
      );
    }
  });

  it('asks at most once for the transaction that plans it', () => {
    for (const { effects } of walked().paths)
      expect(effectsOf({ effects }, 'tx.userDepositPlan').length).toBeLessThanOrEqual(1);
  });

  it('behaves the same after it was stored and read again, for every event in every state', () => {
    for (const { before, event, after } of walked().steps) {
      const { value, context } = after.snapshot;
      expect(restoredStep(id, before, event)).toEqual({
        state: { value, context },
        effects: after.effects,
      });
    }
  });
});

function repliesTo(
  requestId: string,
  state: Pick<Played<typeof userDepositMachine>, 'effects'>,
): number {
  const replies = [...effectsOf(state, 'reply.ok'), ...effectsOf(state, 'reply.error')];
  return replies.filter((reply) => reply.requestId === requestId).length;
}
