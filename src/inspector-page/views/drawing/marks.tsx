/** What the parts of the chart's drawing have in common. */

import { groupDigits } from '../../../basics/digits.ts';
import type { ChartIndex } from '../../../inspector/charts/states.ts';
import type { Activity } from '../chart/activity.ts';
import type { ChartSelection } from '../chart/selection.ts';

/** What is highlighted in the drawing. */
export type Lit = {
  index: ChartIndex;
  active: ReadonlySet<string>;
  activity: Activity;
  /** Edges that could be taken next. */
  nextEdges: ReadonlySet<string>;
  /** Edges of the last transition. */
  moved: ReadonlySet<string>;
  selected: ChartSelection | null;
  onSelect(selection: ChartSelection): void;
};

export function classesOf(parts: Record<string, boolean>): string {
  return Object.keys(parts)
    .filter((name) => parts[name])
    .join(' ');
}

/** Attributes of a part of the drawing that is selected by a click, Enter or the space bar. */
export function target(label: string, selection: ChartSelection, onSelect: Lit['onSelect']) {
  return {
    role: 'button' as const,
    tabindex: 0,
    'aria-label': label,
    onClick: () => onSelect(selection),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      onSelect(selection);
    },
  };
}

/** How often a state was entered, at the upper right corner of its box. */
export function VisitCount({ count, right, top }: { count: number; right: number; top: number }) {
  const text = `${groupDigits(count)}×`;
  const width = text.length * 6 + 6;
  return (
    <g class={count === 0 ? 'count count-zero' : 'count'}>
      <rect x={right - width + 8} y={top - 11} width={width} height="14" rx="7" />
      <text x={right - width / 2 + 8} y={top - 0.5} text-anchor="middle">
        {text}
      </text>
    </g>
  );
}

export function timesTaken(activity: Activity, edges: readonly string[]): number {
  return edges.reduce((sum, edge) => sum + (activity.taken.get(edge)?.count ?? 0), 0);
}
