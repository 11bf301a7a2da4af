/** Steps of the stream as lines for a terminal or a log. */
import { segmentsOf } from '../replay/patch.ts';
import type { InspectionRecord, PatchOperation, StepRecords } from '../wire.ts';
import { effectWords, refusalWords } from '../words/effects.ts';
import { shortId } from './short-id.ts';
import { causeSuffix, type Paint, valueText } from './text-parts.ts';

type Guard = Extract<InspectionRecord, { kind: 'guard' }>;

/**
 * One line: block, time, actor, event, states, cause. With `isDetailed` also the changes of the context (`+` added,
 * `-` removed, `~` replaced), the effects, and for each guard that was closed the values that it looked at.
 */
export function stepLines(step: StepRecords, paint: Paint, isDetailed: boolean): string[] {
  const [first] = step;
  const told = headOf(step, paint);
  if (first === undefined || told === null) return [];
  const { block, time, actor, cause } = first;
  const clock = new Date(time).toISOString().slice(11, 19);
  const place = paint.faint(`#${block} ${clock} ${shortId(actor)}`);
  const head = `${place} ${told}${paint.faint(causeSuffix(cause))}`;
  return isDetailed ? [head, ...detailsOf(step, paint)] : [head];
}

/** What happened, in a few words; null when the step shows nothing. */
function headOf(step: StepRecords, paint: Paint): string | null {
  const [event] = step.flatMap((record) => (record.kind === 'event' ? [record.event.type] : []));
  const refusals = step.flatMap((record) =>
    record.kind === 'effect' ? (refusalWords(record.effect) ?? []) : [],
  );
  for (const record of step) {
    if (record.kind === 'transition' && event !== undefined)
      return [
        `${paint.strong(event)}: ${movedText(record, paint)}`,
        ...refusals.map(paint.bad),
      ].join(', ');
    if (record.kind === 'spawn')
      return `${paint.strong(record.isRestored ? 'is' : 'begins')}: ${record.state}`;
    if (record.kind === 'stop') return `${paint.strong('ends')}: ${record.state}`;
    if (record.kind === 'gap')
      return paint.bad(`steps ${record.first} to ${record.seq} cannot be told (${record.reason})`);
  }
  return event === undefined ? null : paint.strong(event);
}

type Transition = Extract<InspectionRecord, { kind: 'transition' }>;
function movedText({ from, to, edges }: Transition, paint: Paint): string {
  if (edges.length === 0 && from === to) return paint.faint(`${to}, not taken`);
  return from === to ? to : `${from} → ${paint.good(to)}`;
}

function detailsOf(step: StepRecords, paint: Paint): string[] {
  return step.flatMap((record) => {
    if (record.kind === 'guard' && isRefusal(record))
      return [`    ${paint.bad(guardLine(record))}`];
    if (record.kind === 'transition')
      return record.patch.map((change) => `    ${patchText(change)}`);
    return record.kind === 'effect'
      ? [`    ${paint.faint(`> ${effectWords(record.effect)}`)}`]
      : [];
  });
}

/** Guards of eventless edges do not count: XState asks them after each event, so they say nothing about this one. */
function isRefusal({ isOpen, transition }: Guard): boolean {
  return !isOpen && !(transition ?? '').includes('||');
}

/** `canLock: closed, context.ownEnd.deposit = 40, event.amount = 50` */
export function guardLine({ guard, isOpen, reads }: Guard): string {
  const values = reads.map(({ path, value }) => `, ${path} = ${valueText(value)}`);
  return `${guard}: ${isOpen ? 'open' : 'closed'}${values.join('')}`;
}

export function patchText(change: PatchOperation): string {
  const path = segmentsOf(change.path).join('.');
  if (change.op === 'remove') return `- ${path}`;
  return `${change.op === 'add' ? '+' : '~'} ${path} = ${valueText(change.value)}`;
}
