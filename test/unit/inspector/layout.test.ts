import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TextLine } from '../../../src/inspector/charts/chart-text.ts';
import { machineDefinitions } from '../../../src/inspector/charts/definitions.ts';
import { createDrawings, createThread } from '../../../src/inspector/charts/laying-out.ts';
import {
  chartPlan,
  type DrawnPoint,
  type DrawnState,
  drawingOf,
  elkGraph,
} from '../../../src/inspector/charts/layout.ts';
import { arialWidth } from '../../../src/inspector/charts/text-size.ts';
import type { StateDefinition } from '../../../src/inspector/wire.ts';

const definitions = machineDefinitions();
const drawing = createDrawings();
let turnsMeanwhile = 0;

beforeAll(async () => {
  const counting = setInterval(() => {
    turnsMeanwhile += 1;
  }, 1);
  await Promise.all(definitions.map(drawing));
  clearInterval(counting);
}, 60_000);

type Box = { x: number; y: number; width: number; height: number };
const isWithin = (inner: Box, outer: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;
const isApart = (a: Box, b: Box) =>
  a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
const isOnBorder = ({ x, y }: DrawnPoint, box: Box) => {
  const near = (a: number, b: number) => Math.abs(a - b) < 1;
  const isBeside = near(x, box.x) || near(x, box.x + box.width);
  const isAbove = near(y, box.y) || near(y, box.y + box.height);
  return (
    (isBeside && y >= box.y - 1 && y <= box.y + box.height + 1) ||
    (isAbove && x >= box.x - 1 && x <= box.x + box.width + 1)
  );
};
const isFitting = (lines: readonly TextLine[], box: Box) =>
  lines
    .flatMap(({ runs }) => runs)
    .every(({ x, y, text, role }) => {
      return isWithin({ x, y: y - 8, width: arialWidth(text, role), height: 8 }, box);
    });
const parentOf = (id: string) => id.slice(0, Math.max(0, id.lastIndexOf('.')));
const edgesOf = (state: StateDefinition): string[] => [
  ...state.edges.map(({ id }) => id),
  ...state.states.flatMap(edgesOf),
];

describe.each(definitions)('the drawing of $machine', (definition) => {
  it('shows every transition once: within a state or on the way to another', async () => {
    const { states, edges } = await drawing(definition);
    const inner = new Set(states.flatMap(({ lines }) => lines.flatMap((line) => line.edges)));
    const outer = edges.flatMap((edge) => edge.label.lines.flatMap((line) => line.edges));
    expect([...inner, ...outer].toSorted()).toEqual(edgesOf(definition.root).toSorted());
    expect(edges.flatMap((edge) => edge.edges).toSorted()).toEqual(outer.toSorted());
  });

  it('has room for every text', async () => {
    const { states, edges } = await drawing(definition);
    expect(states.filter((state) => !isFitting(state.lines, state)).map(({ id }) => id)).toEqual(
      [],
    );
    expect(edges.filter(({ label }) => !isFitting(label.lines, label))).toEqual([]);
    const named = states.filter((state) => arialWidth(state.name, 'name') > state.width - 10);
    expect(named).toEqual([]);
  });

  it('puts states into those that they are in, and beside each other', async () => {
    const { states } = await drawing(definition);
    const inside = (state: DrawnState) =>
      states.filter(({ id }) => id !== '' && parentOf(id) === state.id);
    for (const state of states) {
      const below = { ...state, y: state.y + state.headHeight };
      const children = inside(state);
      expect(children.filter((child) => !isWithin(child, below))).toEqual([]);
      const pairs = children.flatMap((a, at) => children.slice(at + 1).map((b) => [a, b] as const));
      expect(pairs.filter(([a, b]) => !isApart(a, b))).toEqual([]);
    }
  });

  it('leads each edge from its state to the next, with its label away from others', async () => {
    const { states, edges } = await drawing(definition);
    const byId = new Map(states.map((state) => [state.id, state]));
    for (const { source, target, points } of edges) {
      const [from, to] = [byId.get(source), byId.get(target)];
      const [first, last] = [points[0], points.at(-1)];
      expect(from && first && isOnBorder(first, from), `${source} to ${target}`).toBe(true);
      expect(to && last && isOnBorder(last, to), `${source} to ${target}`).toBe(true);
    }
    const labels = edges.map(({ label }) => label);
    const pairs = labels.flatMap((a, at) => labels.slice(at + 1).map((b) => [a, b] as const));
    expect(pairs.filter(([a, b]) => !isApart(a, b))).toEqual([]);
  });

  it('shows where each compound state begins', async () => {
    const { starts } = await drawing(definition);
    const compound = (state: StateDefinition): string[] => [
      ...(state.type === 'compound' ? [state.id] : []),
      ...state.states.flatMap(compound),
    ];
    expect(starts.map(({ state }) => state)).toEqual(compound(definition.root));
  });
});

describe('the drawings', () => {
  const [definition] = definitions;
  if (definition === undefined) throw new Error('no machine');
  const graph = elkGraph(chartPlan(definition, arialWidth));

  it('leave the thread of this process free', () => {
    expect(turnsMeanwhile).toBeGreaterThan(5);
  });

  it('are made once for each version of a chart', async () => {
    const answer = laidOut(graph);
    let asked = 0;
    const drawings = createDrawings(async () => {
      asked += 1;
      return answer;
    });
    const first = await drawings(definition);
    expect(await drawings({ ...definition })).toBe(first);
    await drawings({ ...definition, version: 'another' });
    expect(asked).toBe(2);
  });

  it('are tried again after a failure', async () => {
    let isThere = false;
    const drawings = createDrawings(async () => {
      if (!isThere) throw new Error('no thread');
      return laidOut(graph);
    });
    await expect(drawings(definition)).rejects.toThrow('no thread');
    isThere = true;
    expect((await drawings(definition)).machine).toBe(definition.machine);
  });

  it('refuse the answer to another chart', () => {
    const plan = chartPlan(definition, arialWidth);
    expect(() => drawingOf(plan, { id: 'chart', children: [] })).toThrow('no place for the state');
  });

  it('fail when ELK cannot lay out what it is asked', async () => {
    const edges = [{ id: 'way', sources: ['no'], targets: ['no'] }];
    await expect(createThread()({ id: 'chart', edges })).rejects.toThrow('the chart has no layout');
  });
});

/** As if ELK had put all of it into one corner. */
function laidOut(node: ElkNode): ElkNode {
  return { ...node, x: 0, y: 0, children: (node.children ?? []).map(laidOut) };
}
