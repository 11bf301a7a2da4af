/**
 * The inspector's page over 10,000 actors in headless Chromium: how soon their list is seen, and how long the
 * page is deaf to its reader while it is scrolled and while 2,000 steps come in each second. Chromium tells
 * tasks of 50 ms and more; 0: there was none.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';
import { openWatched } from '../support/chromium.ts';
import { nextStep, syntheticRows } from '../support/synthetic-actors.ts';
import {
  type SyntheticInspector,
  startSyntheticInspector,
} from '../support/synthetic-inspector.ts';
import { createStepWriter } from '../support/synthetic-records.ts';
import { type Measured, round } from './report.ts';

const ACTORS = 10_000;
const ROUNDS = 5;
const STEPS_PER_SECOND = 2_000;
const BURST_MS = 25;
const WATCHED_MS = 4_000;
const SCROLLS = 60;
/** What a reader should not have to wait longer for. */
const SEEN_MS = 1_000;
const TASK_MS = 100;

/** In the page, before anything of it: notes its tasks, its frames, and when the cells are first on the screen. */
const OBSERVER = `
globalThis.bench = { tasks: [], painted: null, drawn: null, frames: 0 };
let told;
bench.seen = new Promise((resolve) => { told = resolve; });
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) bench.tasks.push([startTime, duration]);
}).observe({ type: 'longtask', buffered: true });
new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries())
    if (name === 'first-contentful-paint') bench.painted = startTime;
}).observe({ type: 'paint', buffered: true });
const { clearRect } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
  clearRect.apply(this, box);
  if (this.canvas.closest('.actors-paper') === null) return;
  CanvasRenderingContext2D.prototype.clearRect = clearRect;
  // After the frame that shows what is drawn next.
  requestAnimationFrame(() => setTimeout(() => told(bench.drawn = performance.now())));
};
requestAnimationFrame(function count() { bench.frames += 1; requestAnimationFrame(count); });
`;
const observed = v.object({
  tasks: v.array(v.tuple([v.number(), v.number()])),
  painted: v.number(),
  drawn: v.number(),
  frames: v.number(),
  now: v.number(),
});
type Observed = v.InferOutput<typeof observed>;

/** Milliseconds; `frames` per second. */
type Seen = {
  painted: number;
  drawn: number;
  loading: number;
  scrolling: number;
  busy: number;
  frames: number;
};

async function observe(page: Page): Promise<Observed> {
  return v.parse(
    observed,
    await page.evaluate('({ ...bench, seen: undefined, now: performance.now() })'),
  );
}

/** The longest task since, 0: none that is told. */
function longest({ tasks }: Observed, since: number): number {
  return Math.max(0, ...tasks.flatMap(([start, duration]) => (start >= since ? [duration] : [])));
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(640, 500);
  for (let turn = 0; turn < SCROLLS; turn += 1) {
    await page.mouse.wheel(0, turn < SCROLLS / 2 ? 240 : -240);
    await delay(16);
  }
}

/** Steps of one actor after the other, at their rate whatever the timers do. */
async function flood(node: SyntheticInspector): Promise<void> {
  const rows = syntheticRows(ACTORS).filter(({ isEnded }) => !isEnded);
  const begin = performance.now();
  let told = 0;
  while (performance.now() - begin < WATCHED_MS) {
    const due = Math.floor(((performance.now() - begin) / 1_000) * STEPS_PER_SECOND);
    const next = Array.from({ length: due - told }, (_, n) => rows[(told + n) % rows.length]);
    node.emit(
      next.flatMap((row) => (row === undefined ? [] : [nextStep(node.writer, row, 1_000n)])),
    );
    told = due;
    await delay(BURST_MS);
  }
}

async function look(browser: Browser, node: SyntheticInspector): Promise<Seen> {
  const { page, problems } = await openWatched(browser, `${node.url}#/actors`, {
    script: OBSERVER,
  });
  await page.getByRole('button', { name: /Map of/ }).waitFor();
  await page.evaluate('bench.seen');
  await page.getByText('Live').first().waitFor();
  const loaded = await observe(page);
  await scroll(page);
  const scrolled = await observe(page);
  await flood(node);
  const flooded = await observe(page);
  await page.context().close();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return {
    painted: loaded.painted,
    drawn: loaded.drawn,
    loading: longest(loaded, 0),
    scrolling: longest(scrolled, loaded.now),
    busy: longest(flooded, scrolled.now),
    frames: ((flooded.frames - scrolled.frames) * 1_000) / (flooded.now - scrolled.now),
  };
}

/** The middle one of them. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** What `bench:page` prints of it. */
export async function measureActors(browser: Browser): Promise<Measured[]> {
  const all: Seen[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const rows = syntheticRows(ACTORS);
    const node = await startSyntheticInspector({ rows, writer: createStepWriter(), block: 1_000n });
    all.push(await look(browser, node));
    await node.close();
  }
  const middle = (of: keyof Seen) => round(median(all.map((seen) => seen[of])));
  const most = (of: keyof Seen) => round(Math.max(...all.map((seen) => seen[of])));
  const seen = { unit: 'ms', reference: SEEN_MS };
  const task = { unit: 'ms', reference: TASK_MS };
  const named = (metric: string) => `${ACTORS} actors: ${metric}`;
  return [
    { metric: named('first paint, median'), value: middle('painted'), ...seen },
    { metric: named('cells drawn, median'), value: middle('drawn'), ...seen },
    { metric: named('cells drawn, slowest'), value: most('drawn'), ...seen },
    { metric: named('longest task at the beginning'), value: most('loading'), ...task },
    { metric: named('longest task, scrolling'), value: most('scrolling'), ...task },
    { metric: named(`longest task, ${STEPS_PER_SECOND} steps/s`), value: most('busy'), ...task },
    {
      metric: named(`frames, ${STEPS_PER_SECOND} steps/s`),
      value: middle('frames'),
      unit: 'per second',
    },
  ];
}
