/** The drawing of an actor's chart, with the states in which it is, how it got there, and what can happen next. */
import { useMemo } from 'preact/hooks';
import type { Drawing } from '../../../inspector/charts/layout.ts';
import type { MachineDefinition } from '../../../inspector/wire.ts';
import type { ActorFeed } from '../../live/actor-feed.ts';
import { focusOf } from '../drawing/focus.ts';
import { folded, foldsOf, NO_FOLDS } from '../drawing/folding.ts';
import { ChartStage } from '../drawing/stage.tsx';
import { ChartDrawing } from '../drawing/svg.tsx';
import { useDrawing, usePerFrame, useShown } from './live.ts';
import type { ChartSelection } from './selection.ts';

type PictureOptions = {
  machine: MachineDefinition;
  feed: ActorFeed;
  /** The index of the last step that is shown; null: the present. */
  until: number | null;
  /** Whether states and events in which nothing happens are folded. */
  isFolded: boolean;
  selected: ChartSelection | null;
  onSelect(selection: ChartSelection | null): void;
};

export function usePicture({ machine, feed, until, isFolded, ...selection }: PictureOptions) {
  const steps = usePerFrame(feed.steps);
  const shown = useShown(machine, feed, steps, until);
  const { index, active, activity, nextEdges } = shown;
  const moved = new Set(activity.move?.edges ?? []);
  const lit = { index, active, activity, nextEdges, moved, ...selection };
  const folds = isFolded ? foldsOf(machine.root, lit) : NO_FOLDS;
  const { drawing, problem } = useDrawing(folded(machine, folds));
  const focus = useMemo(() => boxesIn(drawing, active, moved), [drawing, active, activity.move]);
  const label = `State chart of ${machine.machine}, now in ${shown.state}`;
  return { steps, shown, lit, drawing, problem, focus, label };
}

/** The boxes to show: the active states first, then the last transition. */
function boxesIn(drawing: Drawing | null, ...lit: [ReadonlySet<string>, ReadonlySet<string>]) {
  if (drawing === null) return [];
  const { active, moved } = focusOf(drawing, ...lit);
  return [active, moved].filter((box) => box !== null);
}

type ChartPictureProps = {
  picture: ReturnType<typeof usePicture>;
  drawing: Drawing;
  svgRef: { current: SVGSVGElement | null };
};

export function ChartPicture({
  picture: { focus, label, lit },
  drawing,
  svgRef,
}: ChartPictureProps) {
  return (
    <ChartStage drawing={drawing} focus={focus} label={label} svgRef={svgRef}>
      <ChartDrawing drawing={drawing} {...lit} />
    </ChartStage>
  );
}
