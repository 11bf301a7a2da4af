/** Filters the actors, groups them by machine and state, and says how urgent each one is. */
import type { ListedActor } from '../../../inspector/wire.ts';
import { personName } from '../../../page-parts/labels.ts';

export const URGENCIES = ['danger', 'soon', 'far', 'none', 'ended'] as const;
export type ActorUrgency = (typeof URGENCIES)[number];
/** A deadline with at most `soon` blocks left is near, with at most `danger` blocks left it is dangerous. */
export type Limits = { soon: bigint; danger: bigint };

/** Half of the reveal timeout is more than a node needs to bring a secret on chain in time. */
export function urgencyLimits(revealTimeout: bigint): Limits {
  return { soon: revealTimeout, danger: revealTimeout / 2n };
}

export function urgencyOf(row: ListedActor, nowBlock: bigint, limits: Limits): ActorUrgency {
  if (row.isEnded) return 'ended';
  if (row.deadlineBlock === null) return 'none';
  const left = row.deadlineBlock - nowBlock;
  if (left <= limits.danger) return 'danger';
  return left <= limits.soon ? 'soon' : 'far';
}

/** An empty text fits all actors. `payment` and `partner` may be a part of the full value. `order`: in each group. */
export type ActorsChoice = {
  machine: string;
  state: string;
  token: string;
  partner: string;
  payment: string;
  ended: 'live' | 'ended' | 'all';
  order: 'spawned' | 'deadline';
};

function isChosen(choice: ActorsChoice, row: ListedActor): boolean {
  const { machine, state, token, partner, payment, ended } = choice;
  return (
    (ended === 'all' || row.isEnded === (ended === 'ended')) &&
    (machine === '' || row.machine === machine) &&
    (state === '' || row.state === state) &&
    (token === '' || row.token === token) &&
    (partner === '' || isPartner(row, partner.toLowerCase())) &&
    (payment === '' || `${row.paymentId ?? ''}`.includes(payment))
  );
}

/** Whether `text` is part of the name or address of the partner, or of the target. */
function isPartner({ partner, target }: ListedActor, text: string): boolean {
  return [partner, target].some(
    (one) =>
      one !== null &&
      (one.toLowerCase().includes(text) || personName(one).toLowerCase().includes(text)),
  );
}

export type ActorGroup = { key: string; machine: string; state: string; rows: ListedActor[] };

/** Groups by machine and state: machines in the order in which they first appear, states with the most actors first. */
export function groupsOf(rows: Iterable<ListedActor>, choice: ActorsChoice): ActorGroup[] {
  const machines = new Map<string, Map<string, ActorGroup>>();
  for (const row of rows) {
    if (!isChosen(choice, row)) continue;
    const { machine, state } = row;
    const states = machines.get(machine) ?? new Map<string, ActorGroup>();
    if (states.size === 0) machines.set(machine, states);
    const group = states.get(state) ?? { key: `${machine} ${state}`, machine, state, rows: [] };
    if (group.rows.length === 0) states.set(state, group);
    group.rows.push(row);
  }
  const groups = [...machines.values()].flatMap((states) =>
    [...states.values()].sort((a, b) => b.rows.length - a.rows.length || byText(a.key, b.key)),
  );
  if (choice.order === 'deadline') for (const { rows } of groups) rows.sort(byDeadline);
  return groups;
}

/** Sorts by deadline: the nearest first, actors without one last. */
function byDeadline({ deadlineBlock: a }: ListedActor, { deadlineBlock: b }: ListedActor): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

export const COLUMNS = ['deadline', 'actor', 'state', 'partner', 'payment', 'amount'] as const;
export type ActorsColumn = (typeof COLUMNS)[number];

/** The rows as a sorted copy. */
export function sortedBy(
  rows: readonly ListedActor[],
  column: ActorsColumn,
  isDown: boolean,
): ListedActor[] {
  const sorted = [...rows].sort(COMPARE[column]);
  return isDown ? sorted.reverse() : sorted;
}

const COMPARE: Record<ActorsColumn, (a: ListedActor, b: ListedActor) => number> = {
  deadline: byDeadline,
  actor: (a, b) => byText(a.actor, b.actor),
  state: (a, b) => byText(a.state, b.state),
  partner: (a, b) => byText(a.partner ?? '', b.partner ?? ''),
  payment: (a, b) => byAmount(a.paymentId, b.paymentId),
  amount: (a, b) => byAmount(a.amount, b.amount),
};

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function byAmount(a: bigint | null, b: bigint | null): number {
  const [left, right] = [a ?? -1n, b ?? -1n];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
