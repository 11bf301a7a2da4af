/** Draws curves of growth as one SVG picture: a panel for each, both axes logarithmic. */
import { type Curve, growthText, type Point } from './growth.ts';
import { round } from './report.ts';

const [WIDTH, HEIGHT, MARGIN, COLUMNS] = [360, 220, 56, 2];

type Scale = (value: number) => number;

/** Maps values between the ends, and a little beyond, onto pixels from `from` to `to`. */
function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const logs = values.map((value) => Math.log10(value));
  const [low, high] = [Math.min(...logs) - 0.2, Math.max(...logs) + 0.2];
  return (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function pointMarks({ size, cost }: Point, x: Scale, y: Scale): string {
  const [left, top] = [x(size).toFixed(1), y(cost).toFixed(1)];
  const below = HEIGHT - MARGIN + 16;
  return [
    `<circle cx="${left}" cy="${top}" r="3.5"/>`,
    `<text x="${left}" y="${(y(cost) - 8).toFixed(1)}" text-anchor="middle">${round(cost)}</text>`,
    `<text x="${left}" y="${below}" text-anchor="middle" class="size">${size.toLocaleString('en')}</text>`,
  ].join('');
}

function panelOf({ name, unit, counted, points }: Curve, at: number): string {
  const shown = points.filter(({ size, cost }) => size > 0 && cost > 0);
  const [left, top] = [(at % COLUMNS) * WIDTH, Math.floor(at / COLUMNS) * HEIGHT];
  const head = `<text x="${WIDTH / 2}" y="18" text-anchor="middle" class="name">${escaped(name)}, ${escaped(unit)}</text>`;
  const foot = `<text x="${WIDTH / 2}" y="${HEIGHT - 12}" text-anchor="middle" class="size">${escaped(counted)}: grows as ${growthText(points)}</text>`;
  if (shown.length === 0) return `<g transform="translate(${left} ${top})">${head}</g>`;
  const x = scaleOf(
    shown.map(({ size }) => size),
    MARGIN,
    WIDTH - MARGIN / 2,
  );
  // One decade at least: a cost that hardly changes has to look like it.
  const costs = shown.map(({ cost }) => cost);
  const middle = Math.sqrt(Math.min(...costs) * Math.max(...costs));
  const y = scaleOf([...costs, middle / 3.2, middle * 3.2], HEIGHT - MARGIN, 34);
  const line = shown.map(({ size, cost }) => `${x(size).toFixed(1)},${y(cost).toFixed(1)}`);
  const frame = `<path d="M${MARGIN} 30V${HEIGHT - MARGIN}H${WIDTH - MARGIN / 2}" class="frame"/>`;
  const marks = shown.map((point) => pointMarks(point, x, y)).join('');
  return `<g transform="translate(${left} ${top})">${head}${frame}<polyline points="${line.join(' ')}"/>${marks}${foot}</g>`;
}

/** The picture, as the text of an SVG file that needs nothing else. */
export function plotOf(curves: readonly Curve[]): string {
  const [width, height] = [COLUMNS * WIDTH, Math.ceil(curves.length / COLUMNS) * HEIGHT];
  const style =
    'text{font:12px sans-serif;fill:#1a1a1a}.name{font-weight:bold}.size{fill:#555}' +
    'polyline,.frame{fill:none;stroke:#1f5fa8;stroke-width:1.5}.frame{stroke:#999;stroke-width:1}circle{fill:#1f5fa8}';
  const panels = curves.map(panelOf).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>${style}</style><rect width="100%" height="100%" fill="#fff"/>
${panels}
</svg>
`;
}
