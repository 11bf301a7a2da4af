/** One actor as text: its chart with the active states, its money, its deadlines. */

import { activeStates, indexChart } from '../charts/states.ts';
import type { ActorView, Deadline, MachineDefinition, Money, StateDefinition } from '../wire.ts';
import { shortId } from './short-id.ts';
import { blockText, columns, type Paint } from './text-parts.ts';

/** `chart`: of the version that the node runs; null when it could not be read. */
export function actorLines(
  view: ActorView,
  chart: MachineDefinition | null,
  paint: Paint,
): string[] {
  const { row, block, money, deadlines, next } = view;
  const state = row.isEnded ? `${row.state}, ended` : row.state;
  return [
    paint.strong(row.actor),
    `  ${state}, at block #${block}`,
    ...factsOf(view),
    ...(chart === null
      ? ['', 'The node runs another version of this chart: its tree is left out.']
      : ['', paint.strong('States'), ...treeLines(chart.root, row.state, paint)]),
    ...(money === null ? [] : ['', ...moneyLines(money, paint)]),
    ...(deadlines.length === 0 ? [] : ['', paint.strong('Deadlines'), ...dueLines(deadlines)]),
    ...(next.length === 0 ? [] : ['', paint.strong('Takes next'), `  ${next.join(', ')}`]),
  ];
}

function factsOf({ row: { token, partner, paymentId, amount } }: ActorView): string[] {
  const facts = [
    ...(token === null ? [] : [['token', token]]),
    ...(partner === null ? [] : [['partner', partner]]),
    ...(paymentId === null ? [] : [['payment', `${paymentId}`]]),
    ...(amount === null ? [] : [['amount', `${amount}`]]),
  ];
  return columns(facts);
}

/**
 * The states as an indented tree: active ones have a filled mark and bold letters. `text`: the state as dotted
 * text.
 */
export function treeLines(root: StateDefinition, text: string, paint: Paint): string[] {
  const active = activeStates(indexChart(root), text);
  const lines = (state: StateDefinition, indent: string): string[] => {
    const isActive = active.has(state.id);
    const name = `${indent}${isActive ? '●' : '○'} ${state.name}`;
    const inner = state.states.flatMap((child) => lines(child, `${indent}  `));
    return [isActive ? paint.strong(name) : paint.faint(name), ...inner];
  };
  return root.states.flatMap((state) => lines(state, '  '));
}

function moneyLines({ own, partner, isConserved, closedNow }: Money, paint: Paint): string[] {
  const row = (name: string, a: bigint, b: bigint) => [name, `${a}`, `${b}`];
  return [
    paint.strong('Money'),
    ...columns([
      ['', `own ${shortId(own.address)}`, `partner ${shortId(partner.address)}`],
      row('deposit', own.deposit, partner.deposit),
      row('withdrawn', own.withdrawn, partner.withdrawn),
      row('reserved', own.reserved, partner.reserved),
      row('balance', own.balance, partner.balance),
      row('locked', own.locked, partner.locked),
      row('can pay', own.capacity, partner.capacity),
      row('closed now', closedNow.own, closedNow.partner),
      row('  in locks', closedNow.ownLocks, closedNow.partnerLocks),
      row('nonce', own.nonce, partner.nonce),
    ]),
    isConserved
      ? paint.good('  conserved: balances, withdrawn and reserved make the deposits')
      : paint.bad('  NOT CONSERVED: balances, withdrawn and reserved do not make the deposits'),
  ];
}

function dueLines(deadlines: readonly Deadline[]): string[] {
  return deadlines.flatMap(({ what, side, amount, secrethash, action, ...blocks }) => {
    const of = [
      what,
      side === null ? null : `of ${side === 'own' ? 'this node' : 'the partner'}`,
      amount === null ? null : `${amount}`,
      secrethash === null ? null : shortId(secrethash),
    ].filter((text) => text !== null);
    const { dangerBlock, expiryBlock, actionBlock } = blocks;
    const when = `danger ${blockText(dangerBlock)}, expires ${blockText(expiryBlock)}, next ${blockText(actionBlock)}`;
    return [`  ${of.join(' ')}: ${when}`, `    ${action}`];
  });
}
