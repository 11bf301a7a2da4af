/** The user deposit with its withdrawals, as live actors, on a contract that others use as well. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect, Tx } from '../../machines/effects.ts';
import type { UserDepositFacts, UserDepositOrder } from '../../machines/events/commands.ts';
import type { ActorEvent } from '../../machines/events.ts';
import { orderRefusal } from '../../machines/user-deposit/deposit.ts';
import { type Actors, createActors } from '../../src/node/runtime/actors/actors.ts';
import { userDepositState } from '../../src/node/runtime/actors/channel-states.ts';
import type { ActorRow } from '../../src/store/base/batch.ts';
import { hashOf } from '../support/makers.ts';
import { NODE_FACTS } from '../support/payment-makers.ts';
import { DELAY, factsOf } from '../support/user-deposit-makers.ts';

type Action =
  | { type: 'order'; order: UserDepositOrder }
  /** The transaction that is under way is mined, or given up. */
  | { type: 'mine' }
  | { type: 'fail' }
  /** The owner uses the same key in another program, to plan or to withdraw. */
  | { type: 'foreignPlan'; amount: bigint }
  | { type: 'foreignWithdrawal' }
  | { type: 'blocks'; count: bigint }
  | { type: 'restart' };

const total = fc.bigInt({ min: -1n, max: 20n });
const amount = fc.bigInt({ min: 0n, max: 6n });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: orderOf('deposit', total) },
  { weight: 6, arbitrary: orderOf('plan', amount) },
  { weight: 10, arbitrary: orderOf('withdraw', amount) },
  { weight: 12, arbitrary: fc.constant({ type: 'mine' } as const) },
  { weight: 2, arbitrary: fc.constant({ type: 'fail' } as const) },
  { weight: 1, arbitrary: amount.map((n) => ({ type: 'foreignPlan', amount: n }) as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'foreignWithdrawal' } as const) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(1n, DELAY, DELAY)
      .map((count) => ({ type: 'blocks', count }) as const),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'restart' } as const) },
);

function orderOf(
  kind: UserDepositOrder['kind'],
  amounts: fc.Arbitrary<bigint>,
): fc.Arbitrary<Action> {
  return amounts.map((n) => ({ type: 'order', order: { kind, amount: n } }) as const);
}

/** The contract, for one account; a transaction that it refuses has no effect. */
function createContract() {
  const state = { block: 1n, balance: 0n, total: 0n, planned: 0n, withdrawBlock: 0n, own: 15n };
  const plan = (n: bigint) => {
    if (n <= 0n || n > state.balance) return false;
    state.planned = n;
    state.withdrawBlock = state.block + DELAY;
    return true;
  };
  const withdraw = (n: bigint) => {
    if (n > state.planned || state.block < state.withdrawBlock) return false;
    state.balance -= n;
    state.own += n;
    state.planned = 0n;
    state.withdrawBlock = 0n;
    return true;
  };
  const deposit = (total: bigint) => {
    const added = total - state.total;
    if (added <= 0n || added > state.own) return false;
    state.own -= added;
    state.balance += added;
    state.total = total;
    return true;
  };
  return {
    state,
    plan,
    withdraw,
    facts: (): UserDepositFacts =>
      factsOf({
        block: state.block,
        balance: state.balance,
        totalDeposit: state.total,
        room: 1_000n,
        planned: state.planned,
        withdrawBlock: state.withdrawBlock,
        ownTokens: state.own,
      }),
    /** Whether the transaction had effect. */
    run(tx: Tx): boolean {
      if (tx.type === 'tx.userDeposit') return deposit(tx.total);
      if (tx.type === 'tx.userDepositPlan') return plan(tx.amount);
      if (tx.type === 'tx.userDepositWithdraw') return withdraw(tx.amount);
      throw new Error(`no transaction of a user deposit: ${tx.type}`);
    },
  };
}

function createLife() {
  const contract = createContract();
  const jobs: Tx[] = [];
  const answers = new Map<string, number>();
  let asked = 0;
  let effects: Effect[] = [];
  let actors = systemOf([]);

  function systemOf(rows: ActorRow[]): Actors {
    const system = createActors({
      node: NODE_FACTS,
      rows,
      onEffect: (_, effect) => void effects.push(effect),
    });
    effects = [];
    return system;
  }

  function deliver(to: string, event: ActorEvent) {
    const queue = [{ to, event }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const sent = actors.send(next.to, { ...next.event, nowBlock: contract.state.block });
      expect(sent, `${next.to} is there for ${next.event.type}`).not.toBeNull();
      for (const effect of effects.splice(0)) {
        if (effect.type === 'notify') queue.push(effect);
        else take(effect);
      }
    }
  }

  function take(effect: Exclude<Effect, { type: 'notify' }>) {
    if (effect.type === 'spawn.userDeposit' || effect.type === 'spawn.withdrawal') {
      if (!actors.has(effect.id)) actors.spawn(effect.id, { ...effect.input, id: effect.id });
    } else if (effect.type === 'retire') actors.forget(effect.id);
    else if (effect.type === 'reply.ok' || effect.type === 'reply.error')
      answers.set(effect.requestId, (answers.get(effect.requestId) ?? 0) + 1);
    else if ('key' in effect && 'from' in effect) jobs.push(effect);
    else throw new Error(`nobody expects ${effect.type}`);
    // Effects that the spawn of an actor has caused are handled after the spawn itself.
    for (const more of effects.splice(0)) if (more.type !== 'notify') take(more);
  }

  function order(given: UserDepositOrder) {
    const requestId = `request ${++asked}`;
    answers.set(requestId, 0);
    const facts = contract.facts();
    const before = userDepositState(actors)?.pending ?? null;
    const refusal = orderRefusal(given, facts);
    deliver('node', { type: 'cmd.userDeposit', requestId, order: given, facts });
    const isTaken = userDepositState(actors)?.pending?.requestId === requestId;
    expect(isTaken).toBe(before === null && refusal === null);
  }

  function end(isMined: boolean) {
    const tx = jobs.shift();
    if (tx === undefined) return;
    contract.state.block += 1n;
    const isDone = isMined && contract.run(tx);
    const mined = { transactionHash: hashOf(1), minedBlock: contract.state.block };
    const told = { type: 'chain.tx', key: tx.key } as const;
    if (isDone) deliver(tx.from, { ...told, ok: true, ...mined });
    else deliver(tx.from, { ...told, ok: false, code: 'transaction_failed', detail: '' });
  }

  function check() {
    const state = userDepositState(actors);
    const { pending, plan } = state ?? { pending: null, plan: null };
    expect(jobs.length).toBe(pending === null ? 0 : 1);
    for (const [requestId, times] of answers)
      expect(times).toBe(pending?.requestId === requestId ? 0 : 1);
    const alive = [...actors.ids()].filter((id) => id.startsWith('withdrawal:'));
    const planning = jobs.flatMap((tx) => (tx.type === 'tx.userDepositPlan' ? [tx.from] : []));
    expect(alive.sort()).toEqual([...(plan === null ? [] : [plan.withdrawal]), ...planning].sort());
    if (plan !== null)
      expect(actors.stateOf(plan.withdrawal)?.context).toMatchObject({
        amount: plan.amount,
        withdrawBlock: plan.withdrawBlock,
      });
  }

  function restart() {
    const rows = actors.ids().map((id) => actors.rowOf(id));
    actors = systemOf(rows.filter((row) => row !== null));
  }

  deliver('node', { type: 'actor.caughtUp' });
  return {
    contract,
    end,
    check,
    act(next: Action) {
      if (next.type === 'order') order(next.order);
      else if (next.type === 'mine' || next.type === 'fail') end(next.type === 'mine');
      else if (next.type === 'foreignPlan') contract.plan(next.amount);
      else if (next.type === 'foreignWithdrawal') contract.withdraw(contract.state.planned);
      else if (next.type === 'blocks') contract.state.block += next.count;
      else restart();
    },
    /** What the actors know of the plan. */
    known: () => userDepositState(actors)?.plan ?? null,
  };
}

describe('a user deposit', () => {
  it('answers each order once, and knows at most one plan, the one of the contract, whatever happens', () => {
    let withdrawals = 0;
    fc.assert(
      fc.property(fc.array(action, { minLength: 20, maxLength: 80 }), (actions) => {
        const life = createLife();
        for (const next of actions) {
          life.act(next);
          life.check();
        }
        life.end(true);
        life.check();
        // A refused order is enough to see what the contract holds.
        life.act({ type: 'order', order: { kind: 'plan', amount: 0n } });
        const { planned, withdrawBlock } = life.contract.state;
        const known = life.known();
        expect([known?.amount ?? 0n, known?.withdrawBlock ?? 0n]).toEqual([planned, withdrawBlock]);
        withdrawals += Number(life.contract.state.total > life.contract.state.balance);
      }),
      { numRuns: 100 },
    );
    expect(withdrawals).toBeGreaterThan(0);
  });
});
