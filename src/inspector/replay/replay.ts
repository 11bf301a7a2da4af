/**
 * Makes the records of the stream from the steps of the journal, by running the machines again: they are pure, so
 * what they read, decided and asked for follows from the events that they got.
 */
import type { Journal, JournalStep } from '../../node/api/inspection.ts';
import type { ActorHistory, StepRecords } from '../wire.ts';
import { createRedactor } from './redact.ts';
import { follow, type KnownActor } from './replay-actor.ts';
import { createStage } from './replay-machine.ts';
import { recordsOf } from './replay-records.ts';

/** An actor after all its steps up to `upTo`. */
type Entry = { known: KnownActor; upTo: number };

/** The most actors that are kept in memory between their steps. */
const LIMIT = 2_000;

/**
 * Fastest when it gets every step in order of `seq`. Steps may be skipped or come again: then the missing ones are
 * read from the journal. Throws only what the journal throws.
 */
export function createReplayer(journal: Pick<Journal, 'baseOf' | 'between'>, limit = LIMIT) {
  const stage = createStage();
  const redactor = createRedactor();
  const entries = new Map<string, Entry>();
  // Every step from `first` to `last` was given, without a gap.
  const run = { first: 0, last: -1 };

  /** The actor before the step `seq`; null when the journal does not have its beginning. */
  function reached(actor: string, seq: number): KnownActor | null {
    const entry = entries.get(actor);
    if (entry !== undefined && entry.upTo < seq) {
      const isWhole = entry.upTo >= run.first - 1 && seq <= run.last + 1;
      return isWhole ? entry.known : caughtUp(actor, entry.known, entry.upTo, seq);
    }
    const base = journal.baseOf(actor, seq);
    if (base === null) return null;
    const known = caughtUp(actor, follow(stage, null, base).known, base.seq, seq);
    // Makes the redactor remember the secrets in the context: a later record may show one in a field that does not
    // tell it.
    if (known.life !== null) redactor.redact(known.life.state().context);
    return known;
  }

  function caughtUp(actor: string, known: KnownActor, from: number, before: number): KnownActor {
    const missing = journal.between(actor, from, before);
    return missing.reduce((last, step) => follow(stage, last, step).known, known);
  }

  function keep(actor: string, entry: Entry) {
    entries.delete(actor);
    entries.set(actor, entry);
    const [oldest] = entries.size > limit ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
  }

  return {
    /** The records of a step; none for a keyframe that equals the replayed actor. */
    records(step: JournalStep): StepRecords {
      const { seq, actor } = step;
      if (seq !== run.last + 1) run.first = seq;
      run.last = seq;
      const before = reached(actor, seq);
      const { answer, heard } = stage.listen(() => follow(stage, before, step));
      if (step.kind === 'stop') entries.delete(actor);
      else keep(actor, { known: answer.known, upTo: seq });
      return recordsOf(redactor, step, before, answer, heard);
    },
    /** The actor as it was before the step `seq`, redacted; null when that is not known. */
    stateBefore(actor: string, seq: number): ActorHistory['base'] {
      const known = reached(actor, seq);
      if (known === null || known.life === null) return null;
      keep(actor, { known, upTo: seq - 1 });
      const { context } = known.life.state();
      return { seq: known.seq, state: known.state, context: redactor.redact(context) };
    },
  };
}
