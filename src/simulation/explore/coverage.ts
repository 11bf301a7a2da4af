/** Which pairs of state and event were met and which were not, for people and for programs. */
import { stringify } from 'yaml';
import type { Kind } from '../../../machines/contexts.ts';
import { KINDS, kindOf } from '../../node/runtime/actors/kinds.ts';
import { writeJson } from '../report/json.ts';
import type { ReportFile } from '../report-files.ts';
import type { Candidate } from './changes.ts';
import { type Pair, pairKey, possiblePairs } from './charts.ts';
import type { Explored, Failure } from './explore.ts';

/** `runs`: how many runs met the pair. */
export type PairCount = Pair & { runs: number };
export type KindCount = { kind: Kind; met: number; possible: number };

export function pairCounts({ pairs }: Pick<Explored, 'pairs'>): PairCount[] {
  return possiblePairs().map((pair) => ({ ...pair, runs: pairs.get(pairKey(pair)) ?? 0 }));
}

export function kindCounts(counts: readonly PairCount[]): KindCount[] {
  return Object.keys(KINDS).map((name) => {
    const kind = kindOf(name);
    const own = counts.filter((one) => one.kind === kind);
    return { kind, met: own.filter(({ runs }) => runs > 0).length, possible: own.length };
  });
}

/** The pairs that no run met, one line for each state: "channel opened.withdraw.pending: cmd.withdraw". */
export function unmetLines(counts: readonly PairCount[]): string[] {
  const byState = new Map<string, string[]>();
  for (const { kind, state, event, runs } of counts) {
    if (runs > 0) continue;
    const place = state === '' ? kind : `${kind} ${state}`;
    byState.set(place, [...(byState.get(place) ?? []), event]);
  }
  return [...byState].map(([place, events]) => `${place}: ${events.join(', ')}`);
}

/**
 * `coverage.json`; for each way to fail a scenario file that fails again when it is simulated; and the worlds that
 * together met everything.
 */
export function exploredFiles(explored: Explored): ReportFile[] {
  const { failures, pairs, worlds, ...facts } = explored;
  const counts = pairCounts({ pairs });
  const told = failures.map(({ failure, times, run, seed, summary }, n) => {
    const text = summary.violation?.text ?? null;
    return { failure, times, run, seed, text, trace: summary.trace, file: failureFile(n) };
  });
  const coverage = { version: 1, ...facts, kinds: kindCounts(counts), pairs: counts };
  return [
    { name: 'coverage.json', text: writeJson({ ...coverage, failures: told }) },
    ...failures.map((one, n) => ({ name: failureFile(n), text: failureText(one) })),
    ...worlds.map((one, n) => ({ name: `world-${n + 1}.yaml`, text: worldText(one) })),
  ];
}

export const failureFile = (n: number): string => `failure-${n + 1}.yaml`;

function failureText({ tree, seed, failure, summary }: Failure): string {
  const head = [`# It fails: ${failure}`, `# trace ${summary.trace}`];
  const clean = head.map((line) => line.replaceAll(/\s+/g, ' '));
  return `${clean.join('\n')}\n${worldText({ tree, seed })}`;
}

function worldText({ tree, seed }: Candidate): string {
  return stringify({ ...tree, seed }, { lineWidth: 110 });
}
