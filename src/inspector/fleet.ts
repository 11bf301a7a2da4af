/** One cell of the fleet: what of an actor is seen, searched and coloured from afar. */
import { kindOf, type StoredState } from '../node/runtime/kinds.ts';
import type { Address } from '../protocol/hex.ts';
import {
  isChannelContext,
  isChannelInput,
  isInitiatorInput,
  isMediatorContext,
  isMediatorInput,
  isTargetInput,
  isWithdrawalInput,
  seenOf,
} from './contexts.ts';
import { deadlineOf } from './deadlines.ts';
import { balancesOf } from './money.ts';
import type { FleetRow } from './wire.ts';

type Facts = Pick<FleetRow, 'token' | 'partner' | 'target' | 'balances' | 'paymentId' | 'amount'>;

const NO_FACTS: Facts = {
  ...{ token: null, partner: null, target: null },
  ...{ balances: null, paymentId: null, amount: null },
};

export function fleetRow(actor: string, stored: StoredState): FleetRow {
  const seen = seenOf(stored);
  return {
    actor,
    machine: seen.kind,
    state: seen.state,
    ...factsOf(stored),
    deadlineBlock: deadlineOf(seen),
    isEnded: false,
    endTime: null,
  };
}

type End = { actor: string; state: string; time: number | null };

/** `born`: what it was born with, or a context that it had later; anything else has no facts. */
export function endedRow({ actor, state, time }: End, born: unknown): FleetRow {
  const ended = { deadlineBlock: null, isEnded: true, endTime: time };
  return { actor, machine: kindOf(actor), state, ...factsOfEnded(born), ...ended };
}

/**
 * `partner`: who is on the other side of the channel that is paid through, or that pays. A mediator is not told
 * who is paid in the end.
 */
function factsOf({ kind, context }: StoredState): Facts {
  switch (kind) {
    case 'tokenNetwork':
      return { ...NO_FACTS, token: context.token };
    case 'userDeposit':
      return { ...NO_FACTS, amount: context.plan?.amount ?? null };
    case 'node':
    case 'keeper':
      return NO_FACTS;
    default:
      return factsOfEnded(context);
  }
}

function factsOfEnded(born: unknown): Facts {
  if (isChannelInput(born)) {
    const { token, partner } = born;
    const balances = isChannelContext(born) ? balancesOf(born) : null;
    return { ...NO_FACTS, token, partner, balances };
  }
  if (isInitiatorInput(born)) {
    const { token, partner, target, paymentId, amount } = born.order;
    return { ...NO_FACTS, token, partner, target, paymentId, amount };
  }
  if (isMediatorInput(born)) {
    const { token, payer, paymentId, amount } = born;
    return { ...NO_FACTS, token, partner: payer.partner, paymentId, amount };
  }
  if (isTargetInput(born)) {
    const { token, payer: partner, paymentId, amount } = born;
    return { ...NO_FACTS, token, partner, paymentId, amount };
  }
  return isWithdrawalInput(born) ? { ...NO_FACTS, amount: born.amount } : NO_FACTS;
}

/** Which actors are wanted; null: all. Addresses in any case, `state` with all states below it. */
export type FleetFilter = {
  /** One kind of actor, or several with commas between. */
  machine: string | null;
  state: string | null;
  token: string | null;
  partner: string | null;
  /** A payment's identifier, or a secrethash. */
  payment: string | null;
};

export function isWanted(filter: FleetFilter, row: FleetRow, context: unknown): boolean {
  const { machine, state, token, partner, payment } = filter;
  return (
    (machine === null || machine.split(',').includes(row.machine)) &&
    (state === null || isWithin(row.state, state)) &&
    (token === null || isAddress(token)(row.token)) &&
    (partner === null || partnersIn(row, context).some(isAddress(partner))) &&
    (payment === null || isOfPayment(payment.toLowerCase(), row, context))
  );
}

/** Whether one of the regions of `text` is in `state` or below it. */
function isWithin(text: string, state: string): boolean {
  return text === state || text.split('+').some((part) => `${part}.`.startsWith(`${state}.`));
}

const isAddress = (wanted: string) => (address: Address | null) =>
  address?.toLowerCase() === wanted.toLowerCase();

/** Everybody whom a person may mean by the partner: also the target, and whom a transfer goes on to. */
function partnersIn({ partner }: FleetRow, context: unknown): (Address | null)[] {
  if (isInitiatorInput(context)) return [partner, context.order.target];
  return isMediatorContext(context) ? [partner, context.payee?.partner ?? null] : [partner];
}

/** A channel belongs to the payments whose locks it holds. */
function isOfPayment(payment: string, row: FleetRow, context: unknown): boolean {
  if (row.paymentId !== null && `${row.paymentId}` === payment) return true;
  if (isChannelContext(context))
    return [...context.ownEnd.locks, ...context.partnerEnd.locks].some(
      ({ secrethash }) => secrethash === payment,
    );
  return row.actor.endsWith(`:${payment}`);
}
