/** The actors as a table for a terminal. */

import type { ActorList, ListedActor } from '../wire.ts';
import { shortId } from './short-id.ts';
import { blockText, columns, type Paint } from './text-parts.ts';

/** Grouped by machine and state; the groups, and the actors in each group, with the nearest deadline first. */
export function actorListLines({ block, seq, actors }: ActorList, paint: Paint): string[] {
  const groups = new Map<string, ListedActor[]>();
  for (const row of actors) {
    const title = `${row.machine} · ${row.state}${row.isEnded ? ' · ended' : ''}`;
    const group = groups.get(title);
    if (group === undefined) groups.set(title, [row]);
    else group.push(row);
  }
  const sorted = [...groups].map(([title, rows]) => ({ title, rows: rows.toSorted(byDeadline) }));
  sorted.sort((a, b) => compared(a.rows[0], b.rows[0]) || (a.title < b.title ? -1 : 1));
  const count = `${actors.length} ${actors.length === 1 ? 'actor' : 'actors'}`;
  return [
    paint.strong(`Block #${block}, step ${seq}: ${count}`),
    ...sorted.flatMap(({ title, rows }) => [
      '',
      `${paint.strong(title)} (${rows.length})`,
      ...columns(rows.map((row) => cellsOf(row, block))),
    ]),
  ];
}

function cellsOf(row: ListedActor, block: bigint): string[] {
  const { actor, deadlineBlock, partner, token, paymentId, amount } = row;
  return [
    deadlineBlock === null ? '-' : `${blockText(deadlineBlock)} ${leftText(deadlineBlock - block)}`,
    shortId(actor),
    partner === null ? '' : `with ${shortId(partner)}`,
    token === null ? '' : `token ${shortId(token)}`,
    amount === null ? '' : `amount ${amount}`,
    paymentId === null ? '' : `payment ${paymentId}`,
  ];
}

function leftText(blocks: bigint): string {
  if (blocks === 0n) return 'now';
  return blocks > 0n ? `in ${blocks}` : `${-blocks} ago`;
}

const byDeadline = (a: ListedActor, b: ListedActor) =>
  compared(a, b) || (a.actor < b.actor ? -1 : 1);

function compared(a: ListedActor | undefined, b: ListedActor | undefined): number {
  const [left = null, right = null] = [a?.deadlineBlock, b?.deadlineBlock];
  if (left === right) return 0;
  if (left === null) return 1;
  return right === null || left < right ? -1 : 1;
}
