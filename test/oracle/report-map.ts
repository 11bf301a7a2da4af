/** The map of a report: areas and widths that are in proportion to what went through, and who is drawn as what. */
import type { Page } from 'playwright-core';
import * as v from 'valibot';
import { getOrMake } from '../../src/basics/get-or-make.ts';
import type { ChannelResult, RunResult } from '../../src/simulation/report/results/result.ts';
import { flowOf, knownOf, mapped } from './report.ts';

const mapSchema = v.nullable(
  v.object({
    spots: v.array(v.object({ index: v.number(), area: v.number(), isSquare: v.boolean() })),
    lines: v.array(v.object({ kind: v.string(), width: v.number(), ends: v.array(v.string()) })),
    widest: v.number(),
  }),
);

const MAP = `(() => {
  const map = [...document.querySelectorAll('svg.map')].find((svg) => svg.checkVisibility());
  if (map === undefined) return null;
  return {
    widest: map.viewBox.baseVal.width > 500 ? 6 : 3,
    spots: [...map.querySelectorAll('.spot')].map((spot) => ({
      index: Number(/^node:(\\d+)/.exec(spot.dataset.figure)[1]),
      isSquare: spot.tagName === 'rect',
      area: spot.tagName === 'rect' ? spot.width.baseVal.value * spot.height.baseVal.value : Math.PI * spot.r.baseVal.value ** 2,
    })),
    lines: [...map.querySelectorAll('path')].map((path) => ({
      kind: path.getAttribute('class'), width: Number(path.getAttribute('stroke-width') ?? 0), ends: path.dataset.channels.split(' '),
    })),
  };
})()`;

export async function wrongOnMap(page: Page, result: RunResult): Promise<string[]> {
  const map = v.parse(mapSchema, await page.evaluate(MAP));
  return map === null ? [] : [...wrongSpots(map, result), ...wrongWidths(map, result)];
}

type Seen = NonNullable<v.InferOutput<typeof mapSchema>>;

/** Areas are in proportion to what went through, but for the least that can be seen. */
function wrongSpots({ spots }: Seen, result: RunResult): string[] {
  const through = new Map(
    spots.map(({ index }) => [index, Number(knownOf(result, `node:${index}/through`, null))]),
  );
  const most = Math.max(...through.values());
  const largest = spots.find(({ index }) => through.get(index) === most);
  const busiest = mapped(result).nodes;
  if (largest === undefined || most === 0) return [];
  return spots.flatMap(({ index, area, isSquare }) => {
    const wanted = Math.max(
      ((through.get(index) ?? 0) / most) * largest.area,
      largest.area * (0.25 / 1.6) ** 2,
    );
    const node = result.nodes.find((one) => one.index === index);
    return [
      ...(Math.abs(Math.sqrt(area) - Math.sqrt(wanted)) < 0.06
        ? []
        : [
            `node:${index} has an area of ${area.toFixed(2)} on the map, and should have ${wanted.toFixed(2)}`,
          ]),
      ...(node?.isHonest === !isSquare ? [] : [`node:${index} is drawn as what it is not`]),
      ...(busiest.has(index) ? [] : [`node:${index} is on the map, and others are busier`]),
    ];
  });
}

function wrongWidths({ lines, widest }: Seen, result: RunResult): string[] {
  const { channels, most } = mapped(result);
  const between = new Map<string, ChannelResult[]>();
  for (const channel of channels)
    getOrMake(between, `${channel.a}-${channel.b}`, () => []).push(channel);
  const drawn = lines.reduce((sum, { ends }) => sum + ends.length, 0);
  const wrong = lines.flatMap(({ kind, width, ends }) =>
    ends.flatMap((pair) => {
      const fits = (between.get(pair) ?? []).some((channel) => {
        const flow = flowOf(channel);
        if (channel.state !== 'open') return kind === 'closed';
        if (flow === 0n) return kind === 'unused';
        const wanted = Math.max(0.3, (Number(flow) / Number(most)) * widest);
        return kind === 'flow' && width >= wanted - 0.01 && width - wanted <= widest / 60 + 0.01;
      });
      return fits ? [] : [`the line of ${pair} on the map is ${kind}, ${width} px wide`];
    }),
  );
  return drawn === channels.length
    ? wrong
    : [...wrong, `${drawn} of ${channels.length} channels are on the map`];
}
