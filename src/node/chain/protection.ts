/** Keeps this node from promising more than it can claim on chain: the facts for the lock rules, and the rules. */

import { SLOTS_FOR_CUSTOMERS } from '../../../machines/channel/mediation.ts';
import type { RecordMediated } from '../../../machines/effects.ts';
import type { Slots } from '../../../machines/events/stamps.ts';
import type { Address } from '../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../chain/queue/calls.ts';
import type { Result } from '../../protocol/codes.ts';
import type { ForcedRow } from '../../store/base/batch.ts';
import { kindOf } from '../runtime/actors/kinds.ts';
import type { Happenings } from '../runtime/happenings.ts';
import { boundsFrom } from '../runtime/knowledge/bounds.ts';
import type { LockRule } from '../runtime/knowledge/lock-gate.ts';
import type { NodeParts, NodeSettings } from '../runtime/parts.ts';
import { createCustomers } from './gas/customers.ts';
import { createGasBudgets, REGISTRATION } from './gas/gas-budgets.ts';
import { gasOf, NEW_CHANNEL, weiFor } from './gas/gas-reserve.ts';
import { createGasWatch } from './gas/gas-watch.ts';
import { createLedger } from './gas/ledger.ts';
import type { ChainHeight } from './height.ts';
import { protecting, type RiskRule } from './lock-risk.ts';
import { budgetRule, cleanBooksRule, gasRule, roomRule, worthRule } from './lock-rules.ts';
import { createPendingLocks } from './pending-locks.ts';

/** How long the reserve shown to the operator includes a lock that was refused for want of gas money. */
const REFUSAL_MS = 600_000;
const GAS_OF_OPENING = GAS_ESTIMATES.approve + GAS_ESTIMATES.openChannel;

type Options = {
  settings: Pick<NodeSettings, 'confirmations' | 'tokenValues' | 'bounds'>;
  parts: Pick<NodeParts, 'clock' | 'onBound' | 'reads' | 'signer' | 'store'>;
  height: Pick<ChainHeight, 'nowBlock'>;
  happenings: Pick<Happenings, 'tell'>;
  /** Most that the transactions under way can cost, in wei. */
  reserved(): bigint;
};

export type Protection = ReturnType<typeof createProtection>;

export function createProtection({ settings, parts, height, happenings, reserved }: Options) {
  const { confirmations, tokenValues = new Map() } = settings;
  const { clock, reads, signer, store } = parts;
  const { nowBlock } = height;
  // The registrations that partners had forced on this node before this process started.
  const forced = store.forced();
  const pending = createPendingLocks({
    values: tokenValues,
    forced,
    nowBlock,
    money: () => watch.money(),
  });
  const bounds = boundsFrom(settings, parts);
  const budgets = createGasBudgets({ rows: forced, nowBlock, bounds });
  const watch = createGasWatch({ own: signer.address, reads, clock, reserved, onLooked });
  const customers = createCustomers({ rows: forced, nowBlock });
  const ledger = createLedger({ pending, watch, budgets });
  const judgeGas = gasRule({ pending, watch, customers, onShort });
  let isTight = false;
  /** Whether the last look told balance and price. */
  let wasKnown = false;
  let refused: { wanted: bigint; at: number } | null = null;

  function onShort(wanted: bigint) {
    refused = { wanted, at: clock.now() };
  }

  function onLooked() {
    const money = watch.money();
    if (money !== null) pending.reconsider(!wasKnown);
    wasKnown = money !== null;
    tryAgain();
  }

  /** Lets mediators that wait for gas money try again as soon as it is there, not only at the next block. */
  function tryAgain() {
    const known = isTight ? reserveOf(pending.promised()) : null;
    if (known === null || known.spare < known.wanted) return;
    isTight = false;
    happenings.tell('affordable', pending.waiting());
  }

  /** `wanted`: what the account should hold; that for a lock that was refused lately if that is more. */
  function reserveOf(wanted: bigint): { spare: bigint; wanted: bigint } | null {
    const money = watch.money();
    if (money === null) return null;
    const isRecent = refused !== null && Math.abs(clock.now() - refused.at) < REFUSAL_MS;
    const more = isRecent && refused !== null ? refused.wanted : 0n;
    return { spare: money.spare, wanted: more > wanted ? more : wanted };
  }

  /** What the account can spend besides what is promised, and the price of a unit of gas, both in wei, as of now. */
  async function freeGasMoney(): Promise<Result<{ wei: bigint; price: bigint }>> {
    await watch.lookAfresh();
    const value = ledger.free();
    const detail = 'The endpoint does not tell balance and gas price.';
    return value === null ? { ok: false, code: 'chain_unavailable', detail } : { ok: true, value };
  }

  const canClaim: RiskRule = () => {
    const free = ledger.free();
    if (free === null) return 'chain_unavailable';
    return free.wei >= weiFor(REGISTRATION, free.price) ? null : 'insufficient_gas';
  };

  const rules: readonly RiskRule[] = [
    cleanBooksRule({ pending }),
    worthRule({ pending, watch }),
    budgetRule({ pending, budgets, customers }),
    (risk) => {
      const code = judgeGas(risk);
      isTight ||= code !== null;
      return code;
    },
    roomRule({ pending, confirmations, bounds }),
  ];
  const rule: LockRule = protecting(rules, { pending, nowBlock, canClaim });
  return {
    pending,
    watch,
    rule,
    budgets,
    ledger,
    /** What turns write of it. */
    accounts: {
      /** What the payer of a transfer has brought by it; answers the rows to be written. */
      noteMediated: ({ payer, token, fee }: RecordMediated): ForcedRow[] =>
        customers.noteBrought(payer, pending.guessOf(fee, token)),
      /** Charges a registration, or a close, to the payer that forced it on this node; answers the rows to be written. */
      charge(payer: Address, actor: string): ForcedRow[] {
        if (kindOf(actor) === 'channel') return ledger.chargeClaim(actor);
        const standing = pending.claim(actor) ?? {
          isStranger: pending.isStranger(payer),
          isSmall: false,
        };
        return budgets.charge(payer, { ...standing, unknown: null }, REGISTRATION);
      },
      chargeLate: budgets.chargeLate,
      changedPrices: pending.changedPrices,
    },
    /** What is kept in an outgoing channel for customers, if there are any. */
    slotsOf: (payer: Address): Slots => ({
      kept: customers.areAny() ? SLOTS_FOR_CUSTOMERS : 0,
      own: customers.placesOf(payer, SLOTS_FOR_CUSTOMERS),
    }),
    /**
     * What the account can spend and what it should be able to spend, both in wei: for all channels, or for a lock that
     * was refused lately if that is more. Null: not known.
     */
    reserve: () => reserveOf(weiFor(pending.gas(), watch.money()?.price ?? 0n)),
    freeGasMoney,
    /** Whether the account can pay for so much gas besides what is promised, even if its price triples. */
    async canPayGas(gas: bigint): Promise<Result<boolean>> {
      const free = await freeGasMoney();
      if (!free.ok) return free;
      return { ok: true, value: free.value.wei >= weiFor(gas, free.value.price) };
    },
    /** Gas of one more channel, from its opening to its end. */
    gasOfChannel: GAS_OF_OPENING + gasOf(NEW_CHANNEL),
  };
}
