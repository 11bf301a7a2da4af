/** Compares two runs, or many pairs of runs with how much of their difference chance explains. */
import { latencyPanels, slackCurves } from './page/distributions.ts';
import { lorenzPanel } from './page/economy.ts';
import { type Markup, markup } from './page/markup.ts';
import { coursePanels, successPanel } from './page/over-time.ts';
import { chapter, writePage } from './page/page.ts';
import { type Column, panel, table } from './page/panel.ts';
import { headline } from './page/verdict.ts';
import { plain } from './results/numbers.ts';
import type { RunResult } from './results/result.ts';
import { type Figure, keyFigures, type Run } from './results/runs.ts';
import { type Interval, mayBeChance, mean, meanInterval } from './results/statistics.ts';

/** The names of the two sides, and why they are compared. */
export type CompareWords = {
  readonly title: string;
  readonly a: string;
  readonly b: string;
  readonly about: string;
};

/**
 * A figure over all pairs. The means are null when no pair has measured the figure; `difference`, of b less a, is null
 * when fewer than two have.
 */
export type PairedFigure = {
  readonly name: string;
  readonly pairs: number;
  readonly meanA: number | null;
  readonly meanB: number | null;
  readonly difference: Interval | null;
} & Judged;

/** `paired`: the figures over many seeds, if there were many. */
export function compareHtml(
  a: RunResult,
  b: RunResult,
  words: CompareWords = wordsOf(a, b),
  paired: readonly PairedFigure[] = [],
): string {
  const runs: Run[] = [
    { name: words.a, result: a, ink: 'first' },
    { name: words.b, result: b, ink: 'second' },
  ];
  return writePage({
    title: words.title,
    subtitle: 'simulation',
    facts: [
      { name: words.a, value: `${a.scenario.name}, seed ${a.seed}` },
      { name: words.b, value: `${b.scenario.name}, seed ${b.seed}` },
    ],
    content: [
      opening(words, runs),
      chapter('In figures', [figuresPanel(runs, words), pairedPanel(paired, words)]),
      chapter('Payments', [successPanel(runs), ...latencyPanels(runs), ...coursePanels(runs)]),
      chapter('Safety and income', [slackCurves(runs), lorenzPanel(runs)]),
    ],
  });
}

/** Compares a simulated run with a run on the real network: how far can the simulation be trusted? */
export function calibrationHtml(
  live: RunResult,
  simulated: RunResult,
  paired: readonly PairedFigure[] = [],
): string {
  const words: CompareWords = {
    title: 'Calibration: the real network against its simulation',
    a: 'Live',
    b: 'Simulated',
    about:
      'The same scenario with real processes in real time, and in virtual time. Where the two agree, the simulation tells the truth.',
  };
  return compareHtml(live, simulated, words, paired);
}

/** Pairs runs of equal seed; those without a counterpart are left out. */
export function compareMany(as: readonly RunResult[], bs: readonly RunResult[]): PairedFigure[] {
  const partners = new Map(bs.map((result) => [result.seed, result]));
  const pairs = as.flatMap((a) => {
    const b = partners.get(a.seed);
    return b === undefined ? [] : [{ a: keyFigures(a), b: keyFigures(b) }];
  });
  const [first] = pairs;
  return (first?.a ?? []).map(({ value: _value, note: _note, ...figure }, at) => {
    const measured = pairs.flatMap(({ a, b }) => {
      const [left, right] = [a[at]?.value ?? null, b[at]?.value ?? null];
      return left === null || right === null ? [] : [{ left, right }];
    });
    return {
      ...figure,
      pairs: measured.length,
      meanA: measured.length === 0 ? null : mean(measured.map(({ left }) => left)),
      meanB: measured.length === 0 ? null : mean(measured.map(({ right }) => right)),
      difference: meanInterval(measured.map(({ left, right }) => right - left)),
    };
  });
}

function wordsOf(a: RunResult, b: RunResult): CompareWords {
  const isSame = a.scenario.name === b.scenario.name;
  return {
    title: isSame ? `${a.scenario.title}: two runs compared` : 'Two runs compared',
    a: isSame ? 'A' : a.scenario.name,
    b: isSame ? 'B' : b.scenario.name,
    about: isSame
      ? a.scenario.description
      : `${a.scenario.title}, and ${b.scenario.title.toLowerCase()}.`,
  };
}

function opening({ title, about }: CompareWords, runs: readonly Run[]): Markup {
  const sides = runs.map(
    ({ name, result, ink }) =>
      markup`<p><span class="swatch ${ink}"></span><strong>${name}</strong>: ${headline(result)}</p>`,
  );
  return markup`<section class="verdict"><h1>${title}</h1><p class="quiet">${about}</p>${sides}</section>`;
}

function figuresPanel(runs: readonly Run[], words: CompareWords): Markup {
  const [left, right] = runs.map(({ result }) => keyFigures(result));
  const rows = (left ?? []).map((figure, at) => {
    const [a, b] = [figure.value, right?.[at]?.value ?? null];
    const difference = a === null || b === null ? null : b - a;
    return {
      cells: [
        figure.name,
        ...[a, b].map((value) => (value === null ? '–' : figure.write(value))),
        difference === null ? '–' : differenceCell(difference, figure),
        a === null || difference === null || a === 0 ? '–' : `${signed(difference / a)} %`,
      ],
    };
  });
  const heads: Column[] = [words.a, words.b, 'Difference', 'In percent'].map((name) => ({
    name,
    isNumber: true,
  }));
  return panel('Key figures', 'whole', table('Key figures', [{ name: 'Figure' }, ...heads], rows));
}

function signed(share: number): string {
  const text = plain(share * 100);
  return share > 0 && text !== '0' ? `+${text}` : text;
}

type Judged = Pick<Figure, 'better' | 'write' | 'writeDifference'>;

/** Better or worse is written as a word, not shown by colour alone. */
function differenceCell(difference: number, figure: Judged): Markup {
  const { better, write, writeDifference = write } = figure;
  const size = writeDifference(Math.abs(difference));
  if (difference === 0 || size === writeDifference(0))
    return markup`<span class="quiet">none</span>`;
  const text = `${difference > 0 ? '+' : '−'}${size}`;
  if (better === 'neither') return markup`${text}`;
  const isBetter = difference > 0 === (better === 'more');
  return markup`<span class="${isBetter ? 'better' : 'worse'}">${text} ${isBetter ? 'better' : 'worse'}</span>`;
}

function pairedPanel(paired: readonly PairedFigure[], words: CompareWords): Markup | null {
  if (paired.length === 0) return null;
  const rows = paired.map((figure) => {
    const { name, pairs, meanA, meanB, difference, write, writeDifference = write } = figure;
    const means = [meanA, meanB].map((value) => (value === null ? '–' : write(value)));
    if (difference === null) return { cells: [name, `${pairs}`, ...means, '–', '–', '–'] };
    const isChance = mayBeChance(difference);
    return {
      cells: [
        ...[name, `${pairs}`, ...means],
        differenceCell(difference.mean, figure),
        `${endText(difference.low, writeDifference)} to ${endText(difference.high, writeDifference)}`,
        isChance === null ? '–' : isChance ? markup`<span class="quiet">possibly</span>` : 'no',
      ],
    };
  });
  const numbers = ['Pairs', `Mean ${words.a}`, `Mean ${words.b}`, 'Difference', '95 % interval'];
  const heads: Column[] = numbers.map((name) => ({ name, isNumber: true }));
  const columns: Column[] = [{ name: 'Figure' }, ...heads, { name: 'Chance alone?' }];
  const list = table('Many pairs of runs', columns, rows);
  return panel('Many seeds, in pairs', 'whole', list);
}

function endText(value: number, write: Figure['write']): string {
  const size = write(Math.abs(value));
  if (size === write(0)) return size;
  return value < 0 ? `−${size}` : `+${size}`;
}
