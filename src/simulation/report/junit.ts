/** Results as JUnit XML, which build servers show. */

import { type Markup, markup } from './page/markup.ts';
import type { ManyRuns } from './results/many-runs.ts';
import type { RunResult, Violation } from './results/result.ts';

type Case = { name: string; problem: { message: string; text: string } | null };

/** One suite: a case for the run itself, for each expectation and for each rule. */
export function writeJunit(result: RunResult): string {
  const { scenario, seed, wallMs, violation, expectations, invariants } = result;
  const broken = violation === null ? null : problemOf(violation);
  const isRule = invariants.some(({ name }) => name === violation?.invariant);
  const cases: Case[] = [
    { name: 'runs to its end', problem: endProblem(result, broken, isRule) },
    ...expectations.map(({ text, actual, isMet }) => ({
      name: `expects ${text}`,
      problem: isMet ? null : { message: `found ${actual}`, text: `${text}: found ${actual}` },
    })),
    ...invariants.map(({ number, name }) => ({
      name: `rule ${number}: ${name}`,
      problem: name === violation?.invariant ? broken : null,
    })),
  ];
  return writeSuite(`${scenario.name} seed ${seed}`, wallMs, cases);
}

/** One suite: a case for each seed. */
export function writeManyJunit({ scenario, runs, totals }: ManyRuns): string {
  const cases = runs.map(({ seed, verdict, violation }): Case => {
    const problem = { message: verdict, text: `seed ${seed}: ${verdict}` };
    const found = violation === null ? problem : problemOf(violation);
    return { name: `seed ${seed}`, problem: verdict === 'passed' ? null : found };
  });
  return writeSuite(scenario.name, totals.wallMs, cases);
}

/** The problem of the run's own case. The violation of a listed rule is reported in the rule's own case. */
function endProblem(
  { verdict }: RunResult,
  broken: Case['problem'],
  isRule: boolean,
): Case['problem'] {
  if (broken !== null && !isRule) return broken;
  return verdict === 'stopped' ? { message: 'stopped', text: 'stopped before its end' } : null;
}

function problemOf({ invariant, step, block, text, lastEvents }: Violation) {
  return {
    message: `${invariant}: step ${step}, block ${block}`,
    text: [text, ...lastEvents].join('\n'),
  };
}

function writeSuite(name: string, wallMs: number, cases: readonly Case[]): string {
  const failed = cases.filter(({ problem }) => problem !== null).length;
  const seconds = (wallMs / 1000).toFixed(3);
  const lines = cases.map((one) => writeCase(one, name));
  const suite = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="${cases.length}" failures="${failed}" time="${seconds}">
<testsuite name="${name}" tests="${cases.length}" failures="${failed}" errors="0" skipped="0" time="${seconds}">
${lines}</testsuite>
</testsuites>
`;
  return suite.markup;
}

function writeCase({ name, problem }: Case, suite: string): Markup {
  if (problem === null) return markup`<testcase classname="${suite}" name="${name}" time="0"/>\n`;
  return markup`<testcase classname="${suite}" name="${name}" time="0"><failure message="${problem.message}">${problem.text}</failure></testcase>\n`;
}
