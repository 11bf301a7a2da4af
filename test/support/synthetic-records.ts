/** Steps as the inspector's stream tells them, of actors that no node has. */
import type { InspectionRecord, StepCause, StepRecords } from '../../src/inspector/wire.ts';

type Stamp = 'seq' | 'part' | 'actor' | 'cause' | 'block' | 'time';
type WithoutStamp<R> = R extends InspectionRecord ? Omit<R, Stamp> : never;
/** A record without its number, its actor, its cause and its time. */
export type BareRecord = WithoutStamp<InspectionRecord>;

export type StepWriter = {
  /** The number of the newest step. */
  readonly seq: number;
  step(
    of: { actor: string; block: bigint; cause?: StepCause },
    records: readonly BareRecord[],
  ): StepRecords;
};

const FIRST_TIME = Date.UTC(2026, 0, 5, 12);
/** Milliseconds between two steps. */
const STEP_TIME = 1_370;

/** Numbers the steps of one journal from 1 and closes each with its commit. */
export function createStepWriter(): StepWriter {
  let seq = 0;
  return {
    get seq() {
      return seq;
    },
    step({ actor, block, cause = { from: 'outside' } }, records) {
      seq += 1;
      const time = FIRST_TIME + seq * STEP_TIME;
      const commit: BareRecord = { kind: 'commit', commit: seq, first: seq };
      return [...records, commit].map((record, part) => ({
        seq,
        part,
        actor,
        cause,
        block,
        time,
        ...record,
      }));
    },
  };
}
