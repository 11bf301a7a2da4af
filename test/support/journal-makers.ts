/** Journals of actors that lived in this process, step by step as a node writes them. */

import type { Effect } from '../../machines/effects.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import type { ActorEvent } from '../../machines/events.ts';
import { stateText } from '../../machines/tags.ts';
import type { Journal, JournalStep } from '../../src/node/api/inspection.ts';
import { createActors } from '../../src/node/runtime/actors/actors.ts';
import { KINDS, kindOf, rowOf, type StoredState } from '../../src/node/runtime/actors/kinds.ts';
import { encode } from '../../src/store/base/codec.ts';
import { NOW } from './makers.ts';
import { NODE_FACTS } from './payment-makers.ts';

/** The steps of live actors; each is a commit of its own at millisecond `seq`. */
export function liveJournal() {
  const steps: JournalStep[] = [];
  const effects: { from: string; effect: Effect }[] = [];
  const actors = createActors({
    node: NODE_FACTS,
    rows: [],
    onEffect: (from, effect) => void effects.push({ from, effect }),
  });

  function stateOf(actor: string): StoredState {
    const state = actors.stateOf(actor);
    if (state === null) throw new Error(`there is no ${actor}`);
    return state;
  }

  function add(kind: JournalStep['kind'], actor: string, event: string, block = NOW) {
    const seq = steps.length + 1;
    const step: JournalStep = {
      seq,
      commit: seq,
      kind,
      actor,
      cause: 'outside',
      causeSeq: null,
      event,
      block,
      state: stateText(stateOf(actor).value),
      version: KINDS[kindOf(actor)].version,
      time: seq,
    };
    steps.push(step);
    return step;
  }

  return {
    steps,
    /** Everything that was asked for since the last step, in order. */
    effects,
    stateOf,
    spawn(actor: string, given: object) {
      effects.length = 0;
      const input = { ...given, id: actor };
      actors.spawn(actor, input);
      return add('spawn', actor, encode(input));
    },
    /** Writes the spawn of the node's actor, which must come before any event. */
    spawnNode: () => add('spawn', 'node', encode(NODE_FACTS)),
    tell(actor: string, ...events: readonly Stamped<ActorEvent>[]) {
      return events.map((stamped) => {
        effects.length = 0;
        actors.send(actor, stamped);
        const { nowBlock, ...event } = stamped;
        return add('event', actor, encode(event), nowBlock);
      });
    },
    keyframe: (actor: string) => add('keyframe', actor, rowOf(actor, stateOf(actor)).state),
    stop(actor: string) {
      const step = add('stop', actor, '');
      actors.forget(actor);
      return step;
    },
  };
}

/** The steps as a journal that the replay reads. */
export function journalOf(steps: readonly JournalStep[]): Pick<Journal, 'baseOf' | 'between'> {
  return {
    baseOf: (actor, before) =>
      steps.findLast(
        (step) =>
          step.actor === actor &&
          step.seq < before &&
          (step.kind === 'spawn' || step.kind === 'keyframe'),
      ) ?? null,
    between: (actor, from, before) =>
      steps.filter((step) => step.actor === actor && step.seq > from && step.seq < before),
  };
}
