/** Steps as text for the stream: made once, then cut down to what each reader wants. */
import { eventText } from '../../http/answers/event-stream.ts';
import type { JournalStep } from '../../node/api/inspection.ts';
import { encode } from '../../store/base/codec.ts';
import type { InspectionKind, InspectionRecord, StepRecords } from '../wire.ts';

/** What a reader wants; null means all. Every reader gets gaps. */
export type StepFilter = {
  actor: string | null;
  machine: string | null;
  kinds: readonly InspectionKind[] | null;
};

/**
 * One step. `commit`: the record that ends its commit. Readers of all actors get it with the commit's last step
 * (`all`), readers of one actor or machine with the last step of each actor in the commit.
 */
export type StepText = {
  seq: number;
  actor: string;
  machine: string;
  records: readonly { kind: InspectionKind; text: string }[];
  commit: { text: string; all: boolean } | null;
  /** Characters. */
  size: number;
};
/** The place of a step in its commit, which begins with step `first`. */
export type CommitPlace = { first: number; isLast: boolean; isLastOfActor: boolean };

export function textOfStep(step: JournalStep, records: StepRecords, place: CommitPlace): StepText {
  const texts = records.map((record) => ({ kind: record.kind, text: encode(record) }));
  const { isLast, isLastOfActor } = place;
  const commit =
    isLast || isLastOfActor
      ? { text: encode(commitRecord(step, records.length, place.first)), all: isLast }
      : null;
  const size = texts.reduce((sum, { text }) => sum + text.length, commit?.text.length ?? 0);
  return {
    seq: step.seq,
    actor: step.actor,
    machine: machineOf(step.actor),
    records: texts,
    commit,
    size,
  };
}

function commitRecord(step: JournalStep, part: number, first: number): InspectionRecord {
  const { seq, actor, commit, block, time } = step;
  return {
    kind: 'commit',
    seq,
    part,
    actor,
    cause: { from: 'outside' },
    block,
    time,
    commit,
    first,
  };
}

/** Steps `first` to `last` that readers do not get; `next`: a step after them, for block and time. */
export function textOfGap(
  { first, last, reason }: { first: number; last: number; reason: 'old' | 'slow' | 'other' },
  next: Pick<JournalStep, 'block' | 'time'> | null,
): StepText {
  const record: InspectionRecord = {
    kind: 'gap',
    seq: last,
    part: 0,
    actor: '',
    cause: { from: 'outside' },
    block: next?.block ?? 0n,
    time: next?.time ?? 0,
    first,
    reason,
  };
  const text = encode(record);
  return {
    seq: last,
    actor: '',
    machine: '',
    commit: null,
    size: text.length,
    records: [{ kind: 'gap', text }],
  };
}

function machineOf(actor: string): string {
  return actor.split(':', 1)[0] ?? '';
}

export function wantsActor({ actor, machine }: StepFilter, id: string): boolean {
  return (actor === null || actor === id) && (machine === null || machine === machineOf(id));
}

/** The step as a server-sent event, or no text when the reader wants nothing of it. */
export function stepText(step: StepText, filter: StepFilter): string {
  const isGap = step.records[0]?.kind === 'gap';
  if (!isGap && !wantsActor(filter, step.actor)) return '';
  const { kinds } = filter;
  const wants = (kind: InspectionKind) => kind === 'gap' || kinds === null || kinds.includes(kind);
  const texts = step.records.filter(({ kind }) => wants(kind)).map(({ text }) => text);
  const seesAll = filter.actor === null && filter.machine === null;
  if (step.commit !== null && wants('commit') && (!seesAll || step.commit.all))
    texts.push(step.commit.text);
  return texts.length === 0 ? '' : eventText(step.seq, 'step', `[${texts.join(',')}]`);
}
