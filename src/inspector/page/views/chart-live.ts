/** What an actor's chart shows: now and then, or as it was after a step. */
import type { Signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Drawing } from '../../layout.ts';
import type { Source } from '../../source.ts';
import type { ActorView, MachineDefinition, StepRecords } from '../../wire.ts';
import type { ActorFeed } from '../actor-feed.ts';
import { type Activity, createActivityReader } from './chart-activity.ts';
import { drawChart } from './chart-elk.ts';
import { loadMachine } from './chart-machines.ts';
import { possibleNext } from './chart-next.ts';
import { activeStates, type ChartIndex, indexChart } from './chart-states.ts';

/** A signal's newest value, at most once per frame: many steps at once are one change of the picture. */
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

/** `problem`: why there is no drawing, for the reader; the definition can be there without it. */
export type LoadedChart = {
  machine: MachineDefinition | null;
  drawing: Drawing | null;
  problem: string | null;
};

export function useChart(source: Source, name: string): LoadedChart {
  const [loaded, setLoaded] = useState<LoadedChart>({
    machine: null,
    drawing: null,
    problem: null,
  });
  useEffect(() => {
    let isOver = false;
    const set = (change: Partial<LoadedChart>) => {
      if (!isOver) setLoaded((before) => ({ ...before, ...change }));
    };
    async function load(): Promise<void> {
      const machine = await loadMachine(source, name);
      if (machine === null) return set({ problem: `This node has no chart named ${name}.` });
      set({ machine });
      set({ drawing: await drawChart(machine) });
    }
    load().catch((error: unknown) => {
      set({ problem: error instanceof Error ? error.message : String(error) });
    });
    return () => {
      isOver = true;
    };
  }, [source, name]);
  return loaded;
}

/** The machine of an actor: as the node or the actor's birth tells it, else as its name begins. */
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

/** `until`: the place of the last step that is shown; null: all, and the state that the node tells. */
export function useShown(
  machine: MachineDefinition,
  feed: ActorFeed,
  steps: readonly StepRecords[],
  until: number | null,
): Shown {
  const index = useMemo(() => indexChart(machine), [machine]);
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
