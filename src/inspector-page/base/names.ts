/** Names of actors for people. */

import { shortId } from '../../inspector/texts/short-id.ts';
import type { ListedActor } from '../../inspector/wire.ts';
import { amountFigure, amountText, personName, tokenName } from '../../page-parts/labels.ts';

/** `kind`: a word for the machine; `name`: which actor of that kind, as short as possible. */
export type ActorName = { kind: string; name: string };

const KINDS: Record<string, string> = {
  node: 'Node',
  tokenNetwork: 'Token network',
  channel: 'Channel',
  initiator: 'Payment sent',
  mediator: 'Payment passed on',
  target: 'Payment received',
  userDeposit: 'User deposit',
  withdrawal: 'Withdrawal',
};

/** `channel:0xe7f1…:1` is `Channel 1`, `initiator:0x12…` is `Payment sent 0x1234…abcd`. */
export function actorName(actor: string): ActorName {
  const [machine = '', ...rest] = actor.split(':');
  const name = machine === 'channel' ? (rest.at(-1) ?? '') : shortId(rest.join(':'));
  return { kind: machineName(machine), name };
}

/**
 * The name, with details that tell the actor from others of its kind: for a channel the partner, the token and both
 * balances, for a payment the amount and who pays or is paid. `detail` is empty when there is none.
 */
export function rowName(row: ListedActor): ActorName & { detail: string } {
  const { kind, name } = actorName(row.actor);
  const { machine, token, partner, paymentId, amount, balances } = row;
  if (machine === 'tokenNetwork' && token !== null)
    return { kind, name: tokenName(token), detail: '' };
  if (machine === 'channel') {
    const figures =
      balances && [balances.own, balances.partner].map((of) => amountFigure(of, token));
    const facts = [partner && personName(partner), token && tokenName(token), figures?.join(' / ')];
    return { kind, name, detail: facts.filter((fact) => fact).join(' · ') };
  }
  if (paymentId === null || amount === null)
    return { kind, name, detail: amount === null ? '' : amountText(amount, token) };
  const other = otherEndOf(row);
  const whose = other === null ? '' : ` ${SIDES[machine] ?? 'with'} ${personName(other)}`;
  return { kind, name: `${paymentId}`, detail: `${amountText(amount, token)}${whose}` };
}

const SIDES: Record<string, string> = { initiator: 'to', mediator: 'from', target: 'from' };

/** Who is paid by this node, or who pays, as the payment says; of a channel the partner. */
export function otherEndOf({ machine, initiator, target, partner }: ListedActor) {
  return (machine === 'initiator' ? target : initiator) ?? partner;
}

export function machineName(machine: string): string {
  return KINDS[machine] ?? machine;
}

/** Splits a state into its regions, for lines of their own: `opened.deposit.idle+withdraw.idle` has two. */
export function regionsOf(state: string): string[] {
  return state.split('+');
}
