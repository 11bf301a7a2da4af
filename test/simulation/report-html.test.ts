import { describe, expect, it } from 'vitest';
import { placeNodes } from '../../src/inspector/place-nodes.ts';
import { compareMany } from '../../src/simulation/report/compare.ts';
import { writeHtml } from '../../src/simulation/report/page/html.ts';
import { bandsOf } from '../../src/simulation/report/page/over-time.ts';
import { headline } from '../../src/simulation/report/page/verdict.ts';
import { keyFigures } from '../../src/simulation/report/results/figures.ts';
import type { RunResult } from '../../src/simulation/report/results/result.ts';
import { textOf } from '../../src/simulation/report/results/said.ts';
import { figuresOf } from '../../src/simulation/run/summary.ts';
import { syntheticResult } from '../support/synthetic-result.ts';

const passed = syntheticResult();
const broken = syntheticResult({ isBroken: true });

/** Where a page shows what it could not compute, with some letters around each. */
function oddities(html: string): string[] {
  const content = html.replace(/<script>.*<\/script>/s, '');
  const found = content.matchAll(/NaN|Infinity|undefined/g);
  return [...found].map(({ index }) => content.slice(index - 60, index + 60));
}

/** What the table of rules says of each. */
const verdictsOf = (html: string) =>
  [...html.matchAll(/<\/span> (held|broken)<\/span>/g)].map(([, verdict]) => verdict);

const titlesOf = (html: string) => [...html.matchAll(/<h[23]>([^<]*)</g)].map(([, text]) => text);

describe('the table of rules', () => {
  it('says which rule broke', () => {
    expect(new Set(verdictsOf(writeHtml(passed)))).toEqual(new Set(['held']));
    const [first, second, ...others] = verdictsOf(writeHtml(broken));
    expect([first, second, new Set(others)]).toEqual(['held', 'broken', new Set(['held'])]);
  });
});

describe('the first sentence of a report', () => {
  it('says in plain words how the run ended', () => {
    const payments = { started: 4900, succeeded: 4812, failed: { no_route: 88 } };
    expect(textOf(headline({ ...passed, payments }))).toBe(
      '4,812 of 4,900 payments arrived; nobody honest lost anything.',
    );
    expect(textOf(headline({ ...passed, payments, verdict: 'stopped' }))).toMatch(
      /^Stopped before its end/,
    );
    expect(textOf(headline(broken))).toBe(
      'The rule “2 nobody honest loses” broke in block 811; 1 honest node lost 12.0000… DAI.',
    );
  });

  it('counts the expectations that were not met', () => {
    const missed = { ...broken, violation: null };
    expect(textOf(headline(missed))).toMatch(/^1 expectation of 4 was not met: /);
  });
});

describe('the report of a run', () => {
  it('has its chapters and panels in this order', () => {
    expect(titlesOf(writeHtml(broken))).toMatchInlineSnapshot(`
      [
        "What was expected",
        "What went wrong",
        "Expectations",
        "Rules that must always hold",
        "Payments",
        "Payments that arrived, of those that ended",
        "Latency: payments that arrived within so many blocks",
        "Effort: payments that took at most so many messages",
        "Payments started per block",
        "Why payments failed",
        "The network",
        "Who is connected and what went through",
        "Imbalance of the channels",
        "Capacity of open channels, in DAI",
        "Safety",
        "Safety margin of locks",
        "Locks in flight",
        "Faults",
        "Fault points",
        "Costs",
        "Gas by transaction",
        "Messages by type",
        "All nodes",
        "Nodes",
      ]
    `);
  });

  it('is the same text for the same result', () => {
    expect(writeHtml(syntheticResult()) === writeHtml(passed)).toBe(true);
  });

  it('is written of a run in which nothing happened', () => {
    const empty: RunResult = {
      ...syntheticResult({ nodes: 0 }),
      nodes: [],
      channels: [],
      series: [],
      faults: [],
      expectations: [],
      payments: { started: 0, succeeded: 0, failed: {} },
      invariants: [],
      faultPoints: {},
      histograms: { latencyBlocks: [], latencyMs: [], latencyMessages: [], lockSlackBlocks: [] },
      messagesByType: {},
      transactionsByType: {},
      blocks: 0,
    };
    const html = writeHtml(empty);
    expect(html.replace(/<[^>]*>/g, '').includes('0 of 0 payments arrived')).toBe(true);
    expect(oddities(html)).toEqual([]);
  });

  it('names the whole program that ran', () => {
    const html = writeHtml({ ...passed, commit: '0.1.0 (0123456789ab)' });
    expect(html).toMatch(/<dt>Program<\/dt><dd><span[^>]*>0\.1\.0 \(0123456789ab\)<\/span>/);
  });

  it('counts as arrived only a share of all that were started, as everywhere', () => {
    const payments = { started: 10, succeeded: 6, failed: { no_route: 2 } };
    const [arrived] = keyFigures({ ...passed, payments });
    expect(arrived?.value).toBe(figuresOf({ ...passed, payments }).successRate);
    expect(arrived?.value).toBe(0.6);
  });

  it('breaks a line where nobody looked, rather than drawing it down to 0', () => {
    const series = passed.series.map((point, at) =>
      at === 40 || at === 41
        ? { ...point, pendingLocks: null, capacity: null, imbalance: null }
        : point,
    );
    const lineOf = (result: RunResult) =>
      /aria-label="Capacity of open channels.*?class="line" d="([^"]*)"/s.exec(
        writeHtml(result),
      )?.[1];
    const [whole, broken] = [lineOf(passed), lineOf({ ...passed, series })];
    const starts = (path = '') => path.split('M').length - 1;
    const lowest = (path = '') =>
      Math.max(...[...path.matchAll(/V([\d.]+)/g)].map(([, y]) => Number(y)));
    expect([starts(whole), starts(broken)]).toEqual([1, 2]);
    expect(lowest(broken)).toBe(lowest(whole));
  });

  it('draws no coordinate that is not a number', () => {
    expect(oddities(writeHtml(broken))).toEqual([]);
  });

  it('shows text of a run as text', () => {
    const evil = '</script><script>alert(1)</script>';
    const [first, ...others] = broken.nodes;
    if (first === undefined || broken.violation === null) throw new Error('there are both');
    const html = writeHtml({
      ...broken,
      scenario: { name: evil, title: evil, description: evil },
      nodes: [{ ...first, name: evil, role: evil }, ...others],
      violation: { ...broken.violation, text: evil, lastEvents: [evil] },
    });
    expect(html.includes('<script>alert')).toBe(false);
    expect(html.match(/<script/g)).toHaveLength(1);
  });

  it('stays below four megabytes with a thousand nodes and five thousand channels', () => {
    const big = syntheticResult({ nodes: 1000 });
    const channels = [...big.channels, ...big.channels].slice(0, 5000);
    expect(writeHtml({ ...big, channels }).length).toBeLessThan(4_000_000);
  });
});

describe('a map', () => {
  const ring = Array.from({ length: 30 }, (_, at) => ({ from: at, to: (at + 1) % 30 }));

  it('has every node inside, apart from the others, at the same place every time', () => {
    const places = placeNodes(30, ring);
    expect(placeNodes(30, ring)).toEqual(places);
    for (const [at, { x, y }] of places.entries()) {
      expect(x >= 0 && x <= 1 && y >= 0 && y <= 1).toBe(true);
      for (const other of places.slice(at + 1)) {
        expect(Math.hypot(other.x - x, other.y - y)).toBeGreaterThan(0.01);
      }
    }
  });

  it('has connected nodes nearer to each other than others', () => {
    const places = placeNodes(30, ring);
    const away = (a: number, b: number) => {
      const [from, to] = [places[a], places[b]];
      return from && to ? Math.hypot(from.x - to.x, from.y - to.y) : Number.NaN;
    };
    const near = ring.reduce((sum, { from, to }) => sum + away(from, to), 0) / 30;
    const far = ring.reduce((sum, { from }) => sum + away(from, (from + 15) % 30), 0) / 30;
    expect(near).toBeLessThan(far / 2);
  });

  it('has lines as wide as what went through them', () => {
    const [one, two, three] = passed.channels;
    if (one === undefined || two === undefined || three === undefined)
      throw new Error('no channels');
    const widthsOf = (...flows: bigint[]) => {
      const channels = [one, two, three].map((channel, at) => {
        const flowAB = flows[at] ?? 0n;
        return { ...channel, flowAB, flowBA: 0n, state: 'open' as const };
      });
      const [map = ''] =
        /<svg class="map" viewBox="0 0 1200 .*?<\/svg>/s.exec(writeHtml({ ...passed, channels })) ??
        [];
      const widths = map.matchAll(/<path class="flow" stroke-width="([\d.]+)" d="([^"]*)"/g);
      return [...widths].flatMap(([, width, path = '']) =>
        Array.from({ length: path.split('M').length - 1 }, () => Number(width)),
      );
    };
    expect(widthsOf(100n, 50n, 25n)).toEqual([1.5, 3, 6]);
    expect(widthsOf(100n, 99n, 98n).every((width) => width > 5.8)).toBe(true);
    expect(widthsOf(100n, 0n, 0n)).toEqual([6]);
  });

  it('is drawn of one node and of none', () => {
    expect(placeNodes(1, [])).toEqual([{ x: 0.5, y: 0.5 }]);
    expect(placeNodes(0, [])).toEqual([]);
  });
});

describe('faults over a drawing', () => {
  it('have a line for each name, and one together when there are many names', () => {
    const fault = (name: string, fromBlock: number) => ({
      name,
      target: 'all',
      fromBlock,
      toBlock: fromBlock + 5,
      hits: 1,
    });
    const few = bandsOf([fault('loss', 9), fault('kill', 3), fault('loss', 1)]);
    expect(few.map(({ name, lane }) => [name, lane])).toEqual([
      ...[
        ['loss', 0],
        ['kill', 1],
        ['loss', 0],
      ],
    ]);
    const many = bandsOf(['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => fault(name, at)));
    expect(many.map(({ lane }) => lane)).toEqual([0, 1, 2, 3]);
    expect(many.at(-1)).toMatchObject({ name: 'other faults', from: 3, to: 11 });
  });

  it('leave the line to be seen, however many there are at a time', () => {
    const faults = Array.from({ length: 50 }, (_, at) => ({
      name: `fault ${at % 3}`,
      target: 'all',
      fromBlock: 100 + at,
      toBlock: 200 + at,
      hits: 1,
    }));
    const drawings = writeHtml({ ...passed, faults }).matchAll(/<svg class="chart".*?<\/svg>/gs);
    const shades = [...drawings].map(([svg]) => svg.split('class="shade"').length - 1);
    expect(Math.max(...shades)).toBe(1);
  });
});

describe('a comparison', () => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const as = seeds.map((seed) => syntheticResult({ seed }));
  const bs = seeds.map((seed) => syntheticResult({ seed, skill: 0.8 }));

  it('finds a true difference in many pairs, and none where there is none', () => {
    const [found] = compareMany(as, bs);
    expect(found).toMatchObject({ name: 'Payments that arrived', pairs: 6 });
    expect(found?.difference?.high).toBeLessThan(-0.1);
    expect(found?.difference?.low).toBeLessThanOrEqual(found?.difference?.mean ?? Number.NaN);
    const [same] = compareMany(as, as);
    expect(same?.difference).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it('has no mean of what no pair has measured', () => {
    const unmeasured = (results: readonly RunResult[]) =>
      results.map((result) => {
        return { ...result, histograms: { ...result.histograms, lockSlackBlocks: [] } };
      });
    const slack = compareMany(unmeasured(as), unmeasured(bs)).find(
      ({ name }) => name === 'Least lock slack',
    );
    expect(slack).toMatchObject({ pairs: 0, meanA: null, meanB: null, difference: null });
  });

  it('leaves out seeds that only one side ran', () => {
    expect(compareMany(as, bs.slice(2))[0]?.pairs).toBe(4);
    expect(compareMany(as, [])).toEqual([]);
  });
});
