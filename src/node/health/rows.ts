/** What the rows of the table mean for whoever calls the node. */
import { badRows, type Trouble } from '../../basics/health.ts';
import type { NodeStatus } from '../api/api.ts';
import type { Check, HealthRow, OpenTrouble } from './check.ts';

/** Without it the node may take no calls. */
export const isNeedful = ({ isNeeded }: Check): boolean => isNeeded !== undefined;

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

/** What is bad, the urgent first. */
export const troublesOf = (rows: readonly HealthRow[]): OpenTrouble[] =>
  badRows(rows).map(({ id: check, trouble, urgency, since }) => ({
    check,
    ...trouble,
    urgency,
    since,
  }));

/** What is the case, without what can be done. */
const reasonOf = ({ body }: Trouble): string => body.split('\n')[0] ?? body;
