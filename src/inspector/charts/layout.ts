/**
 * How a chart is drawn: its states as boxes in boxes; the transitions between states as edges with texts; and those
 * that stay within a state as lines in its box. ELK computes the places. It runs in a worker, so that this file
 * only has the question to ELK and the conversion of its answer.
 *
 * Lengths in px, coordinates from the upper left corner of the drawing.
 */
import type { ElkExtendedEdge, ElkNode, LayoutOptions } from 'elkjs/lib/elk-api.js';
import type { EdgeDefinition, MachineDefinition, StateDefinition } from '../wire.ts';
import {
  inColumns,
  innerText,
  isInner,
  labelText,
  type Measure,
  moved,
  ROW,
  type TextBlock,
  type TextLine,
} from './chart-text.ts';

type Box = { x: number; y: number; width: number; height: number };
export type DrawnPoint = { x: number; y: number };

/**
 * The name is written at (`x` + PADDING, `nameY`). `isRegion`: it is one of the states that a parallel state is in
 * at once.
 */
export type DrawnState = Box & {
  id: string;
  name: string;
  type: StateDefinition['type'];
  isRegion: boolean;
  depth: number;
  nameY: number;
  /** Height of the part with the name and the lines; the inner states begin below it. */
  headHeight: number;
  lines: readonly TextLine[];
};
/** All the transitions from one state to another: drawn as one, `edges` are their ids. */
export type DrawnEdge = {
  id: string;
  source: string;
  target: string;
  edges: readonly string[];
  points: readonly DrawnPoint[];
  label: Box & { lines: readonly TextLine[] };
};
/** Where a compound state begins: a dot, and the way from it. */
export type DrawnStart = { state: string; dot: DrawnPoint; points: readonly DrawnPoint[] };
/** `states` are in the order in which they are painted: inner states come after the state that they are in. */
export type Drawing = {
  machine: string;
  width: number;
  height: number;
  states: readonly DrawnState[];
  edges: readonly DrawnEdge[];
  starts: readonly DrawnStart[];
};

/** Space between a box and what is in it. */
export const PADDING = 10;
/** Radius of the dot of a start. */
export const DOT = 5;
/** Height of a state's name; its baseline in it. */
const NAME_ROW = 20;
const NAME_BASELINE = 15;
const COLUMN_GAP = 24;
/** How many times wider than high the lines of a state with inner states should become. */
const ASPECT = 5;
const LEAST_WIDTH = 72;
const INNER_WIDTH = 330;
const LABEL_WIDTH = 210;
/** Space around the text of an edge. */
const LABEL_EDGE = 4;

type PlannedState = {
  state: StateDefinition;
  isRegion: boolean;
  depth: number;
  text: TextBlock;
  width: number;
  headHeight: number;
};
type PlannedEdge = {
  id: string;
  source: string;
  target: string;
  edges: readonly string[];
  label: TextBlock;
};
/** What is to be drawn, with sizes but still without places. */
export type ChartPlan = {
  definition: MachineDefinition;
  /** By the state's id. */
  states: ReadonlyMap<string, PlannedState>;
  edges: readonly PlannedEdge[];
};

/** The plan of a chart, with texts of the sizes that `measure` gives. */
export function chartPlan(definition: MachineDefinition, measure: Measure): ChartPlan {
  const states = new Map<string, PlannedState>();
  plan(definition.root, 0, false, measure, states);
  const leaving = [...states.values()].flatMap(({ state }) => state.edges).filter(isLeaving);
  return { definition, states, edges: plannedEdges(leaving, measure) };
}

const isLeaving = (edge: EdgeDefinition): boolean => !isInner(edge);

function plan(
  state: StateDefinition,
  depth: number,
  isRegion: boolean,
  measure: Measure,
  planned: Map<string, PlannedState>,
): void {
  const lines = innerText(state, measure, INNER_WIDTH);
  const text = state.states.length === 0 ? lines : inColumns(lines, COLUMN_GAP, ASPECT);
  const headHeight = NAME_ROW + text.height + (text.height > 0 ? ROW / 2 : 0);
  const widest = Math.max(measure(state.name, 'name'), text.width) + 2 * PADDING;
  const width = Math.max(LEAST_WIDTH, Math.ceil(widest));
  planned.set(state.id, { state, isRegion, depth, text, width, headHeight });
  for (const child of state.states)
    plan(child, depth + 1, state.type === 'parallel', measure, planned);
}

/** Transitions with the same source and target become one edge. */
function plannedEdges(edges: readonly EdgeDefinition[], measure: Measure): PlannedEdge[] {
  const ways = new Map<string, { source: string; target: string; edges: EdgeDefinition[] }>();
  for (const edge of edges)
    for (const target of edge.targets) {
      const id = `${edge.source}>${target}`;
      const way = ways.get(id) ?? { source: edge.source, target, edges: [] };
      way.edges.push(edge);
      ways.set(id, way);
    }
  return [...ways].map(([id, way]) => {
    const label = labelText(way.edges, measure, LABEL_WIDTH);
    return { ...way, id, edges: way.edges.map((edge) => edge.id), label };
  });
}

/** Options for every box: ELK does not inherit them from the outer box. */
const WITHIN: LayoutOptions = {
  'elk.layered.spacing.nodeNodeBetweenLayers': '24',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
  'elk.spacing.nodeNode': '24',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
};
const OPTIONS: LayoutOptions = {
  ...WITHIN,
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.padding': '[top=12,left=12,bottom=12,right=12]',
};

const INLINE: LayoutOptions = { 'elk.edgeLabels.inline': 'true' };

const nodeId = (state: string) => `state:${state}`;
const startId = (state: string) => `start:${state}`;
const wayId = (id: string) => `way:${id}`;
const firstId = (state: string) => `first:${state}`;

/** The question to ELK: `elk.layout(elkGraph(plan))`. It is plain data and may be sent to a worker. */
export function elkGraph(planned: ChartPlan): ElkNode {
  const { root } = planned.definition;
  const places = [...planned.states.keys()];
  const ways = planned.edges.map((edge) => {
    const isForward = places.indexOf(edge.source) < places.indexOf(edge.target);
    return elkEdge(edge, isForward);
  });
  const starts = [...planned.states.values()].flatMap(({ state }): ElkExtendedEdge[] => {
    const first = firstOf(state);
    if (first === undefined) return [];
    return [{ id: firstId(state.id), sources: [startId(state.id)], targets: [nodeId(first.id)] }];
  });
  const children = [elkNode(root, planned)];
  const edges = [...starts, ...ways, ...hints(planned)];
  return { id: 'chart', layoutOptions: OPTIONS, children, edges };
}

/** In a cycle, ELK should reverse the edge that goes against the order of the chart. */
function elkEdge(
  { id, source, target, label: { width, height } }: PlannedEdge,
  isForward: boolean,
): ElkExtendedEdge {
  const size = { width: width + 2 * LABEL_EDGE, height: height + LABEL_EDGE };
  const label = { id: wayId(id), text: id, ...size, layoutOptions: INLINE };
  const layoutOptions = { 'elk.layered.priority.direction': isForward ? '5' : '0' };
  const ends = { sources: [nodeId(source)], targets: [nodeId(target)] };
  return { id: wayId(id), ...ends, labels: [label], layoutOptions };
}

/**
 * Invisible edges: a state that only transitions of its parents lead to has no drawn edge, and is placed below the
 * first state.
 */
function hints({ edges, states }: ChartPlan): ElkExtendedEdge[] {
  const reached = new Set(edges.map(({ target }) => target));
  return [...states.values()].flatMap(({ state }) => {
    const first = firstOf(state);
    if (first === undefined) return [];
    return state.states
      .filter(({ id }) => id !== first.id && !reached.has(id))
      .map(({ id }) => {
        return { id: `hint:${id}`, sources: [nodeId(first.id)], targets: [nodeId(id)] };
      });
  });
}

function firstOf({ states, initial }: StateDefinition): StateDefinition | undefined {
  return states.find(({ name }) => name === initial);
}

function elkNode(state: StateDefinition, planned: ChartPlan): ElkNode {
  const { width, headHeight } = sizeOf(planned, state.id);
  const id = nodeId(state.id);
  if (state.states.length === 0)
    return { id, width, height: headHeight + (headHeight > NAME_ROW ? 0 : PADDING / 2) };
  const dot = { id: startId(state.id), width: 2 * DOT, height: 2 * DOT };
  const dots = firstOf(state) === undefined ? [] : [dot];
  return {
    id,
    layoutOptions: {
      ...WITHIN,
      'elk.padding': `[top=${headHeight + PADDING},left=14,bottom=14,right=14]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      // ELK lays the chart out sideways and swaps width and height everywhere but here.
      'elk.nodeSize.minimum': `(${headHeight},${width})`,
    },
    children: [...dots, ...state.states.map((child) => elkNode(child, planned))],
  };
}

function sizeOf({ states }: ChartPlan, id: string): PlannedState {
  const planned = states.get(id);
  if (planned === undefined) throw new Error(`no state ${id} in the plan of the chart`);
  return planned;
}

/** The drawing, from ELK's answer to `elkGraph(plan)`. Throws when the answer belongs to something else. */
export function drawingOf(planned: ChartPlan, answer: ElkNode): Drawing {
  const { machine } = planned.definition;
  const boxes = new Map<string, Box>();
  collect(answer, boxes);
  const routes = new Map((answer.edges ?? []).map((edge) => [edge.id, edge]));
  return {
    machine,
    width: Math.ceil(answer.width ?? 0),
    height: Math.ceil(answer.height ?? 0),
    states: [...planned.states.values()].map((one) => drawnState(one, found(boxes, one.state.id))),
    edges: planned.edges.map((one) => drawnEdge(one, routes.get(wayId(one.id)))),
    starts: [...planned.states.keys()].flatMap((id) => {
      const dot = boxes.get(startId(id));
      if (dot === undefined) return [];
      const points = pointsOf(routes.get(firstId(id)));
      return [{ state: id, dot: { x: dot.x + DOT, y: dot.y + DOT }, points }];
    }),
  };
}

function collect(node: ElkNode, boxes: Map<string, Box>): void {
  const { id, x = 0, y = 0, width = 0, height = 0, children = [] } = node;
  boxes.set(id, { x, y, width, height });
  for (const child of children) collect(child, boxes);
}

function found(boxes: ReadonlyMap<string, Box>, state: string): Box {
  const box = boxes.get(nodeId(state));
  if (box === undefined) throw new Error(`no place for the state ${state} of the chart`);
  return box;
}

function drawnState(
  { state, isRegion, depth, text, headHeight }: PlannedState,
  box: Box,
): DrawnState {
  const { id, name, type } = state;
  const lines = text.lines.map((line) => moved(line, box.x + PADDING, box.y + NAME_ROW));
  const nameY = box.y + NAME_BASELINE;
  return { ...box, id, name, type, isRegion, depth, nameY, headHeight, lines };
}

function drawnEdge(
  { id, source, target, edges, label }: PlannedEdge,
  route: ElkExtendedEdge | undefined,
): DrawnEdge {
  const { x = 0, y = 0, width = 0, height = 0 } = route?.labels?.[0] ?? {};
  const lines = label.lines.map((line) => moved(line, x + LABEL_EDGE, y + LABEL_EDGE / 2));
  const box = { x, y, width, height, lines };
  return { id, source, target, edges, points: pointsOf(route), label: box };
}

function pointsOf(route: ElkExtendedEdge | undefined): DrawnPoint[] {
  return (route?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [
    startPoint,
    ...bendPoints,
    endPoint,
  ]);
}
