/** The table as it is now, and what it means for whoever calls the node. */
import type { Clock } from '../../basics/environment.ts';
import type { NodeStatus } from '../api/api.ts';
import type { Check, CheckId, HealthRow, OpenTrouble, Table, Trouble } from './check.ts';

/** Without it the node may take no calls. */
export const isNeedful = ({ isNeeded }: Check): boolean => isNeeded !== undefined;

/** Answers the rows of the table, or those of these checks, as they are now. */
export function createRows(table: Table, clock: Pick<Clock, 'now'>) {
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

  const entries = entriesOf(table);
  return (isAsked: (check: Check) => boolean = () => true): HealthRow[] =>
    entries.filter(([, check]) => isAsked(check)).map(rowOf);
}

function entriesOf(table: Table): [CheckId, Check][] {
  const ids = Object.keys(table).filter((id): id is CheckId => id in table);
  return ids.map((id) => [id, table[id]]);
}

/** Whether the node takes calls, as far as these rows say that. */
export function readiness(rows: readonly HealthRow[]): NodeStatus {
  const missing = rows.find(({ isNeeded }) => isNeeded);
  if (!missing?.trouble) return { status: 'ready' };
  const isReplicaAway = missing.id === 'replica_unavailable';
  const reason = reasonOf(missing.trouble);
  return { status: 'unavailable', reason, ...(isReplicaAway ? { isReplicaAway } : {}) };
}

/** What is wrong although the node takes calls, for anybody: without amounts and addresses. Empty: nothing. */
export const warningOf = (rows: readonly HealthRow[]): string =>
  rows.flatMap(({ trouble }) => (trouble === null ? [] : [`${trouble.summary}.`])).join(' ');

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
