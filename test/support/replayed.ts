/** An actor made anew out of its journal, with XState alone. */

import * as v from 'valibot';
import { createActor } from 'xstate';
import { stateText } from '../../machines/tags.ts';
import { KINDS, kindOf, rowOf, stateIn } from '../../src/node/runtime/actors/kinds.ts';
import type { ActorRow } from '../../src/store/base/batch.ts';
import { decode } from '../../src/store/base/codec.ts';
import type { JournalEntry } from '../../src/store/history/journal.ts';

const event = v.looseObject({ type: v.string() });

/** `row`: what the base and the steps lead to; `states`: after the base and after each step. */
export function replayed(
  base: JournalEntry,
  steps: readonly JournalEntry[],
): { row: ActorRow; states: string[] } {
  const { actor: id, version } = base;
  const kind = kindOf(id);
  const { machine } = KINDS[kind];
  const actor = createActor(
    machine,
    base.kind === 'spawn'
      ? { input: decode(base.event) }
      : { snapshot: machine.resolveState(stateIn({ id, kind, version, state: base.event })) },
  );
  actor.start();
  const state = () => stateText(actor.getSnapshot().value);
  const states = [state()];
  for (const step of steps) {
    if (step.kind === 'event')
      actor.send({ ...v.parse(event, decode(step.event)), nowBlock: step.block });
    states.push(state());
  }
  const { value, context } = actor.getSnapshot();
  return { row: rowOf(id, { value, context }), states };
}
