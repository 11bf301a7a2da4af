/** Transitions as lines of text: in the box of their state, or on the edge to another state. */

import { groupDigits } from '../../../basics/digits.ts';
import type { TextLine, TextRun } from '../../../inspector/charts/chart-text.ts';
import { textWidth } from './font.ts';
import { classesOf, type Lit, target, timesTaken } from './marks.tsx';
import { edgeText } from './outline.tsx';

export function EdgeLines({ lines, ...lit }: Lit & { lines: readonly TextLine[] }) {
  return (
    <>
      {lines.map((line, at) => (
        <EdgeLine
          key={`${line.y} ${line.runs[0]?.x}`}
          line={line}
          isHead={isHead(line, lines[at + 1])}
          {...lit}
        />
      ))}
    </>
  );
}

/** Whether the line only names the event of the lines below it. */
function isHead(line: TextLine, below: TextLine | undefined): boolean {
  if (below === undefined || below.edges.length === 0) return false;
  return (
    below.edges.length < line.edges.length && below.edges.every((id) => line.edges.includes(id))
  );
}

function EdgeLine({ line, isHead, ...lit }: Lit & { line: TextLine; isHead: boolean }) {
  const { index, activity, nextEdges, moved, selected, onSelect } = lit;
  const texts = line.runs.map((run) => (
    <text key={`${run.x} ${run.y}`} class={`run-${run.role}`} x={run.x} y={run.y}>
      {run.text}
    </text>
  ));
  const edge = index.edges.get(line.edges[0] ?? '');
  const isNext = line.edges.some((id) => nextEdges.has(id));
  if (edge === undefined || isHead) {
    return <g class={classesOf({ line: true, 'line-next': isNext })}>{texts}</g>;
  }
  const count = timesTaken(activity, line.edges);
  const isMoved = line.edges.some((id) => moved.has(id));
  const classes = classesOf({
    line: true,
    'line-next': isNext,
    'line-moved': isMoved,
    'is-selected': selected?.kind === 'edge' && line.edges.includes(selected.id),
  });
  const label = `${edgeText(edge)}, taken ${count} times`;
  return (
    <g class={classes} {...target(label, { kind: 'edge', id: edge.id }, onSelect)}>
      {/* A new key with each move restarts the animation. */}
      <Ground key={isMoved ? (activity.move?.seq ?? 0) : 'still'} line={line} />
      {texts}
      {count > 0 && <LineCount count={count} last={line.runs.at(-1)} />}
    </g>
  );
}

function Ground({ line }: { line: TextLine }) {
  const left = Math.min(...line.runs.map(({ x }) => x));
  const right = Math.max(...line.runs.map(endOf));
  return (
    <rect
      class="line-ground"
      x={left - 4}
      y={line.y}
      width={right - left + 8}
      height={line.height}
      rx="3"
    />
  );
}

function LineCount({ count, last }: { count: number; last: TextRun | undefined }) {
  if (last === undefined) return null;
  return (
    <text class="run-count" x={endOf(last) + 3} y={last.y}>
      {groupDigits(count)}×
    </text>
  );
}

function endOf(run: TextRun): number {
  return run.x + textWidth(run.text, run.role);
}
