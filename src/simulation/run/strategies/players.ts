/** Calls the strategies of a run: each of its nodes has one of its own, and errors of theirs end the run. */
import type { RecordPayment } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { parseSelection, select } from '../../scenario/schema/selection.ts';
import type { NodePlan } from '../../scenario/topology.ts';
import type { Randomness } from '../../world/randomness.ts';
import { type Around, createOwnNode } from './own-node.ts';
import type { NodePayment, Reactions, Strategy } from './strategy.ts';

type Options = Around & {
  strategies: readonly Strategy[];
  nodes: readonly NodePlan[];
  randomness: Randomness;
  /** Does this after everything that is planned for now. */
  soon(work: () => void): void;
};
type Player = { who: string; reactions: Reactions; isBusy: boolean };

export type Players = ReturnType<typeof createPlayers>;

export function createPlayers(options: Options) {
  const { strategies, nodes, randomness, soon, world, indexOf } = options;
  const players = new Map<number, Player[]>();
  let failure: Error | null = null;

  function fail(who: string, error: unknown) {
    // With the place in the strategy's own code.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    failure ??= new Error(`${who}: ${text}`, { cause: error });
  }

  /** The promise of what the strategy does; null: it did all at once. */
  function attempt(who: string, work: () => void | Promise<void>): Promise<void> | null {
    try {
      const pending = work();
      return pending === undefined ? null : pending.catch((error) => fail(who, error));
    } catch (error) {
      fail(who, error);
      return null;
    }
  }

  function begin() {
    for (const { name, nodes: text, start } of strategies) {
      const selection = parseSelection(text);
      if (selection === null) throw new Error(`strategy ${name}: "${text}" selects no nodes`);
      const chosen = select(selection, nodes, randomness.of(`strategy ${name}`));
      if (chosen.length === 0)
        throw new Error(`strategy ${name}: "${text}" selects none of the ${nodes.length} nodes`);
      for (const plan of chosen) {
        const who = `strategy ${name} of ${plan.name}`;
        const node = createOwnNode(plan, randomness.of(who), options);
        const known = players.get(plan.index) ?? [];
        attempt(who, () => {
          players.set(plan.index, [...known, { who, reactions: start(node), isBusy: false }]);
        });
      }
    }
  }

  function block(now: number) {
    for (const own of players.values())
      for (const player of own) {
        if (player.isBusy) continue;
        player.isBusy = true;
        const pending = attempt(player.who, () => player.reactions.onBlock?.(now));
        if (pending === null) player.isBusy = false;
        else
          void pending.then(() => {
            player.isBusy = false;
          });
      }
  }

  function tell(index: number, payment: NodePayment) {
    for (const { who, reactions } of players.get(index) ?? [])
      attempt(who, () => reactions.onPayment?.(payment));
  }

  function seen(payment: RecordPayment): NodePayment {
    const { amount } = payment;
    const at = (address: Address) => indexOf(address);
    if (payment.type === 'record.paymentReceived')
      return { what: 'received', amount, other: at(payment.initiator) };
    const other = at(payment.target);
    if (payment.type === 'record.paymentSent') return { what: 'sent', amount, other };
    return { what: 'failed', amount, other, code: payment.code };
  }

  return {
    begin,
    block,
    /** A node has written this batch. */
    commit(index: number, { payments, mediations }: Pick<Batch, 'mediations' | 'payments'>) {
      if (!players.has(index)) return;
      for (const payment of payments)
        if (payment.token === world.token) soon(() => tell(index, seen(payment)));
      for (const { token, payer, fee } of mediations)
        if (token === world.token)
          soon(() => tell(index, { what: 'mediated', fee, other: indexOf(payer) }));
    },
    /** What a strategy has thrown first; null: nothing. */
    failure: () => failure,
  };
}
