/** The table as it is now, and what it means for whoever calls the node. */
import type { Clock } from '../../basics/environment.ts';
import type { NodeStatus } from '../api/api.ts';
import type { Check, CheckId, HealthRow, OpenTrouble, Table, Trouble } from './check.ts';

/** Answers every row of the table as it is now. */
export function createRows(table: Table, clock: Pick<Clock, 'now'>): () => HealthRow[] {
  const known = new Map<CheckId, Pick<HealthRow, 'isGood' | 'since'>>();

  function rowOf([id, { keeps, urgency, look, isNeeded }]: [CheckId, Check]): HealthRow {
    const found = look();
    const isGood = found === undefined ? null : found === null;
    const before = known.get(id);
    const since = before?.isGood === isGood ? before.since : clock.now();
    known.set(id, { isGood, since });
    const trouble = found ?? null;
    const isMissed = trouble !== null && isNeeded?.() === true;
    return { id, keeps, urgency, isGood, since, isNeeded: isMissed, trouble };
  }

  return () => entriesOf(table).map(rowOf);
}

function entriesOf(table: Table): [CheckId, Check][] {
  const ids = Object.keys(table).filter((id): id is CheckId => id in table);
  return ids.map((id) => [id, table[id]]);
}

/** Whether the node takes calls, as far as the table says that. */
export function readiness(rows: readonly HealthRow[]): NodeStatus {
  const bad = rows.flatMap(({ trouble, ...row }) => (trouble ? [{ ...row, trouble }] : []));
  const missing = bad.find(({ isNeeded }) => isNeeded);
  if (missing !== undefined) {
    const isReplicaAway = missing.id === 'replica_unavailable';
    const reason = reasonOf(missing.trouble);
    return { status: 'unavailable', reason, ...(isReplicaAway ? { isReplicaAway } : {}) };
  }
  const warning = bad.map(({ trouble: { summary } }) => `${summary}.`).join(' ');
  return { status: 'ready', ...(warning === '' ? {} : { warning }) };
}

/** What is bad, the urgent first, otherwise in the order of the table. */
export function troublesOf(rows: readonly HealthRow[]): OpenTrouble[] {
  const all = rows.flatMap(({ id: check, urgency, since, trouble }) =>
    trouble === null ? [] : [{ check, ...trouble, urgency, since }],
  );
  const isUrgent = ({ urgency }: OpenTrouble) => urgency === 'high';
  return [...all.filter(isUrgent), ...all.filter((one) => !isUrgent(one))];
}

/** What is the case, without what can be done. */
const reasonOf = ({ body }: Trouble): string => body.split('\n')[0] ?? body;
