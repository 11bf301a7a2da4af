/** The drawing of a chart, with the actor's states and transitions highlighted. Colours are in chart.css. */
import {
  DOT,
  type Drawing,
  type DrawnEdge,
  type DrawnState,
  PADDING,
} from '../../../inspector/charts/layout.ts';
import { wayPath } from '../../../inspector/charts/svg.ts';
import { EdgeLines } from './lines.tsx';
import { classesOf, type Lit, target, timesTaken, VisitCount } from './marks.tsx';
import { MovingDots } from './motion.tsx';
import { stateWords } from './outline.tsx';

export function ChartDrawing({ drawing, ...lit }: Lit & { drawing: Drawing }) {
  return (
    <>
      <defs>
        <Head kind="way" />
        <Head kind="next" />
        <Head kind="moved" />
      </defs>
      {drawing.states.map((state) => (
        <State key={state.id} state={state} machine={drawing.machine} {...lit} />
      ))}
      {drawing.starts.map(({ state, dot, points }) => (
        <g key={state} class="start">
          <circle cx={dot.x} cy={dot.y} r={DOT} />
          <path class="way" marker-end="url(#head-way)" d={wayPath(points)} />
        </g>
      ))}
      {drawing.edges.map((edge) => (
        <Way key={edge.id} edge={edge} {...lit} />
      ))}
      {drawing.edges.map((edge) => (
        <Label key={edge.id} edge={edge} {...lit} />
      ))}
      <MovingDots drawing={drawing} move={lit.activity.move} />
    </>
  );
}

function Head({ kind }: { kind: string }) {
  return (
    <marker
      id={`head-${kind}`}
      class={`head-${kind}`}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="9"
      markerHeight="9"
      markerUnits="userSpaceOnUse"
      orient="auto-start-reverse"
    >
      <path d="M0 0.5 8 4 0 7.5Z" />
    </marker>
  );
}

function State({ state, machine, ...lit }: Lit & { state: DrawnState; machine: string }) {
  const { index, active, activity, selected, onSelect } = lit;
  const { id, x, y, width, height, headHeight, lines } = state;
  const definition = index.states.get(id);
  const hasStates = state.type !== 'atomic' && (definition?.states.length ?? 0) > 0;
  const entered = activity.entered.get(id) ?? 0;
  const classes = classesOf({
    state: true,
    'state-even': state.depth % 2 === 0,
    'state-region': state.isRegion,
    'state-leaf': !hasStates,
    'state-active': active.has(id),
    'state-never': entered === 0 && !active.has(id),
    'is-selected': selected?.kind === 'state' && selected.id === id,
  });
  const words = definition === undefined ? [] : stateWords(definition, active, activity);
  const name = id === '' ? machine : (definition?.name ?? state.name);
  return (
    <g class={classes}>
      <g {...target(`State ${name}: ${words.join(', ')}`, { kind: 'state', id }, onSelect)}>
        <rect class="frame" x={x} y={y} width={width} height={height} rx="6" />
        {state.type === 'final' && (
          <rect
            class="frame-inner"
            x={x + 3}
            y={y + 3}
            width={width - 6}
            height={height - 6}
            rx={4}
          />
        )}
        <text class="run-name" x={x + PADDING} y={state.nameY}>
          {state.name === '' ? machine : state.name}
        </text>
        {id !== '' && (entered > 0 || !active.has(id)) && (
          <VisitCount count={entered} right={x + width} top={y} />
        )}
      </g>
      {hasStates && lines.length > 0 && (
        <path class="rule" d={`M${x} ${y + headHeight}h${width}`} />
      )}
      <EdgeLines lines={lines} {...lit} />
    </g>
  );
}

/** How an edge is drawn: the last transition stands out most, then edges that could be taken next. */
function kindOf({ edges }: DrawnEdge, { moved, nextEdges }: Lit): 'moved' | 'next' | 'way' {
  if (edges.some((id) => moved.has(id))) return 'moved';
  return edges.some((id) => nextEdges.has(id)) ? 'next' : 'way';
}

function Way({ edge, ...lit }: Lit & { edge: DrawnEdge }) {
  const kind = kindOf(edge, lit);
  const classes = classesOf({
    way: true,
    [`way-${kind}`]: true,
    'way-never': timesTaken(lit.activity, edge.edges) === 0,
  });
  return <path class={classes} marker-end={`url(#head-${kind})`} d={wayPath(edge.points)} />;
}

function Label({ edge, ...lit }: Lit & { edge: DrawnEdge }) {
  const { x, y, width, height, lines } = edge.label;
  return (
    <g class={`label label-${kindOf(edge, lit)}`}>
      <rect class="label-ground" x={x} y={y} width={width} height={height} rx="3" />
      <EdgeLines lines={lines} {...lit} />
    </g>
  );
}
