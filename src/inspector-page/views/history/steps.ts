/** One step of the journal as a line of a list. */

import { groupDigits } from '../../../basics/digits.ts';
import type { InspectionRecord, StepCause, StepRecords } from '../../../inspector/wire.ts';

export type StepLine = {
  seq: number;
  actor: string;
  block: bigint;
  time: number;
  cause: StepCause;
  /** What happened: the event's name, or `spawned`, `restored`, `ended`. */
  what: string;
  /** Null: unknown, or there was none. */
  from: string | null;
  to: string | null;
  /** A sentence about missing steps; null for a step. */
  gap: string | null;
};

/** Null when the step has no record. */
export function stepLine(step: StepRecords): StepLine | null {
  const first = step[0];
  if (first === undefined) return null;
  const { seq, actor, block, time, cause } = first;
  const line: StepLine = {
    seq,
    actor,
    block,
    time,
    cause,
    what: '',
    from: null,
    to: null,
    gap: null,
  };
  for (const record of step) Object.assign(line, partOf(record));
  return line;
}

/** Whether the step changed the actor's state. */
export function isMove(line: StepLine): boolean {
  return line.gap === null && line.to !== null && line.from !== line.to;
}

function partOf(record: InspectionRecord): Partial<StepLine> {
  switch (record.kind) {
    case 'spawn':
      return { what: record.isRestored ? 'restored' : 'spawned', to: record.state };
    case 'event':
      return { what: record.event.type };
    case 'transition':
      return { from: record.from, to: record.to };
    case 'stop':
      return { what: 'ended', from: record.state, to: record.state };
    case 'gap':
      return { gap: gapSentence(record) };
    default:
      return {};
  }
}

const GAPS = {
  old: ['is no longer kept', 'are no longer kept'],
  slow: ['was left out: this page did not keep up', 'were left out: this page did not keep up'],
  other: [
    'was made by another version of the charts',
    'were made by another version of the charts',
  ],
} as const;

/** "Up to", as steps are numbered over all actors of a node: some of the missing ones may be of others. */
function gapSentence(gap: Extract<InspectionRecord, { kind: 'gap' }>): string {
  const count = gap.seq - gap.first + 1;
  const [one, many] = GAPS[gap.reason];
  return count === 1 ? `1 step ${one}` : `Up to ${groupDigits(count)} steps ${many}`;
}

/** Why a step happened, for a reader. */
export function stepCauseText(line: StepLine): string {
  if (line.cause.from === 'actor') return line.cause.actor;
  if (line.what.startsWith('cmd.')) return 'a caller';
  if (line.what.startsWith('msg.')) return 'the partner';
  if (line.what.startsWith('chain.')) return 'the chain';
  if (line.what.startsWith('clock.')) return 'the clock';
  return 'outside';
}

/** The change of state in a step; of parallel regions only those that changed. */
export function moveText(line: StepLine): string {
  if (line.what === 'ended') return 'its end';
  if (!isMove(line)) return 'stays';
  if (line.from === null) return `→ ${line.to}`;
  const from = line.from.split('+');
  const to = (line.to ?? '').split('+');
  if (from.length !== to.length) return `${line.from} → ${line.to}`;
  const moves = from.flatMap((branch, at) => (branch === to[at] ? [] : [`${branch} → ${to[at]}`]));
  return moves.join(', ');
}
