/**
 * What the actors of honest nodes have met in a run, read from the journal rows of each commit: which event in
 * which state, and what followed. The nodes know nothing of this.
 */
import type { Kind } from '../../../machines/contexts.ts';
import { kindOf } from '../../node/runtime/actors/kinds.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { JournalRow } from '../../store/base/journal-block.ts';
import { createPairFinder, pairKey } from './charts.ts';

/**
 * `pairs`: pairs of the charts. `outcomes`: finer; also the messages sent, the records written and the transactions
 * ordered.
 */
export type Met = { pairs: readonly string[]; outcomes: readonly string[] };

export const NOTHING_MET: Met = { pairs: [], outcomes: [] };
const TYPE = /"type":"([A-Za-z.*]+)"/;
const EVERY_TYPE = new RegExp(TYPE, 'g');
/** Fields that say whether a transaction succeeded, and with which code a request was refused. */
const DETAILS = /"(?:ok|isOk|code|reason)":("[a-z_]{1,40}"|true|false)/g;

/** `isWatched`: whether this node counts. */
export function createMeetings(isWatched: (index: number) => boolean) {
  const pairs = new Set<string>();
  const outcomes = new Set<string>();
  const states = new Map<string, string>();
  const pairsOf = createPairFinder();

  function step(index: number, row: JournalRow, told: readonly string[]) {
    const { actor, kind: what, event, state } = row;
    const kind = kindOf(actor);
    const key = `${index} ${actor}`;
    const before = states.get(key);
    if (what === 'stop') states.delete(key);
    else states.set(key, state);
    if (what === 'keyframe') return;
    if (what !== 'event') return void outcomes.add(`${kind}|${what}|${state}`);
    if (before === undefined) return;
    const type = TYPE.exec(event)?.[1] ?? '';
    const details = Array.from(event.matchAll(DETAILS), ([, value]) => value).join(' ');
    for (const pair of pairsOf(kind, before, type)) pairs.add(pairKey(pair));
    outcomes.add([kind, before, `${type} ${details}`.trim(), state, ...told].join('|'));
  }

  /** The events that the step at this place of the journal sent to other actors. */
  function toldBy(journal: readonly JournalRow[], place: number): string[] {
    const told = journal
      .filter((row) => row.causedBy === place && row.kind === 'event')
      .map((row) => `${kindAt(row)} ${TYPE.exec(row.event)?.[1] ?? ''}`);
    return [...new Set(told)].toSorted();
  }

  return {
    /** Reads a batch that was written to the disk of a node. */
    commit(index: number, { journal, payments, alerts, jobs, outbox, notifications }: Batch) {
      if (!isWatched(index)) return;
      for (const [place, row] of journal.entries()) step(index, row, toldBy(journal, place));
      for (const one of payments) outcomes.add(`${one.type}|${'code' in one ? one.code : ''}`);
      for (const { alert } of alerts) outcomes.add(`alert|${alert}`);
      for (const { id } of notifications) outcomes.add(`notification|${id}`);
      for (const { body } of jobs) outcomes.add(`job|${TYPE.exec(body)?.[1] ?? ''}`);
      for (const { body } of outbox) for (const type of saidIn(body)) outcomes.add(`says|${type}`);
    },
    /** Everything that was met, in the order in which it was met first. */
    met: (): Met => ({ pairs: [...pairs], outcomes: [...outcomes] }),
  };
}

/** The type of the message, and those of its changes. */
const saidIn = (body: string): string[] =>
  body.includes('"type":"Update"')
    ? Array.from(body.matchAll(EVERY_TYPE), ([, type = '']) => type)
    : [TYPE.exec(body)?.[1] ?? ''];

function kindAt({ actor }: JournalRow): Kind {
  return kindOf(actor);
}
