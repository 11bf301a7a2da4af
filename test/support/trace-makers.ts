/** Steps in which actors, partners and the chain speak to each other, as the inspector tells them. */
import type { InspectionRecord, StepCause, StepRecords } from '../../src/inspector/wire.ts';
import { CHANNEL, NOW } from './makers.ts';

type Body = { type: string } & Record<string, unknown>;
type StepParts = {
  seq: number;
  actor?: string;
  /** The actor that sent the event, and its step; when left out, the event came from outside. */
  by?: { actor: string; seq: number };
  block?: bigint;
  time?: number;
  event?: Body;
  effects?: readonly Body[];
  /** The state before and the state after; when left out, the actor stays in its state. */
  move?: readonly [string, string];
};

/** One step: the event, what it moved, and what the actor asked for. */
export function stepOf(parts: StepParts): StepRecords {
  const { seq, actor = CHANNEL, by, block = NOW, time = seq, event, effects = [], move } = parts;
  const cause: StepCause = by === undefined ? { from: 'outside' } : { from: 'actor', ...by };
  const of = (part: number) => ({ seq, part, actor, cause, block, time });
  const records: InspectionRecord[] = [];
  if (event !== undefined) records.push({ ...of(0), kind: 'event', event });
  if (move !== undefined) {
    const [from, to] = move;
    const change = { from, to, edges: [], patch: [], deadlineBlock: null, balances: null };
    records.push({ ...of(1), kind: 'transition', ...change });
  }
  effects.forEach((effect, index) => {
    records.push({ ...of(2 + index), kind: 'effect', effect });
  });
  return records;
}

/** The step in which an actor is spawned. */
export function spawnOf(parts: Pick<StepParts, 'seq' | 'actor' | 'by'> & { machine: string }) {
  const { machine, seq, actor = CHANNEL, by } = parts;
  const cause: StepCause = by === undefined ? { from: 'outside' } : { from: 'actor', ...by };
  const facts = { seq, part: 0, actor, cause, block: NOW, time: seq };
  const spawned = { version: '1', input: {}, state: 'idle', context: {}, isRestored: false };
  return [{ ...facts, kind: 'spawn', machine, ...spawned }] satisfies StepRecords;
}
