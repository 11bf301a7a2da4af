/** What an actor's chart shows: the present, or the actor as it was after a step. */
import type { Signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Drawing } from '../../../inspector/charts/layout.ts';
import { activeStates, type ChartIndex, indexChart } from '../../../inspector/charts/states.ts';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { ActorView, MachineDefinition, StepRecords } from '../../../inspector/wire.ts';
import { whenDone } from '../../../page-parts/when-done.ts';
import type { ActorFeed } from '../../live/actor-feed.ts';
import { chartDrawing } from '../drawing/elk.ts';
import { type Activity, createActivityReader } from './activity.ts';
import { loadMachine } from './machines.ts';
import { possibleNext } from './next.ts';

/** A signal's newest value, at most once per frame: many steps in a frame are one change of the picture. */
export function usePerFrame<Value>(source: Signal<Value>): Value {
  const [value, setValue] = useState(() => source.peek());
  useEffect(() => {
    let frame = 0;
    const stop = source.subscribe(() => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        setValue(() => source.peek());
      });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [source]);
  return value;
}

/** `problem`: why there is no machine, as text for the reader. */
export type LoadedMachine = { machine: MachineDefinition | null; problem: string | null };

export function useMachine(source: InspectorSource, name: string): LoadedMachine {
  const [loaded, setLoaded] = useState<LoadedMachine>({ machine: null, problem: null });
  useEffect(
    () =>
      whenDone(
        loadMachine(source, name),
        (machine) => {
          const problem = machine === null ? `This node has no chart named ${name}.` : null;
          setLoaded({ machine, problem });
        },
        (problem) => setLoaded({ machine: null, problem }),
      ),
    [source, name],
  );
  return loaded;
}

export type LaidOut = { drawing: Drawing | null; problem: string | null };

/** The drawing of the machine. While a new one is being laid out, the previous one stays. */
export function useDrawing(machine: MachineDefinition): LaidOut {
  const [laidOut, setLaidOut] = useState<LaidOut>({ drawing: null, problem: null });
  const { version } = machine;
  useEffect(
    () =>
      whenDone(
        chartDrawing(machine),
        (drawing) => setLaidOut({ drawing, problem: null }),
        (problem) => setLaidOut((before) => ({ ...before, problem })),
      ),
    [version],
  );
  return laidOut;
}

/** The machine of an actor: as the node or the actor's spawn says, else the first word of its id. */
export function machineOf(
  actor: string,
  view: ActorView | null,
  steps: readonly StepRecords[],
): string {
  const spawn = steps[0]?.find((record) => record.kind === 'spawn');
  return view?.row.machine ?? spawn?.machine ?? actor.split(':')[0] ?? actor;
}

export type Shown = {
  index: ChartIndex;
  state: string;
  active: ReadonlySet<string>;
  activity: Activity;
  possible: ReturnType<typeof possibleNext>;
  nextEdges: ReadonlySet<string>;
};

/** `until`: the index of the last step that is shown; null: all steps, and the state that the node gives. */
export function useShown(
  machine: MachineDefinition,
  feed: ActorFeed,
  steps: readonly StepRecords[],
  until: number | null,
): Shown {
  const index = useMemo(() => indexChart(machine.root), [machine]);
  const readActivity = useMemo(() => createActivityReader(index), [index]);
  const base = feed.base.value;
  const told = until === null ? (feed.view.value?.row.state ?? '') : '';
  return useMemo(() => {
    const activity = readActivity(base, until === null ? steps : steps.slice(0, until + 1));
    const state = activity.state ?? told;
    const active = activeStates(index, state);
    const possible = possibleNext(index, active);
    const nextEdges = new Set(possible.flatMap(({ edges }) => edges.map(({ id }) => id)));
    return { index, state, active, activity, possible, nextEdges };
  }, [index, base, steps, until, told]);
}
