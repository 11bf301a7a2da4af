/**
 * The account's gas money as one ledger: what was promised is set aside, and all else is sent from what is free.
 *
 * A promise is a transaction that this node may be forced to send: the registration of a secret whose lock it has passed
 * on, or shown to a payer that did not have it, and an update against an older state of a channel. Its gas is set aside
 * from the moment on in which something is promised (lock-rules.ts), and nothing else is ever paid from it.
 *
 * An order is what the operator has asked for. An option is what this node may send and need not: it is sent only when it
 * brings more than its gas takes. The operator's word on the token decides that. Without it, an amount decides that would
 * move what this node has itself put in; and for all else there are budgets, small ones for tokens that are no money here.
 * What is not worth its gas waits.
 */
import type { Tx } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../../chain/queue/calls.ts';
import type { Code } from '../../../protocol/codes.ts';
import type { ForcedRow } from '../../../store/base/batch.ts';
import { kindOf } from '../../runtime/actors/kinds.ts';
import type { ChannelFacts } from '../channel-facts.ts';
import type { PendingLocks } from '../pending-locks.ts';
import { type GasBudgets, REGISTRATION } from './gas-budgets.ts';
import { gasOfUnlock, weiFor } from './gas-reserve.ts';
import type { GasWatch } from './gas-watch.ts';

/**
 * `gain`: in the token's smallest unit. `paidFor`: when a budget pays for it, besides small change; `strange`: for strangers.
 * `canWait`: nothing is lost when it is sent later.
 */
type Option = {
  partner: Address;
  token: Address;
  gain: bigint;
  gas: bigint;
  paidFor: 'always' | 'strange' | 'small';
  canWait: boolean;
};
/** What a transaction is to this node. Over: its channel has gone on without it, and nothing waits for it any more. */
type Sort = 'promise' | 'order' | 'over' | Option;
/** `wait`: it is not sent now, for this reason. */
export type GasVerdict = 'send' | 'over' | { wait: Waiting };
export type Waiting = 'not worth its gas' | 'budget spent' | 'no free gas money' | typeof TOO_DEAR;
/** Whoever has made its token decides what it takes, so it is not weighed again by itself. */
export const TOO_DEAR = 'takes too much gas';
export type Ledger = ReturnType<typeof createLedger>;

type Parts = {
  pending: Pick<
    PendingLocks,
    | 'channel'
    | 'claim'
    | 'gasOfOwn'
    | 'isMoney'
    | 'isSmall'
    | 'isStranger'
    | 'isUpdatePromised'
    | 'isWorth'
    | 'asideOf'
    | 'begin'
    | 'end'
    | 'promised'
    | 'promisedToStrangers'
    | 'worthOf'
  >;
  watch: Pick<GasWatch, 'money' | 'hasBegun'>;
  budgets: Pick<GasBudgets, 'canCharge' | 'charge'>;
};

const { close, settle, updateProof } = GAS_ESTIMATES;
/** What can be promised. */
const PROMISED: readonly Tx['type'][] = ['tx.registerSecret', 'tx.updateProof'];

const locksOf = (side: 'own' | 'partner', { ownLocks, partnerLocks }: ChannelFacts) =>
  side === 'own' ? ownLocks : partnerLocks;

export function createLedger({ pending, watch, budgets }: Parts) {
  function sortOf(tx: Tx): Sort {
    if (tx.type === 'tx.registerSecret') return ofRegistration(tx.from);
    if (kindOf(tx.from) !== 'channel') return 'order';
    const facts = pending.channel(tx.from);
    return facts === null ? 'over' : ofChannel(tx, facts);
  }

  function ofRegistration(actor: string): Sort {
    const claim = pending.claim(actor);
    if (claim === null) return 'over';
    const { partner, token, amount: gain } = claim;
    if (claim.isOpen) return 'promise';
    return { partner, token, gain, gas: REGISTRATION, paidFor: 'always', canWait: false };
  }

  function ofChannel(tx: Tx, facts: ChannelFacts): Sort {
    const { tags, partner, token, stake, provable, isOrdered } = facts;
    const on = { partner, token, paidFor: 'small', canWait: true } as const;
    switch (tx.type) {
      // One that nobody has ordered was weighed before the channel decided on it: `claimRefusal`.
      case 'tx.close':
      case 'tx.deposit':
      case 'tx.withdraw':
        return tags.has('isUnclosed') ? 'order' : 'over';
      case 'tx.updateProof':
        if (!facts.mayUpdate) return 'over';
        if (pending.isUpdatePromised(tx.from)) return 'promise';
        return { ...on, gain: provable, gas: updateProof, canWait: false };
      case 'tx.settle':
        if (!tags.has('isUnsettled')) return 'over';
        return isOrdered ? 'order' : { ...on, gain: stake, gas: settle };
      case 'tx.unlock':
        return {
          ...on,
          paidFor: 'strange',
          gain: tx.brings,
          gas: gasOfUnlock(locksOf(tx.side, facts)),
        };
      default:
        return 'order';
    }
  }

  const standingOf = ({ partner, token, gain }: Option) => ({
    isStranger: pending.isStranger(partner),
    isSmall: pending.isSmall(gain, token),
    unknown: pending.isMoney(token) ? null : token,
  });

  /**
   * Whether a budget pays for it. Not for a proof, or a settlement, that brings more than small change: the partner has paid
   * more for its channel, and could spend the budget first to keep what it brings.
   */
  function isBudgeted({ gain, token, partner, paidFor }: Option): boolean {
    if (pending.worthOf(gain, token) !== null) return false;
    if (pending.isSmall(gain, token) || paidFor === 'always') return true;
    return paidFor === 'strange' && pending.isStranger(partner);
  }

  /**
   * `sending`: gas of options that were let go and not signed yet. What cannot wait is not kept back when the balance is not
   * known, as after a sleep, and a budget bounds it: the queue asks for the balance itself before it sends.
   */
  function whyNot(option: Option, sending = 0n): Waiting | null {
    const { partner, token, gain, gas, canWait } = option;
    if (gain === 0n) return 'not worth its gas';
    const money = watch.money();
    const hasWord = pending.worthOf(gain, token) !== null;
    if (money === null && (canWait || hasWord)) return 'no free gas money';
    if (hasWord && pending.isWorth(gain, token, gas) !== true) return 'not worth its gas';
    const standing = standingOf(option);
    const isPaid = isBudgeted(option);
    if (isPaid && !budgets.canCharge(partner, standing, gas)) return 'budget spent';
    if (money === null) return null;
    // Small change that can wait does not take what the account should hold for everything else.
    const isLeft = isPaid && standing.isSmall && canWait;
    const needed = isLeft
      ? weiFor(pending.gasOfOwn() + sending + gas, money.price) + pending.promisedToStrangers()
      : pending.promised() + (sending + gas) * money.price;
    return money.spare < needed ? 'no free gas money' : null;
  }

  const charged = (option: Option): ForcedRow[] =>
    isBudgeted(option) ? budgets.charge(option.partner, standingOf(option), option.gas) : [];

  /** A close for what the partner of the channel owes; null: it owes nothing. */
  function claimOf(channel: string): Option | null {
    const facts = pending.channel(channel);
    if (facts === null || facts.owed === 0n) return null;
    const { partner, token, owed: gain } = facts;
    return { partner, token, gain, gas: close + settle, paidFor: 'strange', canWait: true };
  }

  return {
    /** Whether the transaction is sent now. `sending`: gas of those that were let go before it and did not end yet. */
    weigh(tx: Tx, sending = 0n): GasVerdict {
      const sort = sortOf(tx);
      if (sort === 'over') return sort;
      if (sort === 'order' && !watch.hasBegun()) return { wait: 'no free gas money' };
      const wait = sort === 'promise' || sort === 'order' ? null : whyNot(sort, sending);
      return wait === null ? 'send' : { wait };
    },
    /** The gas of an option, as it is estimated; 0: it is none. */
    gasOf(tx: Tx): bigint {
      const sort = sortOf(tx);
      return typeof sort === 'string' ? 0n : sort.gas;
    },
    /** Why the channel is not closed now for what its partner owes, or null. */
    claimRefusal(channel: string): Code | null {
      const option = claimOf(channel);
      return option === null || whyNot(option) === null ? null : 'insufficient_gas';
    },
    /** Charges the close of the channel for what its partner owes; answers the rows to be written. */
    chargeClaim(channel: string): ForcedRow[] {
      const option = claimOf(channel);
      // The settlement is charged when it is sent.
      return option === null ? [] : charged({ ...option, gas: close });
    },
    /** Charges what is sent now to the budgets that pay for it; answers the rows to be written. */
    charge(tx: Tx): ForcedRow[] {
      const sort = sortOf(tx);
      return typeof sort === 'string' ? [] : charged(sort);
    },
    /**
     * Most gas that it may take; undefined: as much as any transaction of its kind. Whoever makes a token decides what it
     * takes: one that is no money here may take no more than is charged for it.
     */
    mostGas(tx: Tx): bigint | undefined {
      const sort = sortOf(tx);
      return typeof sort !== 'string' && !pending.isMoney(sort.token) ? sort.gas : undefined;
    },
    isPromise: (tx: Tx): boolean => sortOf(tx) === 'promise',
    /** Whether nothing waits for the transaction any more. */
    isOver: (tx: Tx): boolean => sortOf(tx) === 'over',
    /** Wei that are set aside in all, and of them for the transaction. */
    aside: pending.promised,
    asideOf: ({ type, from }: Tx): bigint => (PROMISED.includes(type) ? pending.asideOf(from) : 0n),
    /** A transaction that was promised is sent; it has ended. What is set aside for it stays so until then. */
    begin(tx: Tx): void {
      if (sortOf(tx) === 'promise') pending.begin(tx.from);
    },
    end: ({ from }: Tx): void => pending.end(from),
    /** What the account can spend on orders and options, in wei; null: not known. */
    free(): { wei: bigint; price: bigint } | null {
      const money = watch.money();
      return money && { wei: money.spare - pending.promised(), price: money.price };
    },
  };
}
