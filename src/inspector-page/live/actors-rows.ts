/** How steps change the rows of the list of actors. */

import type { InspectionRecord, ListedActor, StepRecords } from '../../inspector/wire.ts';
import { bigintAt, textAt } from '../base/fields.ts';

/** The kinds of the stream's records that can change a row. */
export const ROW_KINDS = 'spawn,transition,stop,gap';

/** Changes `rows` in place; false: steps are missing, and the list has to be read again. */
export function applySteps(rows: Map<string, ListedActor>, steps: readonly StepRecords[]): boolean {
  let isWhole = true;
  for (const step of steps) {
    for (const record of step) {
      if (record.kind === 'gap') isWhole = false;
      const changed = changedRow(rows.get(record.actor), record);
      if (changed !== undefined) rows.set(record.actor, changed);
    }
  }
  return isWhole;
}

function changedRow(
  row: ListedActor | undefined,
  record: InspectionRecord,
): ListedActor | undefined {
  if (record.kind === 'spawn') return spawnedRow(record);
  if (row === undefined) return undefined;
  if (record.kind === 'transition') {
    const { to: state, deadlineBlock, balances } = record;
    return { ...row, state, deadlineBlock, balances: balances ?? row.balances };
  }
  if (record.kind !== 'stop') return undefined;
  return { ...row, state: record.state, deadlineBlock: null, isEnded: true, endTime: record.time };
}

/**
 * A row from the context of the spawn. For a machine that keeps these facts under other names they are null until
 * the list is read again.
 */
function spawnedRow(record: Extract<InspectionRecord, { kind: 'spawn' }>): ListedActor {
  const { actor, machine, state, context } = record;
  const order = machine === 'initiator' ? ['order'] : [];
  const partner = { channel: 'partner', initiator: 'partner', target: 'payer' }[machine];
  return {
    actor,
    machine,
    state,
    token: addressAt(context, ...order, 'token'),
    partner:
      machine === 'mediator'
        ? addressAt(context, 'payer', 'partner')
        : addressAt(context, ...order, partner ?? ''),
    initiator: addressAt(context, 'initiator'),
    target: addressAt(context, ...order, 'target'),
    balances: null,
    paymentId: bigintAt(context, ...order, 'paymentId'),
    amount: bigintAt(context, ...order, 'amount'),
    deadlineBlock: null,
    isEnded: false,
    endTime: null,
  };
}

function addressAt(value: unknown, ...names: readonly string[]): ListedActor['token'] {
  const text = textAt(value, ...names);
  return text?.startsWith('0x') ? `0x${text.slice(2)}` : null;
}
