/** The history of one actor: its steps as records, and its state before the first of them. */
import type { Journal } from '../../node/api/inspection.ts';
import { encode } from '../../store/base/codec.ts';
import type { HistoryQuestion, ReplayTools } from '../stream/worker.ts';
import type { ActorHistory, StepRecords } from '../wire.ts';
import { createReplayer } from './replay.ts';

/** The functions with which the stream's worker makes records. */
export function replayTools(journal: Journal): ReplayTools {
  return {
    createReplayer: (limit) => createReplayer(journal, limit),
    history: (question) => historyText(journal, question),
  };
}

/** The answer as text. `before` null: up to the newest step. */
function historyText(
  journal: Journal,
  { actor, before, after = 0, about, limit }: HistoryQuestion,
): string {
  const end = before ?? journal.bounds().newest + 1;
  const rows = journal.ofActor(actor, end, limit + 1).filter(({ seq }) => seq > after);
  const hasMore = rows.length > limit;
  const steps = hasMore ? rows.slice(1) : rows;
  const [first] = steps;
  const replayer = createReplayer(journal, 1);
  const base = first === undefined ? null : replayer.stateBefore(actor, first.seq);
  const records: StepRecords[] = steps
    .map((step) => replayer.records(step))
    .filter((records) => records.length > 0);
  if (about === undefined) return encode({ base, steps: records, hasMore } satisfies ActorHistory);
  // What is about one payment is a hundredth of what a busy channel tells.
  const isWanted = (step: StepRecords, at: number) => {
    const text = encode(step);
    return at === 0 || about.some((word) => text.includes(word));
  };
  return encode({ base: null, steps: records.filter(isWanted), hasMore } satisfies ActorHistory);
}
