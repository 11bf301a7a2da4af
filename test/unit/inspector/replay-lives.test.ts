import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../machines/contexts.ts';
import type { Stamped } from '../../../machines/events/stamps.ts';
import type { ActorEvent } from '../../../machines/events.ts';
import { stateText } from '../../../machines/tags.ts';
import { machineDefinition } from '../../../src/inspector/charts/definitions.ts';
import { applyPatch } from '../../../src/inspector/replay/patch.ts';
import { createRedactor } from '../../../src/inspector/replay/redact.ts';
import { createReplayer } from '../../../src/inspector/replay/replay.ts';
import type { StateDefinition, StepRecords } from '../../../src/inspector/wire.ts';
import { kindOf } from '../../../src/node/runtime/actors/kinds.ts';
import { encode } from '../../../src/store/base/codec.ts';
import { journalOf, liveJournal } from '../../support/journal-makers.ts';
import { LIVES } from '../../support/lives.ts';
import { SIGNATURE, secretOf, txDone, txFailed } from '../../support/makers.ts';

const KINDS_OF_LIVES = Object.keys(LIVES).map(kindOf);
const HIDDEN = [SIGNATURE.slice(2), ...[1, 2, 3].map((n) => secretOf(n).slice(2))];

function edgesIn(state: StateDefinition): string[] {
  return [...state.edges.map(({ id }) => id), ...state.states.flatMap(edgesIn)];
}

/** A life of the kind in which each pick tells one thing: an event of its pool, or how a job ended. */
function lived(kind: Kind, picks: readonly number[]) {
  const { id, input, events } = LIVES[kind];
  const live = liveJournal();
  const seen = [];
  if (kind === 'node') live.spawnNode();
  else live.spawn(id, input);
  const own = () => live.effects.flatMap(({ from, effect }) => (from === id ? [effect] : []));
  seen.push({ state: live.stateOf(id), effects: own() });
  const jobs: string[] = [];
  for (const pick of picks) {
    for (const effect of own()) if ('key' in effect) jobs.push(effect.key);
    const job = jobs.at(-1) ?? 'none';
    const pool: readonly Stamped<ActorEvent>[] = [...events, txDone(job), txFailed(job)];
    const event = pool[pick % pool.length];
    // In this order nobody sends these events: the machine throws, and this life ends.
    if (event === undefined || !isTaken(() => live.tell(id, event))) break;
    seen.push({ state: live.stateOf(id), effects: own() });
    if (live.effects.some(({ effect }) => effect.type === 'retire')) break;
    if (pick % 5 === 0) {
      live.keyframe(id);
      seen.push({ state: live.stateOf(id), effects: [] });
    }
  }
  return { live, seen };
}

function isTaken(tell: () => unknown): boolean {
  try {
    tell();
    return true;
  } catch {
    return false;
  }
}

function contextAfter(context: unknown, records: StepRecords): unknown {
  let after = context;
  for (const record of records) {
    if (record.kind === 'spawn') after = record.context;
    if (record.kind === 'transition') after = applyPatch(after, record.patch);
  }
  return after;
}

describe('a life that is replayed', () => {
  it.each(KINDS_OF_LIVES)('is the one that a %s lived, whatever it was told', (kind) => {
    const edges = new Set(edgesIn(machineDefinition(kind).root));
    const asked = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.nat(999), { maxLength: 15 }), (picks) => {
        const { live, seen } = lived(kind, picks);
        const replayer = createReplayer(journalOf(live.steps));
        const redactor = createRedactor();
        let context: unknown = null;
        live.steps.forEach((step, n) => {
          const records = replayer.records(step);
          const { state, effects } = seen[n] ?? { state: null, effects: [] };
          context = contextAfter(context, records);
          expect(context).toEqual(redactor.redact(state?.context));
          expect(stateText(state?.value)).toBe(step.state);
          const told = records.flatMap((record) =>
            record.kind === 'effect' ? [record.effect] : [],
          );
          if (step.kind !== 'keyframe')
            expect(told).toEqual(effects.map((effect) => redactor.redact(effect)));
          const named = records.flatMap((record) => {
            if (record.kind === 'guard') asked.add(record.guard);
            if (record.kind === 'guard') return [record.transition ?? 'none'];
            return record.kind === 'transition' ? record.edges : [];
          });
          expect(named.filter((edge) => !edges.has(edge))).toEqual([]);
          expect(records.map((record) => record.kind)).not.toContain('gap');
          const text = encode(records);
          expect(HIDDEN.filter((hidden) => text.includes(hidden))).toEqual([]);
        });
      }),
      { numRuns: 25 },
    );
    // Events for which the chart asks no guard would prove nothing.
    if (LIVES[kind].isGuarded) expect(asked.size).toBeGreaterThan(1);
  });
});
