/** An actor as a row of the list: the facts by which the page shows, searches and colours it. */

import type { Address } from '../basics/hex.ts';
import { kindOf, type StoredState } from '../node/runtime/actors/kinds.ts';
import { balancesOf } from './base/money.ts';
import { deadlineOf } from './deadlines/deadlines.ts';
import {
  isChannelContext,
  isChannelInput,
  isInitiatorInput,
  isMediatorContext,
  isMediatorInput,
  isTargetInput,
  isWithdrawalInput,
  seenOf,
} from './replay/contexts.ts';
import type { ListedActor } from './wire.ts';

type Facts = Pick<
  ListedActor,
  'token' | 'partner' | 'initiator' | 'target' | 'balances' | 'paymentId' | 'amount'
>;

const NO_FACTS: Facts = {
  token: null,
  partner: null,
  initiator: null,
  target: null,
  balances: null,
  paymentId: null,
  amount: null,
};

export function listedActor(actor: string, stored: StoredState): ListedActor {
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

/** How an actor has ended. */
type End = { actor: string; state: string; time: number | null };

/**
 * The row of an actor that has ended. `spawned`: what it was spawned with, or a later context of it; from anything
 * else no facts can be read.
 */
export function endedRow({ actor, state, time }: End, spawned: unknown): ListedActor {
  const ended = { deadlineBlock: null, isEnded: true, endTime: time };
  return { actor, machine: kindOf(actor), state, ...factsOfEnded(spawned), ...ended };
}

/**
 * `partner`: the partner in the channel that the payment goes out through (initiator) or comes in through (target,
 * mediator).
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

function factsOfEnded(spawned: unknown): Facts {
  if (isChannelInput(spawned)) {
    const { token, partner } = spawned;
    const balances = isChannelContext(spawned) ? balancesOf(spawned) : null;
    return { ...NO_FACTS, token, partner, balances };
  }
  if (isInitiatorInput(spawned)) {
    const { token, partner, target, paymentId, amount } = spawned.order;
    return { ...NO_FACTS, token, partner, target, paymentId, amount };
  }
  if (isMediatorInput(spawned)) {
    const { token, payer, initiator, target, paymentId, amount } = spawned;
    const { partner } = payer;
    return { ...NO_FACTS, token, partner, initiator, target, paymentId, amount };
  }
  if (isTargetInput(spawned)) {
    const { token, payer: partner, initiator, paymentId, amount } = spawned;
    return { ...NO_FACTS, token, partner, initiator, paymentId, amount };
  }
  return isWithdrawalInput(spawned) ? { ...NO_FACTS, amount: spawned.amount } : NO_FACTS;
}

/** Which actors are wanted; null: all. Addresses may be in any case; `state` includes all states below it. */
export type ActorsFilter = {
  /** One kind of actor, or several with commas between. */
  machine: string | null;
  state: string | null;
  token: string | null;
  partner: string | null;
  /** A payment's identifier, or a secrethash. */
  payment: string | null;
};

export function isWanted(filter: ActorsFilter, row: ListedActor, context: unknown): boolean {
  const { machine, state, token, partner, payment } = filter;
  return (
    (machine === null || machine.split(',').includes(row.machine)) &&
    (state === null || isWithin(row.state, state)) &&
    (token === null || isAddress(token)(row.token)) &&
    (partner === null || partnersIn(row, context).some(isAddress(partner))) &&
    (payment === null || isOfPayment(payment.toLowerCase(), row, context))
  );
}

/**
 * Whether the filter can want an actor that has ended, as far as its end alone tells: what it was spawned with is in a
 * block of the journal, and thousands of those take seconds to read.
 */
export function mayBeWanted(filter: ActorsFilter, { actor, state }: End): boolean {
  const hash = filter.payment?.startsWith('0x') ? filter.payment.toLowerCase() : null;
  return (
    (filter.machine === null || filter.machine.split(',').includes(kindOf(actor))) &&
    (filter.state === null || isWithin(state, filter.state)) &&
    (hash === null || kindOf(actor) === 'channel' || actor.endsWith(`:${hash}`))
  );
}

/** Whether one of the regions of `text` is in `state` or below it. */
function isWithin(text: string, state: string): boolean {
  return text === state || text.split('+').some((part) => `${part}.`.startsWith(`${state}.`));
}

const isAddress = (wanted: string) => (address: Address | null) =>
  address?.toLowerCase() === wanted.toLowerCase();

/** All addresses that a person may mean by the partner: also the target, and the node that a mediator pays. */
function partnersIn({ partner }: ListedActor, context: unknown): (Address | null)[] {
  if (isInitiatorInput(context)) return [partner, context.order.target];
  return isMediatorContext(context) ? [partner, context.payee?.partner ?? null] : [partner];
}

/** Whether the row belongs to the payment. A channel belongs to all payments whose locks are pending in it. */
function isOfPayment(payment: string, row: ListedActor, context: unknown): boolean {
  if (row.paymentId !== null && `${row.paymentId}` === payment) return true;
  if (isChannelContext(context))
    return [...context.ownEnd.locks, ...context.partnerEnd.locks].some(
      ({ secrethash }) => secrethash === payment,
    );
  return row.actor.endsWith(`:${payment}`);
}
