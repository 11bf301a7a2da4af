/** Reads a report in Chromium, and says all that is wrong with it: figures, texts, bars, courses, the map. */
import type { Page } from 'playwright-core';
import * as v from 'valibot';
import type { RunResult } from '../../src/simulation/report/results/result.ts';
import { wrongIn } from './judge.ts';
import { type Bar, type Figure, type Plot, readPage, type Seen } from './read.ts';
import { knownOf } from './report.ts';
import { courseOf } from './report-courses.ts';
import { wrongOnMap } from './report-map.ts';
import { wrongReportText, wrongTick } from './report-texts.ts';

const toldSchema = v.array(
  v.object({
    claim: v.string(),
    value: v.string(),
    unit: v.string(),
    at: v.nullable(v.string()),
    text: v.string(),
    title: v.nullable(v.string()),
  }),
);
/** What is told where the reader points, and how many places there are for it. */
const TOLD = `[...document.querySelectorAll('template')].flatMap((template) => [...template.content.querySelectorAll('[data-figure]')].map((one) => ({
  claim: one.dataset.figure, value: one.dataset.value, unit: one.dataset.unit, at: one.dataset.at ?? null,
  text: one.textContent, title: one.getAttribute('title') })))`;
const PLACES = `[...document.querySelectorAll('svg[data-places]')].filter((svg) => (svg.dataset.places === '' ? 0 : svg.dataset.places.split('\\n').length)
  !== svg.closest('section').querySelector('template').content.children.length).map((svg) => svg.getAttribute('aria-label'))`;
export type Checked = { wrong: string[]; figures: number };

/** The page shows the report of this result. `figures`: how many were compared with it. */
export async function checkReport(page: Page, result: RunResult): Promise<Checked> {
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  const seen = await readPage(page, [result.token.symbol, 'ETH']);
  const told = v.parse(toldSchema, await page.evaluate(TOLD));
  const unplaced = v.parse(v.array(v.string()), await page.evaluate(PLACES));
  const figures: Figure[] = [...seen.figures.filter((one) => !isSpot(one)), ...told];
  const wrong = [
    ...wrongIn(forJudge(seen), new Map()),
    ...figures.flatMap((one) => wrongReportText(one, result.token) ?? []),
    ...[...seen.figures, ...told, ...seen.bars].flatMap((one) => wrongClaim(one, result) ?? []),
    ...seen.plots.flatMap((plot) => [...wrongAxes(plot, result), ...wrongLines(plot, result)]),
    ...wrongWholes(seen.bars),
    ...seen.plots.flatMap((plot) => wrongBins(plot, seen.bars, result)),
    ...unplaced.map((label) => `as many places as words: ${label}`),
    ...(await wrongOnMap(page, result)),
    ...missing(new Set([...seen.figures, ...told, ...seen.bars].map(({ claim }) => claim)), result),
  ];
  const points = seen.plots.flatMap(({ lines }) => lines.flatMap((line) => line.points));
  return { wrong, figures: seen.figures.length + told.length + seen.bars.length + points.length };
}

/** Spots of the map say nothing: their areas do. */
const isSpot = ({ claim, text }: Figure): boolean => claim.endsWith('/through') && text === '';

/** Texts and labels of ticks are judged here: they are cut, rounded and shortened in ways of their own. */
function forJudge(seen: Seen): Seen {
  const plots = seen.plots.map((plot) => ({
    ...plot,
    ticks: plot.ticks.map((tick) => ({ ...tick, unit: null })),
  }));
  return { ...seen, figures: [], plots };
}

type Claimed = { claim: string; value: string; at: string | null };

function wrongClaim({ claim, value, at }: Claimed, result: RunResult): string | null {
  if (claim.endsWith('/value')) return null;
  const so = knownOf(result, claim, at);
  const where = at === null ? claim : `${claim} at ${at}`;
  if (so === null) return `${where} claims ${value}, and nobody knows of it`;
  return isSame(value, so) ? null : `${where} claims ${value}, and is ${so}`;
}

function isSame(value: string, so: number | bigint | string): boolean {
  if (typeof so !== 'number') return value === `${so}`;
  return Math.abs(Number(value) - so) <= 1e-9 * Math.max(1, Math.abs(so));
}

function wrongAxes({ name, ticks }: Plot, result: RunResult): string[] {
  const texts = ticks.flatMap((tick) => {
    const problem = wrongTick(tick, result.token);
    return problem === null
      ? []
      : [`${name}: a tick at ${tick.value} says “${tick.text}”: ${problem}`];
  });
  const beside = ticks.filter(({ axis, mark, label }) => {
    const middle = (mark.left + mark.right) / 2;
    return axis === 'x' && label !== null && Math.abs((label.left + label.right) / 2 - middle) > 2;
  });
  const last = ticks.filter(({ axis }) => axis === 'x').at(-1);
  const end = courseOf(result, '').at(-1)?.end;
  const isOld = name.startsWith('series/') && end !== undefined && Number(last?.value) !== end;
  return [
    ...texts,
    ...beside.map(({ text }) => `${name}: the label “${text}” is not under its tick`),
    ...(isOld ? [`${name}: the last tick is at ${last?.value}, and the run ends at ${end}`] : []),
  ];
}

/** The points that a line should have. */
function pointsOf(result: RunResult, claim: string): [number, number | bigint | null][] {
  const [whose = '', what = ''] = claim.split('/');
  if (whose === 'series')
    return courseOf(result, what).flatMap(
      ({ block, end, value }): [number, number | bigint | null][] => [
        [block, value],
        [end, value],
      ],
    );
  const histogram =
    whose === 'latency_blocks'
      ? result.histograms.latencyBlocks
      : result.histograms.latencyMessages;
  return histogram.flatMap(({ value, count }): [number, number | bigint | null][] => {
    const so = knownOf(result, claim, `value:${value}`);
    return typeof so === 'number' && count > 0 ? [[value, so]] : [];
  });
}

function wrongLines({ name, lines, ticks }: Plot, result: RunResult): string[] {
  return lines.flatMap((line) => {
    const wanted = pointsOf(result, line.claim);
    // The value at a place, before and after a step.
    const at = new Map<number, string[]>();
    for (const [x, y] of wanted) at.set(x, [...(at.get(x) ?? []), `${y}`]);
    const isKnown = ([x, y]: [string, string]) =>
      at.get(Number(x))?.some((value) => value !== 'null' && isSame(y, Number(value))) === true;
    const isCurve = !line.claim.startsWith('series/');
    const odd = line.points.filter(
      (point, n) => !isKnown(point) && !(isCurve && isFrame(line.points, n)),
    );
    const steps = changes(wanted);
    const drawn = new Set(line.points.map(([x, y]) => `${Number(x)} ${Number(y).toPrecision(9)}`));
    const most = Math.max(...line.points.map(([x]) => Number(x)), 0);
    const lost = steps.filter(
      ([x, y]) => (!isCurve || x <= most) && !drawn.has(`${x} ${Number(y).toPrecision(9)}`),
    );
    const end = wanted.at(-1)?.[1] === null ? undefined : wanted.at(-1)?.[0];
    const isShort = !isCurve && end !== undefined && Number(line.points.at(-1)?.[0]) !== end;
    return [
      ...odd.map((point) => `${name}: the line goes through ${point.join(', ')}, which is not so`),
      ...lost.map((point) => `${name}: the line leaves out ${point.join(', ')}`),
      ...(isShort ? [`${name}: the line does not go on to ${end}`] : []),
      ...(ticks.length === 0 ? [`${name}: there is a line without ticks`] : []),
    ];
  });
}

/** A distribution begins at nothing, and goes on level to the edge. */
function isFrame(points: readonly [string, string][], n: number): boolean {
  const isFirst = n === 0 && Number(points[0]?.[1]) === 0;
  return isFirst || (n === points.length - 1 && points[n]?.[1] === points[n - 1]?.[1]);
}

/** The points at which a course changes. */
function changes(points: readonly [number, number | bigint | null][]): [number, number | bigint][] {
  return points.flatMap(([x, y], n): [number, number | bigint][] => {
    const isLevel = points[n - 1]?.[1] === y && points[n + 1]?.[1] === y;
    return y === null || isLevel ? [] : [[x, y]];
  });
}

/** The bars of a table are as long as the longest says. */
function wrongWholes(bars: readonly Bar[]): string[] {
  const inTables = bars.filter(
    ({ claim, way }) => way === 'right' && /^(transaction|message|failure)/.test(claim),
  );
  const most = (kind: string) =>
    Math.max(
      ...inTables.filter(({ claim }) => claim.startsWith(kind)).map(({ value }) => Number(value)),
    );
  return inTables
    .filter(({ claim, whole }) => Number(whole) < most(claim.split(/[:/]/)[0] ?? ''))
    .map(({ claim, whole }) => `${claim} is one of ${whole}, and another is longer`);
}

/** The bars of locks stand over their values, and together are all locks. */
function wrongBins({ name, ticks, box }: Plot, bars: readonly Bar[], result: RunResult): string[] {
  if (name !== 'lock_slack') return [];
  const isHere = (bar: Bar) =>
    bar.box.left >= box.left - 1 &&
    bar.box.right <= box.right + 1 &&
    bar.box.top >= box.top - 1 &&
    bar.box.bottom <= box.bottom + 1;
  const own = bars.filter(
    (bar) => bar.claim.startsWith('lock_slack:') && bar.box.width > 0 && isHere(bar),
  );
  const along = ticks
    .filter(({ axis }) => axis === 'x')
    .map(({ value, mark }) => ({ value: Number(value), at: (mark.left + mark.right) / 2 }));
  const [first, last] = [along[0], along.at(-1)];
  if (first === undefined || last === undefined || first === last) return [`${name}: no ticks`];
  const place = (value: number) =>
    first.at + ((value - first.value) / (last.value - first.value)) * (last.at - first.at);
  const all = own.reduce((sum, { value }) => sum + Number(value), 0);
  const so = result.histograms.lockSlackBlocks.reduce((sum, { count }) => sum + count, 0);
  const elsewhere = own.filter((bar) => {
    const [from, to] = /:(-?\d+)\.\.(-?\d+)\//.exec(bar.claim)?.slice(1).map(Number) ?? [];
    return (
      from === undefined ||
      to === undefined ||
      Math.abs(place(from) - bar.box.left) > 2.6 ||
      Math.abs(place(to + 1) - bar.box.right) > 2.6
    );
  });
  const mixed = own.filter(({ claim }) => {
    const [from = 0, to = 0] = /:(-?\d+)\.\.(-?\d+)\//.exec(claim)?.slice(1).map(Number) ?? [];
    return from < result.dangerSlackBlocks && to >= result.dangerSlackBlocks;
  });
  return [
    ...(all === so ? [] : [`${name}: bars of ${all} locks, and there are ${so}`]),
    ...elsewhere.map(({ claim }) => `${claim}: the bar is not over its values`),
    ...mixed.map(({ claim }) => `${claim}: the bar is in danger and not`),
  ];
}

/** What a report may not leave out. */
function missing(claims: ReadonlySet<string>, result: RunResult): string[] {
  const { payments, nodes, histograms } = result;
  const often = <T>(counts: Readonly<Record<string, T>>, of: (value: T) => number) =>
    Object.entries(counts)
      .toSorted(([, a], [, b]) => of(b) - of(a))
      .slice(0, 10)
      .map(([name]) => name);
  const wanted = [
    ...[
      'run/steps',
      'run/time',
      'run/blocks',
      'nodes/honest_loss',
      'nodes/fees_earned',
      'nodes/fees_paid',
    ],
    ...(payments.started === 0 ? [] : ['payments/success', 'payments/started']),
    ...(histograms.latencyBlocks.length === 0
      ? []
      : ['latency_blocks/p50', 'latency_blocks/p99', 'latency_blocks/p100']),
    ...(histograms.lockSlackBlocks.length === 0 ? [] : ['lock_slack/p0', 'lock_slack/locks']),
    ...often(result.messagesByType, (count) => count).map((name) => `message:${name}/count`),
    ...often(result.transactionsByType, ({ gas }) => gas).map((name) => `transaction:${name}/gas`),
    ...often(payments.failed, (count) => count).map((name) => `failure:${name}/count`),
    ...result.invariants.map(({ number }) => `rule:${number}/checks`),
    ...result.expectations.map((_, at) => `expectation:${at}/actual`),
    ...result.series.slice(-400).map(({ block }) => `point:${block}/started`),
    ...(nodes.length > 1000
      ? []
      : nodes.flatMap(({ index }) =>
          ['fees_earned', 'loss', 'sent'].map((what) => `node:${index}/${what}`),
        )),
  ];
  return wanted.filter((claim) => !claims.has(claim)).map((claim) => `${claim} is not shown`);
}
