/** Keeps this node from promising more than it can claim on chain: the facts for the lock rules, and the rules. */

import type { Clock } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../chain/queue/calls.ts';
import type { ChainReads } from '../../chain/reads.ts';
import type { Result } from '../../protocol/codes.ts';
import type { ForcedRow } from '../../store/batch.ts';
import type { Delivery } from '../runtime/commits/delivery.ts';
import type { LockRule } from '../runtime/knowledge/lock-gate.ts';
import { createGasBudgets } from './gas/gas-budgets.ts';
import { weiFor } from './gas/gas-reserve.ts';
import { createGasWatch } from './gas/gas-watch.ts';
import { protecting, type RiskRule } from './lock-risk.ts';
import { budgetRule, cleanBooksRule, gasRule, roomRule, worthRule } from './lock-rules.ts';
import { createPendingLocks } from './pending-locks.ts';

/** How long the reserve shown to the operator includes a lock that was refused for want of gas money. */
const REFUSAL_MS = 600_000;
const GAS_OF_OPENING = GAS_ESTIMATES.approve + GAS_ESTIMATES.openChannel;

type Options = {
  own: Address;
  reads: Pick<ChainReads, 'nativeBalance' | 'gasPrice'>;
  clock: Clock;
  confirmations: bigint;
  /** The newest confirmed block whose logs were applied. */
  nowBlock(): bigint;
  /** Most that the transactions under way can cost, in wei. */
  reserved(): bigint;
  turn(deliveries: readonly Delivery[]): void;
  /** The registrations that partners had forced on this node before this process started. */
  forced: readonly ForcedRow[];
  /** For each token that the operator has named, the wei that 10^18 of its smallest units are worth. */
  tokenValues: ReadonlyMap<Address, bigint>;
};

export type Protection = ReturnType<typeof createProtection>;

export function createProtection({ turn, clock, confirmations, nowBlock, ...options }: Options) {
  const pending = createPendingLocks(options.tokenValues);
  const budgets = createGasBudgets({ rows: options.forced, nowBlock });
  const watch = createGasWatch({ ...options, clock, onLooked: tryAgain });
  const judgeGas = gasRule({ pending, watch, onShort });
  let isTight = false;
  let refused: { wanted: bigint; at: number } | null = null;

  function onShort(wanted: bigint) {
    refused = { wanted, at: clock.now() };
  }

  /** Lets mediators that wait for gas money try again as soon as it is there, not only at the next block. */
  function tryAgain() {
    const known = isTight ? reserveFor(pending.gasAtStake()) : null;
    if (known === null || known.spare < known.wanted) return;
    isTight = false;
    turn(pending.waiting().map((to) => ({ to, event: { type: 'chain.block' } })));
  }

  function reserveFor(gas: bigint): { spare: bigint; wanted: bigint } | null {
    const money = watch.money();
    if (money === null) return null;
    const wanted = weiFor(gas, money.price);
    const isRecent = refused !== null && Math.abs(clock.now() - refused.at) < REFUSAL_MS;
    const more = isRecent && refused !== null ? refused.wanted : 0n;
    return { spare: money.spare, wanted: more > wanted ? more : wanted };
  }

  const rules: readonly RiskRule[] = [
    cleanBooksRule({ pending }),
    worthRule({ pending, watch }),
    budgetRule({ pending, budgets }),
    (risk) => {
      const code = judgeGas(risk);
      isTight ||= code !== null;
      return code;
    },
    roomRule({ pending, confirmations }),
  ];
  const rule: LockRule = protecting(rules, { pending, nowBlock });
  return {
    pending,
    watch,
    rule,
    budgets,
    /** Charges a registration to the payer that forced it on this node; answers the rows to be written. */
    charge: (payer: Address, actor: string) =>
      budgets.charge(payer, pending.standing(actor, payer)),
    /**
     * What the account can spend and what it should be able to spend, both in wei: for all channels, or for a lock that
     * was refused lately if that is more. Null: not known.
     */
    reserve: () => reserveFor(pending.gas()),
    /** Whether the account can pay the gas of one more channel, from its opening to its end. */
    async canOpen(): Promise<Result<boolean>> {
      await watch.lookAfresh();
      const money = watch.money();
      const detail = 'The endpoint does not tell balance and gas price.';
      if (money === null) return { ok: false, code: 'chain_unavailable', detail };
      const wanted = weiFor(pending.gasWithNewChannel() + GAS_OF_OPENING, money.price);
      return { ok: true, value: money.spare >= wanted };
    },
  };
}
