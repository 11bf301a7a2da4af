/** What the journal must be good for: each live actor can be made anew out of it. */
import { isDeepStrictEqual } from 'node:util';
import { stateIn } from '../../src/node/kinds.ts';
import type { ActorRow } from '../../src/store/batch.ts';
import type { JournalEntry } from '../../src/store/journal.ts';
import { replayed } from '../support/replayed.ts';
import { must } from './checks.ts';
import { type Disk, JOURNAL_LIMIT } from './disk.ts';

const isBase = ({ kind }: JournalEntry) => kind === 'spawn' || kind === 'keyframe';

export function checkJournal(disk: Disk): void {
  const journal = disk.journal();
  const newest = journal.at(-1)?.seq ?? 0;
  for (const row of disk.loadActors()) {
    const own = journal.filter(({ actor }) => actor === row.id);
    const base = own.findLastIndex(isBase);
    if (base >= 0) checkReplay(row, own.slice(base));
    const recent = own.findIndex(({ seq }) => newest - seq < JOURNAL_LIMIT / 2);
    const before = own.slice(0, recent + 1);
    must(recent < 0 || before.some(isBase), `nothing to replay ${row.id} from`);
  }
  checkCauses(journal);
}

function checkReplay(row: ActorRow, [base, ...steps]: readonly JournalEntry[]): void {
  if (base === undefined) return;
  const { row: again, states } = replayed(base, steps);
  const told = [base, ...steps].map(({ state }) => state);
  must(states.join() === told.join(), `${row.id} went through ${states}, not ${told}`);
  const isSame = isDeepStrictEqual(stateIn(again), stateIn(row));
  must(isSame, `${row.id} is ${row.state}, its journal leads to ${again.state}`);
}

/** What told a step stands before it, in the same commit, and is who it is said to be. */
function checkCauses(journal: readonly JournalEntry[]): void {
  const bySeq = new Map(journal.map((entry) => [entry.seq, entry]));
  for (const { seq, cause, causeSeq, commit } of journal) {
    const by = causeSeq === null ? undefined : bySeq.get(causeSeq);
    must(causeSeq === null || causeSeq < seq, `step ${seq} was told by a later one`);
    must(by === undefined || by.actor === cause, `step ${seq} was told by ${by?.actor}`);
    must(by === undefined || by.commit === commit, `step ${seq} was told in another commit`);
  }
}
